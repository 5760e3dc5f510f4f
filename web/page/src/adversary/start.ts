/*
 * start.ts - which game to play: the command of the checker that comes nearest
 * to the run on the page, or the one that a counterexample came from.
 */
import { searched } from "../break/forms";
import { option, options } from "../model/command";

/* A page plays with few processors: the states of more are too many to know. */
const MOST_NODES = 3;
/* What sim and check both take, with the same words. */
const SHARED = ["--bounds", "--time", "--topology", "--links", "--clock"];
/* Small waits for the lock that sleeps: with its own a game is mostly ticks. */
const SMALL: Record<string, string[]> = {
  archimedean: ["mindelay=1", "delaystep=0", "predict=0"],
  "rw-preventive": ["mindelay=1", "delaystep=0", "predict=0"],
  "spirakis-tampakas": ["k=1"],
  "rw-optimistic": ["words=2", "writes=asked"],
};
const SMALL_BOUNDS: Record<string, string> = {
  archimedean: "1:1:0:1", "rw-preventive": "1:1:0:1", bully: "1:1:0:1",
  "spirakis-tampakas": "1:1:0:1", vitanyi: "1:2:0:1",
};

export function checkWordsOf(words: readonly string[]): string[] {
  const protocol = words[1] ?? "archimedean";
  const nodes = Number(option(words, "--nodes", "-n") ?? MOST_NODES);
  const line = ["check", protocol, "-n", String(Math.max(2, Math.min(MOST_NODES, nodes)))];
  for (const name of SHARED) {
    const value = option(words, name);
    if (value !== undefined && !(name === "--clock" && /adversary/.test(value))) line.push(name, value);
  }
  if (!line.includes("--bounds") && !line.includes("--time") && SMALL_BOUNDS[protocol])
    line.push("--bounds", SMALL_BOUNDS[protocol]!);
  const settings = options(words, "--set");
  for (const s of [...settings, ...(SMALL[protocol] ?? [])]) {
    const key = s.split("=")[0]!;
    if (!line.some((w) => w.startsWith(`${key}=`))) line.push("--set", s);
  }
  for (const f of options(words, "--fault")) {
    const fault = searched(f);
    if (fault && !line.includes(fault)) line.push("--fault", fault);
  }
  return line;
}

/* The words of the check that a trace came from; null if it was none. */
export function commandOfTrace(command: string, split: (line: string) => string[]): string[] | null {
  const words = split(command);
  return words[0] === "check" ? words : null;
}
