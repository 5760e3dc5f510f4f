/*
 * presets.ts - games worth playing: small, and with a violation to be found,
 * except the last.
 */
import { ADVERSARY } from "../words";

const LOCK = "--set mindelay=1 --set delaystep=0 --set predict=0";
const games = ADVERSARY.games;

export const PRESETS: readonly { label: string; command: string }[] = [
  { label: games.inside, command: `check archimedean -n 2 --bounds 1:1:0:1 --set rules=printed ${LOCK}` },
  { label: games.late, command: `check archimedean -n 2 --bounds 1:1:0:1 --late 1 --set window=2 ${LOCK}` },
  { label: games.overtake, command: "check lelann -n 3 --links any" },
  { label: games.deadlock, command: "check maekawa -n 4 --set rules=printed" },
  {
    label: games.torn,
    command: "check rw-optimistic -n 2 --time sync --entries 2 --set words=2 --set writes=asked --set order=swapped",
  },
  { label: games.coins, command: "check spirakis-tampakas -n 2 --bounds 1:1:0:1 --set k=1 --only one-leader" },
  {
    label: games.blank,
    command: "check archimedean -n 2 --bounds 1:1:0:1 --crashes 1 --restarts blank --entries 3 --only exclusion " +
      `--set window=2 ${LOCK}`,
  },
  { label: games.safe, command: `check archimedean -n 2 --bounds 1:1:0:1 ${LOCK}` },
];
