/*
 * looks.ts - how the state of a node looks: the more power, the more ink.
 */
import { ROLES } from "../engine/api";

/* From least to most power; `down` is no bar at all. */
export const LOOKS = [
  "down", "asleep", "lost", "awake", "rests", "asks", "waits", "candidate",
  "beside", "leader", "inside",
] as const;
export type Look = (typeof LOOKS)[number];

const OF_ROLE: Record<(typeof ROLES)[number], Look> = {
  asleep: "asleep", awake: "awake", candidate: "candidate", lost: "lost",
  leader: "leader", done: "asleep", idle: "awake", sleeping: "asleep",
  asking: "asks", waiting: "waits", inside: "inside", mute: "lost",
  reading: "beside", writing: "inside", beside: "beside", down: "down",
};

export const LOOK_OF_ROLE = Uint8Array.from(ROLES, (r) => LOOKS.indexOf(OF_ROLE[r]));
const RESTS = LOOKS.indexOf("rests");
export const DOWN = LOOKS.indexOf("down");
export const BESIDE = LOOKS.indexOf("beside");
export const LEADER = LOOKS.indexOf("leader");
export const INSIDE = LOOKS.indexOf("inside");

/* What no zoom may lose. */
export function hasPower(look: number): boolean {
  return look >= BESIDE;
}

export function lookOf(role: number, rests: boolean): number {
  const look = LOOK_OF_ROLE[role];
  return rests && !hasPower(look) ? RESTS : look;
}

/* Height of the bar in a lane of its own; the variable that holds its colour. */
export const HEIGHT: Record<Look, number> = {
  down: 0, asleep: 2, lost: 2.5, awake: 5, rests: 9, asks: 12, waits: 12,
  candidate: 12, beside: 20, leader: 20, inside: 28,
};
export const COLOUR: Record<Look, string> = {
  down: "crashed", asleep: "asleep", lost: "lost", awake: "awake", rests: "waiting",
  asks: "waiting", waits: "waiting", candidate: "candidate", beside: "inside",
  leader: "leader", inside: "inside",
};
