/*
 * exercises.ts - exercises as the engine reads them from their files
 * (docs/exercises/format.md), and marks as it gives them.  Nothing of an
 * exercise is known here.
 */
import { Refused, type Engine, type Files } from "../engine/api";

export type Asker = Pick<Engine, "command">;

/* The file of an exercise. */
export interface Source { name: string; text: string }

export interface Field { name: string; form: string; wanted: string }

/* An exercise as one student gets it: cli/grade/judge_json.c. */
export interface Task {
  source: string; /* the file of C that is handed in; "" */
  key: string;
  number: number;
  title: string;
  task: string;
  minutes: string;
  teaches: string;
  asks: string;
  points: number;
  hintCosts: number;
  hints: string[];
  varies: boolean;
  locked: string;
  seed: string;
  fields: Field[];
  game: string[] | null; /* the words of a game of the checker */
  command: string[] | null; /* to begin with */
}

export interface Exercise { file: Source; task: Task }

/* Who answers: the tasks vary with the ID and the lecturer's word for the term. */
export interface Student { id: string; name: string; term: string }

export interface Rule { rule: string; verdict: "held" | "missed" | "untried"; says: string; points: number; of: number }
export interface Mark { solved: boolean; points: number; of: number; refused: string; run: string; rules: Rule[] }

const FILE = "x.exercise";
const ANSWER = "answer.txt";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function wordsFor(student: Student): string[] {
  return ["--exercises", FILE, ...(student.id ? ["--student", student.id] : []), ...(student.term ? ["--term", student.term] : [])];
}

async function ask(engine: Asker, words: string[], files: Files): Promise<any> {
  const answer = await engine.command(["grade", ...words], files);
  if (answer.code > 1) throw new Refused(answer.err.trim().replace(/^fulcrum grade: /, ""));
  return JSON.parse(answer.out);
}

/* Throws Refused with what is wrong in the file, and where. */
export async function read(engine: Asker, file: Source, student: Student): Promise<Exercise> {
  return { file, task: (await ask(engine, ["--tasks", "--json", ...wordsFor(student)], { [FILE]: bytes(file.text) })) as Task };
}

/* The part of a hand-in that answers this exercise. */
export function part(task: Task, values: Record<string, string>, hints: number): string {
  const lines = Object.entries(values).flatMap(([name, value]) => value.split("\n").map((v) => `${name} = ${v.trim()}`));
  return [`exercise = ${task.key}`, ...(hints > 0 ? [`hints = ${hints}`] : []), ...lines, ""].join("\n");
}

/* What is handed in: who it is, and the answers. */
export function handIn(student: Student, seed: string, parts: string[]): string {
  const head = [
    ...(student.id ? [`student = ${student.id}`] : []), ...(student.name ? [`name = ${student.name}`] : []),
    ...(seed ? [`seed = ${seed}`] : []), "",
  ];
  return [...head, ...parts].join("\n");
}

/* The engine says which command it wants to see, until it has a mark. */
export async function mark(engine: Asker, x: Exercise, student: Student, values: Record<string, string>, hints = 0): Promise<Mark> {
  const files: Files = {
    [FILE]: bytes(x.file.text),
    [ANSWER]: bytes(handIn(student, x.task.seed, [part(x.task, values, hints)])),
  };
  for (;;) {
    const said = await ask(engine, [ANSWER, "--page", ...wordsFor(student)], files);
    if (!said.needs) return said as Mark;
    const answer = await engine.command(said.needs as string[]);
    files[said.file as string] = bytes(`${answer.code}\n${answer.code <= 1 ? answer.out : answer.err}`);
  }
}

/* ---- All of them --------------------------------------------------------------- */

let kept: Source[] | null = null;
const added: Source[] = [];

/* Those that come with the page, or what the address names instead. */
export async function sources(set: string): Promise<Source[]> {
  if (!kept) {
    const answer = await fetch(new URL(set || "exercises.json", document.baseURI));
    if (!answer.ok) throw new Refused(`${set || "exercises.json"}: ${answer.status} ${answer.statusText}`);
    kept = set.endsWith(".exercise") ? [{ name: set, text: await answer.text() }] : ((await answer.json()) as Source[]);
  }
  return [...kept, ...added];
}

/* One that was dropped; in place of one of the same name. */
export function add(file: Source): void {
  const at = added.findIndex((a) => a.name === file.name);
  if (at >= 0) added[at] = file;
  else added.push(file);
}
