/*
 * scenes.ts - eight runs that tell the papers.  A scene is a command line, one
 * to compare it with where that is the point, and how to find in the recording
 * what its text says: no number is typed here.
 */
import type { Recording, Report } from "../engine/api";
import { NONE, ROLES } from "../engine/api";
import { TOUR } from "../words";

/* A run as a scene looks at it. */
export interface Told {
  recording: Recording;
  report: Report;
}

/* What the page says and where it puts the cursor. */
export interface Telling {
  title: string;
  text: string;
  look: string;
  event: number; /* the cursor: the last event that has happened */
}

export interface Scene {
  key: string;
  name: string;
  words: string[];
  beside: string[] | null;
  tell(a: Told, b: Told | null): Telling;
}

/* ---- Looking things up in a recording -------------------------------------- */

const role = (word: (typeof ROLES)[number]): number => ROLES.indexOf(word);

/* The first event, from `from` on, of which `test` is true; -1 if none. */
function firstEvent(r: Recording, test: (event: number) => boolean, from = 0): number {
  for (let event = from; event < r.events.count; event++) if (test(event)) return event;
  return -1;
}

function lastEvent(r: Recording): number {
  return r.events.count - 1;
}

function becomes(r: Recording, word: (typeof ROLES)[number], lane = -1): (event: number) => boolean {
  return (event) => r.events.role[event] === role(word) && (lane < 0 || r.events.lane[event] === lane);
}

/* The n-th message of a kind, from 0; NONE if there are fewer. */
function message(r: Recording, word: string, n = 0): number {
  const kind = r.head.kinds.findIndex((k) => k.word === word);
  for (let m = 0; m < r.messages.count; m++) if (r.messages.kind[m] === kind && n-- === 0) return m;
  return NONE;
}

function field(r: Recording, m: number): number {
  return m === NONE ? NaN : r.messages.fields[r.messages.fieldAt[m]!]!;
}

function sender(r: Recording, m: number): number {
  return r.events.lane[r.messages.by[m]!]!;
}

export function laneName(r: Recording, lane: number): string {
  const name = String(r.head.names[lane] ?? lane);
  return r.head.problem === "election" ? name : `P${name}`;
}

function timerOf(r: Recording, event: number): number {
  return r.timers.find((t) => t.event === event && t.steps >= 0)?.steps ?? NaN;
}

function claim(report: Report, cost: string, relation: string): number {
  const found = (report.claims as { cost: string; relation: string; value: number }[])
    .find((c) => c.cost === cost && c.relation === relation);
  return found ? found.value : NaN;
}

/* ---- The scenes ------------------------------------------------------------ */

const words = TOUR.scenes;
const split = (line: string): string[] => line.split(" ");

/* Scenes 4 and 5: the same seed under the printed and the repaired rules. */
const lock = (rules: string): string[] => split("sim archimedean -n 2 --bounds 1:1:1:1 --entries 1 " +
  `--section 3 --set rules=${rules} --set mindelay=1 --set delaystep=2 --set predict=n --seed 3`);

/* Scenes 7 and 8: one writer that never stops, one reader. */
const seqlock = (waits: string): string[] => split("sim rw-optimistic -n 2 --entries 1 --until 40 " +
  `--set words=2 --set waits=${waits} --seed 1`);

export const SCENES: Scene[] = [
  {
    key: "nlogn",
    name: words.nlogn.name,
    words: split("sim chang-roberts -n 12 --seed 3"),
    beside: split("sim chang-roberts -n 12 --names asc --seed 3"),
    tell(a, b) {
      const f = {
        nodes: a.recording.head.nodes,
        claims: a.report.messages.kinds.token.max as number,
        /* The paper's figure counts the announcement, which always goes round once. */
        mean: claim(a.report, "messages", "on average") - (a.report.messages.kinds.elected.max as number),
        worst: b!.report.messages.kinds.token.max as number,
      };
      /* Most claims are dead by then, those that lived are on their way. */
      const event = firstEvent(a.recording, (e) => a.recording.events.tick[e]! > 4) - 1;
      return { title: words.nlogn.title(f), text: words.nlogn.text(f), look: words.nlogn.look, event };
    },
  },
  {
    key: "waiting",
    name: words.waiting.name,
    words: split("sim vitanyi --names 1,2,3,4,5,6,7,8 --seed 1"),
    beside: split("sim chang-roberts --names 1,2,3,4,5,6,7,8 --set compare=least --seed 1"),
    tell(a, b) {
      const f = {
        a: a.report.messages.kinds.M.max as number,
        b: b!.report.messages.kinds.token.max as number,
        ticks: a.report.end.max as number,
        other: b!.report.end.max as number,
      };
      const rests = firstEvent(a.recording, (e) => a.recording.events.tick[e]! > f.ticks / 3);
      return { title: words.waiting.title(f), text: words.waiting.text(f), look: words.waiting.look, event: rests };
    },
  },
  {
    key: "silence",
    name: words.silence.name,
    words: split("sim archimedean -n 4 --entries 1 --competitors 1 --set mindelay=2 --seed 1"),
    beside: split("sim ricart-agrawala -n 4 --entries 1 --competitors 1 --seed 1"),
    tell(a, b) {
      const asks = firstEvent(a.recording, becomes(a.recording, "asking"));
      const enters = firstEvent(a.recording, becomes(a.recording, "inside"));
      const asked = firstEvent(b!.recording, becomes(b!.recording, "waiting"));
      const entered = firstEvent(b!.recording, becomes(b!.recording, "inside"));
      const f = {
        a: a.report.messages.max as number,
        b: b!.report.messages.max as number,
        window: timerOf(a.recording, asks),
        wait: a.recording.events.tick[enters]! - a.recording.events.tick[asks]!,
        other: b!.recording.events.tick[entered]! - b!.recording.events.tick[asked]!,
      };
      return { title: words.silence.title(f), text: words.silence.text(f), look: words.silence.look, event: enters };
    },
  },
  {
    key: "stale",
    name: words.stale.name,
    words: lock("printed"),
    beside: null,
    tell(a) {
      const r = a.recording;
      const first = message(r, "request", 0);
      const second = message(r, "request", 1);
      const f = {
        first: laneName(r, sender(r, first)),
        late: laneName(r, sender(r, second)),
        number: field(r, second),
        tick: r.violations[0]!.tick,
      };
      return { title: words.stale.title(f), text: words.stale.text(f), look: words.stale.look, event: r.violations[0]!.event };
    },
  },
  {
    key: "repair",
    name: words.repair.name,
    words: lock("repaired"),
    beside: lock("printed"),
    tell(a, b) {
      const second = message(a.recording, "request", 1);
      const f = {
        late: laneName(a.recording, sender(a.recording, second)),
        printed: field(b!.recording, message(b!.recording, "request", 0)),
        repaired: field(a.recording, second),
        messages: a.report.messages.max as number,
        other: b!.report.messages.max as number,
      };
      const refused = a.recording.messages.read[message(a.recording, "negative")]!;
      return { title: words.repair.title(), text: words.repair.text(f), look: words.repair.look, event: refused };
    },
  },
  {
    key: "holding",
    name: words.holding.name,
    words: split("sim spirakis-tampakas -n 3 --set k=3 --seed 7"),
    beside: null,
    tell(a) {
      const r = a.recording;
      const next = message(r, "nexttime");
      const found = r.messages.by[next]!;
      const draws = (from: number, to: number): number =>
        r.choices.filter((c) => c.range === r.head.nodes && c.value === 0 && c.event >= from && c.event < to).length;
      const leads = firstEvent(r, becomes(r, "leader"));
      const f = {
        rivals: draws(0, found),
        holder: laneName(r, r.events.lane[found]!),
        tick: r.events.tick[found]!,
        draws: 1 + (a.report.messages.kinds.nexttime.max as number) / r.head.nodes,
        leader: laneName(r, r.events.lane[leads]!),
      };
      return { title: words.holding.title(f), text: words.holding.text(f), look: words.holding.look, event: found };
    },
  },
  {
    key: "starves",
    name: words.starves.name,
    words: seqlock("none"),
    beside: null,
    tell(a) {
      const r = a.recording;
      const reader = r.events.lane[firstEvent(r, becomes(r, "reading"))]!;
      let reads = 0;
      for (let e = 0; e < r.events.count; e++) if (becomes(r, "idle", reader)(e)) reads++;
      const f = {
        ticks: r.endTick,
        writes: 0,
        reads,
        words: a.report.letters.words as number,
      };
      return { title: words.starves.title(f), text: words.starves.text(f), look: words.starves.look, event: lastEvent(r) };
    },
  },
  {
    key: "saves",
    name: words.saves.name,
    words: seqlock("writer"),
    beside: seqlock("none"),
    tell(a) {
      const r = a.recording;
      const wrote = firstEvent(r, (e) => becomes(r, "idle")(e));
      const reader = r.events.lane[firstEvent(r, becomes(r, "reading"))]!;
      const read = firstEvent(r, becomes(r, "idle", reader));
      const f = {
        attempts: a.report.attempts.max as number,
        most: claim(a.report, "attempts", "at most"),
        tick: r.events.tick[read]!,
        pause: timerOf(r, wrote),
      };
      return { title: words.saves.title(f), text: words.saves.text(f), look: words.saves.look, event: read };
    },
  },
];
