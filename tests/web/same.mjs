/*
 * same.mjs - the module of the page beside the command: the same results, the
 * same complaints, the same traces, the same verdicts.
 *
 *   node tests/web/same.mjs build/web/page build/fulcrum
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { done, ok } from "./browser.mjs";
import { localEngine } from "./bundle.mjs";

const [folder, program] = process.argv.slice(2);
const engine = await localEngine(folder);
const protocols = await engine.protocols();

const native = (words) => {
  const r = spawnSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  return { code: r.status, out: r.stdout, err: r.stderr };
};

/* What a clock says, or depends on the machine, is left out. */
const MACHINE = ["cpu_s", "events_per_s", "bytes_per_node", "engine", "seconds", "wall_seconds", "states_per_s", "bytes", "bytes_per_state", "threads"];
const plain = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), (key, value) => (MACHINE.includes(key) ? undefined : value));
  } catch {
    return text;
  }
};

/* The first difference between the command and the page, or "". */
async function differs(words) {
  const here = await engine.command(words);
  const there = native(words);

  for (const [what, a, b] of [["exit", here.code, there.code], ["out", plain(here.out), plain(there.out)], ["err", here.err, there.err]])
    if (a !== b) return `${words.join(" ")}: ${what}\n  page:    ${String(a).slice(0, 400)}\n  command: ${String(b).slice(0, 400)}`;
  return "";
}

/* All of them, and what the first that differs says. */
async function all(name, commands) {
  let first = "";

  for (const words of commands) first ||= await differs(words);
  ok(first === "", `${name}: ${commands.length} commands`, first);
}

/* ---- Runs ------------------------------------------------------------------ */

const TIMES = [
  ["--time", "sync"],
  ["--time", "archimedean", "--bounds", "1:2:0:4"],
  ["--time", "async"],
  ["--time", "archimedean", "--bounds", "2:3:1:4", "--clock", "drift"],
];
const FAULTS = [[], ["--fault", "loss 0.1", "--fault", "duplicate 0.1", "--fault", "crashes 1", "--fault", "late 0.1:9"]];

for (const p of protocols) {
  const size = ["-n", "4", "--until", "3000", ...(p.repeats ? ["--entries", "3"] : [])];
  const commands = TIMES.flatMap((time) =>
    FAULTS.map((faults, i) => ["sim", p.name, ...size, ...time, ...faults, "--seed", String(7 + i), "--json", "--hash"]));

  await all(`${p.name}: every time, with and without faults, by the hash of the trace`, commands);
}

/* ---- Verdicts -------------------------------------------------------------- */

for (const p of protocols)
  await all(`${p.name}: the checker`, [["check", p.name, "-n", "2", "--states", "20000", "--json"], ["check", p.name, "-n", "3", "--states", "3000", "--json"]]);

/* ---- What people read, and complaints --------------------------------------- */

await all("help and lists", [["help"], ["list"], ["sim", "--help"], ["check", "--help"], ["draw", "--help"], ["version"], ...protocols.map((p) => ["list", p.name])]
  .filter(([verb]) => verb !== "help"));
await all("complaints", [
  ["sim", "vitany"], ["sim"], ["sim", "vitanyi", "-n", "x"], ["sim", "vitanyi", "-n", "0"], ["sim", "vitanyi", "--bounds", "3:1:0:0"],
  ["sim", "bully", "--fault", "loss:0.1"], ["sim", "vitanyi", "--set", "f=exp"], ["sim", "vitanyi", "--set", "g=1"], ["sim", "vitanyi", "--names", "1,1"],
  ["check", "vitanyi", "-n", "99"], ["check", "bully", "--crashes", "-1"], ["sim", "--replay", "nowhere"], ["sim", "vitanyi", "--sed", "4"],
  ["sim", "vitanyi", "--runs"], ["simm"], ["vitanyi"], ["sim", "vitanyi", "--seed=9999999999999999999999"], ["draw", "nowhere"],
  ["sim", "archimedean", "--think", "exp:0.5"], ["sim", "archimedean", "--shared", "1.5"],
]);
await all("statistics", [
  ["sim", "chang-roberts", "-n", "9", "--runs", "50", "--json"], ["sim", "itai-rodeh", "-n", "5", "--runs", "40", "--json"],
  ["sim", "archimedean", "-n", "4", "--entries", "20", "--think", "exp:30", "--runs", "5", "--json"],
  ["sim", "vitanyi", "-n", "5", "--names", "all", "--json"], ["sim", "ricart-agrawala", "-n", "4", "--value", "w=entry:enter-want", "--json"],
  ["check", "itai-rodeh", "-n", "2", "--worst", "--json"], ["check", "vitanyi", "-n", "3", "--max", "messages", "--json"],
]);

/* What does not fit into a page is refused, not cut. */
for (const words of [["sim", "vitanyi", "-n", "100000000"], ["sim", "chang-roberts", "-n", "60000000", "--bounds", "1:2:0:3"]]) {
  const { code, err } = await engine.command(words);
  ok(code === 3 && /need about .* GB, and 0.5 are free; take fewer/.test(err), `${words.join(" ")} is refused`, err);
}

/* ---- Recordings ------------------------------------------------------------ */

/* Made by pieces and straight into columns, or read from the text of a trace:
 * the same columns, and the same states of the nodes. */
const sameArrays = (a, b) => Object.keys(a).every((key) =>
  ArrayBuffer.isView(a[key]) ? Buffer.from(a[key].buffer, a[key].byteOffset, a[key].byteLength).equals(Buffer.from(b[key].buffer, b[key].byteOffset, b[key].byteLength)) : a[key] === b[key]);

const scratch = mkdtempSync(path.join(os.tmpdir(), "fulcrum-same-"));
for (const p of protocols) {
  const words = ["sim", p.name, "-n", "4", "--until", "2000", "--time", "archimedean", "--bounds", "1:2:0:4", "--fault", "crashes 1", "--fault", "duplicate 0.1", "--seed", "5", ...(p.repeats ? ["--entries", "3"] : [])];
  const file = path.join(scratch, p.name);
  const there = native([...words, "--trace", file]);
  const made = await engine.record(words);
  const read = await engine.load(p.name, readFileSync(file));
  const count = made.recording.events.count;
  const events = [0, count >> 1, count - 1, count >> 2];
  let states = true;

  for (const event of events) states &&= (await engine.hash(made.run, event)) === (await engine.hash(read.run, event));
  ok(there.code <= 1 && count > 0 && sameArrays(made.recording.events, read.recording.events) && sameArrays(made.recording.messages, read.recording.messages)
    && JSON.stringify([made.recording.violations, made.recording.faults, made.recording.timers, made.recording.choices]) === JSON.stringify([read.recording.violations, read.recording.faults, read.recording.timers, read.recording.choices]),
  `${p.name}: columns of a run are those of its trace`);
  ok(plain(JSON.stringify(made.report)) === plain(native([...words, "--json"]).out), `${p.name}: the report of a run is that of the command`);
  ok(states, `${p.name}: states found again are those of the replay, forth and back`);
  await engine.forget(made.run);
  await engine.forget(read.run);
}

/* A module takes memory in pieces, and with each the buffer that JavaScript sees is
 * another one.  Here it takes a piece in every call. */
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...given) {
  const { exports } = new Instance(...given);
  const grows = (call) => (...values) => {
    const result = call(...values);
    exports.memory.grow(1);
    return result;
  };
  return { exports: Object.fromEntries(Object.entries(exports).map(([name, it]) => [name, typeof it === "function" ? grows(it) : it])) };
};
try {
  const words = ["sim", "lamport", "-n", "3", "--entries", "2"];
  const growing = await localEngine(folder);
  const [a, b] = [await engine.record(words), await growing.record(words)];
  const loaded = await growing.load("lamport", readFileSync(path.join(scratch, "lamport")));
  ok(sameArrays(a.recording.events, b.recording.events) && (await engine.hash(a.run, 5)) === (await growing.hash(b.run, 5))
    && (await growing.command(words)).out === (await engine.command(words)).out && loaded.recording.events.count > 0,
  "memory may grow in any call of the module");
} catch (e) {
  ok(false, "memory may grow in any call of the module", e);
}
WebAssembly.Instance = Instance;
rmSync(scratch, { recursive: true });
await done();
