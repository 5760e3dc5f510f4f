/*
 * exercises.ts - twelve exercises.  Each is a command line, the form of an
 * answer, and a mark that the engine gives: it runs what was answered and asks
 * whether there is anything better.
 */
import { COURSE } from "../words";
import { broken, check, distance, sim, split, type Asker } from "./asking";

export type Shape = keyof typeof COURSE.shape;

export interface Mark {
  solved: boolean;
  says: string;
  /* A run that shows it, for the stage; null if there is none. */
  run: string[] | null;
}

export interface Exercise {
  key: string;
  title: string;
  shape: Shape;
  minutes: number;
  hints: readonly string[];
  teaches: string;
  asks: string;
  /* The command to begin with: `sim` for the stage, `check` for the adversary. */
  words: string[];
  /* The task; what is in it is computed. */
  task(engine: Asker): Promise<string>;
  mark(answer: string, engine: Asker): Promise<Mark>;
}

const words = COURSE.exercises;
const patterns: Record<Shape, RegExp> = {
  names: /^\d+(,\d+)*$/,
  number: /^\d{1,9}$/,
  bounds: /^\d{1,6}:\d{1,6}:\d{1,6}:\d{1,6}$/,
  faults: /^crash [\d,]+@\d+(\n *crash [\d,]+@\d+)*$/,
  moves: /^\d*(,\d+)*$/,
};

const no = (says: string, run: string[] | null = null): Mark => ({ solved: false, says, run });
const yes = (says: string, run: string[] | null = null): Mark => ({ solved: true, says, run });

/* Answers as people type them: "3 1 2", " 3, 1, 2 ", several lines. */
function tidy(shape: Shape, answer: string): string {
  const text = answer.trim();
  if (shape === "names" || shape === "moves") return text.replace(/[\s,]+/g, ",");
  if (shape === "faults") return text.split(/\s*[\n;]+\s*/).filter((l) => l !== "").join("\n");
  return text.replace(/\s+/g, "");
}

type Parts = Pick<Exercise, "key" | "shape" | "minutes" | "words" | "task" | "mark"> & {
  said: { title: string; hints: readonly string[]; teaches: string; asks: string };
};

/* An exercise whose answers are looked at only if they have its form; what the
 * engine refuses is said, not thrown. */
function exercise({ said, mark, ...rest }: Parts): Exercise {
  return {
    ...rest,
    title: said.title,
    hints: said.hints,
    teaches: said.teaches,
    asks: said.asks,
    async mark(answer, engine) {
      const text = tidy(rest.shape, answer);
      if (text === "" || !patterns[rest.shape].test(text)) return no(COURSE.badShape(COURSE.shape[rest.shape]));
      try {
        return await mark(text, engine);
      } catch (e) {
        return no(COURSE.refused((e as Error).message));
      }
    },
  };
}

/* ---- By playing -------------------------------------------------------------- */

/* So many moves more than the shortest way are allowed. */
const SPARE = 4;

async function inGame<T>(engine: Asker, line: string, use: (game: number) => Promise<T>): Promise<T> {
  const { game } = await engine.browse(split(`check ${line}`));
  try {
    return await use(game);
  } finally {
    await engine.close(game);
  }
}

/* An answer is a run by hand: the index of each move, from the first state. */
function playing(
  key: "inside" | "overtake" | "torn" | "late", minutes: number, line: string, wanted: string,
): Exercise {
  const said = words[key];
  const least = (engine: Asker, game: number): Promise<number> =>
    distance(engine, game, 0).then((o) => o.moves);
  return exercise({
    key, minutes, said,
    shape: "moves",
    words: split(`check ${line}`),
    task: (engine) => inGame(engine, line, async (game) =>
      said.task({ most: (await least(engine, game)) + SPARE })),
    mark: (answer, engine) => inGame(engine, line, async (game) => {
      const shortest = await least(engine, game);
      const most = shortest + SPARE;
      const got = await broken(engine, game, 0, answer.split(",").map(Number));
      if (got.what.length === 0) return no(COURSE.movesNone);
      if (!got.what.includes(wanted)) return no(COURSE.movesOther(got.what.join(", "), wanted));
      if (got.after > most) return no(COURSE.movesLong(got.after, most));
      return yes(COURSE.movesGood(got.after, shortest));
    }),
  });
}

/* ---- The twelve ---------------------------------------------------------------- */

const RING = 6;
const LOCK = "--set mindelay=1 --set delaystep=0 --set predict=0";
const WINDOW = 4;
const BULLIES = 8;
const CHOSEN = 3;
const SEEDED = { nodes: 3, k: 5 };
const CHANCE = { over: 20 };
const SLOW = { nodes: 8, low: 1000, high: 2000 };

const lockWith = (window: number, bounds: string): string =>
  `archimedean -n 2 --bounds ${bounds} --set window=${window} ${LOCK}`;

export const EXERCISES: Exercise[] = [
  exercise({
    key: "names", said: words.names, shape: "names", minutes: 10,
    words: split(`sim chang-roberts -n ${RING}`),
    task: async () => words.names.task({ nodes: RING }),
    async mark(answer, engine) {
      const run = split(`sim chang-roberts --names ${answer}`);
      const listed = answer.split(",");
      const got = (await sim(engine, `chang-roberts -n ${RING} --names ${answer}`)).messages.max as number;
      const most = (await sim(engine, `chang-roberts -n ${RING} --names all`)).messages.max as number;
      const f = { got, most };
      return got >= most && listed.length === RING ? yes(words.names.good(f), run) : no(words.names.bad(f), run);
    },
  }),
  exercise({
    key: "least", said: words.least, shape: "names", minutes: 10,
    words: split(`sim vitanyi -n ${SLOW.nodes} --names asc`),
    task: async () => words.least.task(SLOW),
    async mark(answer, engine) {
      const run = split(`sim vitanyi --names ${answer}`);
      const report = await sim(engine, `vitanyi -n ${SLOW.nodes} --names ${answer}`);
      const got = report.end.max as number;
      const good = got >= SLOW.low && got <= SLOW.high;
      return good ? yes(words.least.good({ got, least: report.letters.l as number }), run)
        : no(words.least.bad({ ...SLOW, got }), run);
    },
  }),
  playing("inside", 15, `archimedean -n 2 --bounds 1:1:0:1 --set rules=printed ${LOCK}`, "exclusion"),
  exercise({
    key: "window", said: words.window, shape: "number", minutes: 15,
    words: split(`check ${lockWith(1, "1:1:0:1")}`),
    task: async () => words.window.task({ bounds: "--bounds 1:1:0:1" }),
    async mark(answer, engine) {
      const w = Number(answer);
      const got = await check(engine, lockWith(w, "1:1:0:1"));
      const run = split(`check ${lockWith(w, "1:1:0:1")}`);
      if (got.verdict !== "holds") return no(words.window.unsafe({ w, steps: got.steps }), run);
      if (w > 1 && (await check(engine, lockWith(w - 1, "1:1:0:1"))).verdict === "holds")
        return no(words.window.long({ w }));
      return yes(words.window.good({ w }));
    },
  }),
  exercise({
    key: "bounds", said: words.bounds, shape: "bounds", minutes: 10,
    words: split(`check ${lockWith(WINDOW, "1:1:0:1")}`),
    task: async () => words.bounds.task({ window: WINDOW }),
    async mark(answer, engine) {
      const [rmin, rmax, dmin, d] = answer.split(":").map(Number) as [number, number, number, number];
      if (rmin !== 1 || rmax !== 1 || dmin !== 0) return no(words.bounds.other);
      const got = await check(engine, lockWith(WINDOW, answer));
      const run = split(`check ${lockWith(WINDOW, answer)}`);
      if (got.verdict !== "holds") return no(words.bounds.unsafe({ d, steps: got.steps }), run);
      if ((await check(engine, lockWith(WINDOW, `1:1:0:${d + 1}`))).verdict === "holds")
        return no(words.bounds.more({ d }));
      return yes(words.bounds.good({ d }));
    },
  }),
  playing("overtake", 15, "lelann -n 3 --links any", "one-leader"),
  exercise({
    key: "deadlock", said: words.deadlock, shape: "number", minutes: 15,
    words: split("check maekawa -n 3 --set rules=printed"),
    task: async () => words.deadlock.task(),
    async mark(answer, engine) {
      const n = Number(answer);
      const line = (k: number): string => `maekawa -n ${k} --set rules=printed`;
      /* From below: what is asked never takes longer than the answer. */
      for (let k = 2; k < n; k++)
        if ((await check(engine, line(k))).verdict !== "holds") return no(words.deadlock.fewer({ n, k }), split(`check ${line(k)}`));
      const got = await check(engine, line(n));
      if (got.verdict === "holds") return no(words.deadlock.safe({ n, states: got.states }));
      return yes(words.deadlock.good({ n, steps: got.steps }), split(`check ${line(n)}`));
    },
  }),
  exercise({
    key: "crashes", said: words.crashes, shape: "faults", minutes: 10,
    words: split(`sim bully -n ${BULLIES} --wake 1@0`),
    task: async () => words.crashes.task({ nodes: BULLIES, most: BULLIES - CHOSEN }),
    async mark(answer, engine) {
      const faults = answer.split("\n").flatMap((l) => ["--fault", l.trim()]);
      const run = [...split(`sim bully -n ${BULLIES} --wake 1@0`), ...faults];
      const report = await sim(engine, `bully -n ${BULLIES} --wake 1@0`, faults);
      const crashes = report.faults.crashes as number;
      const most = BULLIES - CHOSEN;
      if (report.leader === null) return no(words.crashes.nobody, run);
      if (report.leader !== CHOSEN) return no(words.crashes.bad({ leader: String(report.leader) }), run);
      if (crashes > most) return no(words.crashes.many({ crashes, most }), run);
      return yes(words.crashes.good({ crashes }), run);
    },
  }),
  exercise({
    key: "seed", said: words.seed, shape: "number", minutes: 10,
    words: split(`sim spirakis-tampakas -n ${SEEDED.nodes} --set k=${SEEDED.k} --seed 1`),
    task: async () => words.seed.task(SEEDED),
    async mark(answer, engine) {
      const seed = Number(answer);
      const line = `spirakis-tampakas -n ${SEEDED.nodes} --set k=${SEEDED.k} --seed ${seed}`;
      const report = await sim(engine, line);
      const two = (report.violations as { property: string }[]).some((v) => v.property === "one-leader");
      return two ? yes(words.seed.good({ seed }), split(`sim ${line}`)) : no(words.seed.bad({ seed }), split(`sim ${line}`));
    },
  }),
  exercise({
    key: "coins", said: words.coins, shape: "number", minutes: 20,
    words: split("sim spirakis-tampakas -n 2 --set k=1 --seed 1"),
    task: async () => words.coins.task({ below: `1/${CHANCE.over}` }),
    async mark(answer, engine) {
      const k = Number(answer);
      const worst = async (coins: number): Promise<string> => String((await check(engine,
        `spirakis-tampakas -n 2 --time sync --set k=${coins} --only one-leader --worst`)).worst.exact);
      /* The fraction is exact: compare it as one. */
      const below = (fraction: string): boolean => {
        const [over, under] = fraction.split("/").map(BigInt) as [bigint, bigint];
        return over * BigInt(CHANCE.over) < under;
      };
      const chance = await worst(k);
      if (!below(chance)) return no(words.coins.high({ k, chance }));
      const before = k > 1 ? await worst(k - 1) : "1/1";
      return below(before) ? no(words.coins.more({ k, before })) : yes(words.coins.good({ k, chance, before }));
    },
  }),
  playing("torn", 20, "rw-optimistic -n 2 --time sync --entries 2 --set words=2 --set writes=asked --set order=swapped",
    "no-torn-read"),
  playing("late", 20, `archimedean -n 2 --bounds 1:1:0:1 --late 1 --set window=2 ${LOCK}`, "exclusion"),
];
