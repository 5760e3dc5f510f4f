/*
 * asking.ts - what an exercise asks the engine: runs and verdicts by command,
 * and games.  An answer is only ever run; it is never compared with a text.
 */
import { COURSE } from "../words";
import { Refused, type Engine, type Outlook, type Report } from "../engine/api";

export type Asker = Pick<Engine, "command" | "browse" | "look" | "explore" | "follow" | "way" | "close">;

/* States; every exercise needs far fewer. */
const MOST = 400000;

export const split = (line: string): string[] => line.split(" ");

/* What a command says as JSON; Refused if it was used wrongly. */
async function report(engine: Asker, words: string[]): Promise<Report> {
  const answer = await engine.command([...words, "--json"]);
  if (answer.code === 3) throw new Refused(COURSE.tooLarge);
  if (answer.code > 1) throw new Refused(answer.err.trim().replace(/^fulcrum [a-z]+: /, ""));
  return JSON.parse(answer.out) as Report;
}

export async function sim(engine: Asker, line: string, more: string[] = []): Promise<Report> {
  return report(engine, ["sim", ...split(line), ...more]);
}

/* The verdict of the checker: holds, violated; with states and steps. */
export async function check(engine: Asker, line: string, more: string[] = []): Promise<Report> {
  return report(engine, ["check", ...split(line), ...more, "--states", String(MOST)]);
}

/* ---- Games ----------------------------------------------------------------- */

const SLICE = 5000;

/* Explores until the distance of the start is known for certain. */
export async function distance(engine: Asker, game: number, state: number): Promise<Outlook> {
  for (;;) {
    const known = await engine.explore(game, SLICE);
    const { outlook } = await engine.look(game, state);
    if (outlook.kind === "exactly" || outlook.kind === "safe") return outlook;
    if (known.all || known.limit !== "" || known.states > MOST) return outlook;
  }
}

/* What a run by hand breaks: the properties, and after how many moves. */
export async function broken(
  engine: Asker, game: number, first: number, moves: number[],
): Promise<{ what: string[]; after: number }> {
  let state = first;
  for (const [i, index] of moves.entries()) {
    const now = await engine.look(game, state);
    const move = now.moves[index];
    if (!move) throw new Refused("there is no such move");
    if (move.broken.length > 0) return { what: move.broken, after: i + 1 };
    state = move.to;
  }
  const end = await engine.look(game, state);
  return { what: end.brokenAtEnd, after: moves.length };
}
