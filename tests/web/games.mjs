/*
 * games.mjs - the rooms of the page: tour, comparison, break it, adversary,
 * course, and one figure alone.
 *
 *   node tests/web/games.mjs build/web/page
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { browse, comes, done, note, ok, ready, same, serve } from "./browser.mjs";
import { localEngine, parts } from "./bundle.mjs";
import { keyboard } from "./keyboard.mjs";

const folder = process.argv[2] ?? "build/web/page";
const engine = await localEngine(folder);
const { SCENES, Game, checkWordsOf, indexNow, slips, read, mark, part, handIn } = await parts(
  "tour/scenes.ts", "course/exercises.ts", "adversary/game.ts", "adversary/start.ts", "model/judged.ts");

/* ---- Scenes: every number is there ----------------------------------------- */

for (const scene of SCENES) {
  const told = async (words) => {
    const { recording, report } = await engine.record(words);
    return { recording, report };
  };
  const a = await told(scene.words);
  const t = scene.tell(a, scene.beside ? await told(scene.beside) : null);
  const text = `${t.title} ${t.text}`;
  ok(!/NaN|undefined|∞|null/.test(text) && t.event >= 0 && t.event < a.recording.events.count,
    `scene ${scene.key} tells what the engine computed`, text);
  same(a.recording.violations.length, scene.key === "stale" ? 1 : 0, `scene ${scene.key} breaks what it says it breaks`);
}

/* ---- Exercises: solved and failed ------------------------------------------- */

const right = {
  counterexample: { property: "everyone-told", at: "3", step: "8" }, names: { names: "1 2 3 4 5 6" },
  least: { names: "8,9,10,11,12,13,14,20" }, fit: { a: "1.58", b: "1,0", c: "4.54" }, window: { window: "2" },
  bounds: { dmax: "1:1:0:2" }, deadlock: { sites: "4" }, crashes: { faults: "crash 4,5@0\ncrash 6@0\nCrash 7,8 at 0" },
  "which-lock": { alone: "naimi_trehel", together: "token-mutex" }, seed: { which: "16" }, coins: { k: "5", chance: "10/256" },
};
const wrong = {
  counterexample: ["property=ends"], names: ["names=6,5,4,3,2,1", "names=1,2,3", "names="], least: ["names=1,2,3,4,5,6,7,20"],
  fit: ["c=9"], window: ["window=1", "window=3", "window=-1", "window=1000000"], bounds: ["dmax=1:1:0:1", "dmax=1:1:0:3", "dmax=1:2:0:2"],
  deadlock: ["sites=3", "sites=9"], crashes: ["faults=crash 8@0", "faults=loss 1"], "which-lock": ["alone=lamport"],
  seed: ["which=1"], coins: ["k=4", "chance=1/2"],
};

async function shortest(words) {
  const game = await Game.open(engine, words);
  while (await game.explore(5000)) await game.refresh();
  await game.refresh();
  await game.minimal();
  const steps = game.path();
  await game.close();
  return steps;
}

const nobody = { id: "", name: "", term: "" };
const EXERCISES = [];
for (const name of readdirSync("docs/exercises").filter((f) => f.endsWith(".exercise")))
  EXERCISES.push(await read(engine, { name, text: readFileSync(`docs/exercises/${name}`, "utf8") }, nobody));
EXERCISES.sort((a, b) => a.task.number - b.task.number);
same(EXERCISES.map((x) => x.task.number).join(), EXERCISES.map((_, i) => i + 1).join(), "exercises have one numbering");

const answers = [];
for (const x of EXERCISES.filter((e) => !e.task.source)) {
  const { key, game } = x.task;
  const labels = game ? (await shortest(game)).map((s) => s.label) : null;
  const values = labels ? { moves: labels.join("; ") } : right[key];
  const good = await mark(engine, x, nobody, values);
  ok(good.solved && good.points === good.of, `exercise ${key} can be solved`, JSON.stringify(good));
  answers.push(part(x.task, values, 0));
  for (const slip of labels ? [`moves=${labels.slice(0, -1).join("; ")}`, "moves=99", "moves="] : wrong[key]) {
    const [name, value] = slip.split("=");
    const miss = await mark(engine, x, nobody, { ...values, [name]: value });
    const says = miss.refused + miss.rules.map((r) => r.says).join();
    ok(!miss.solved && says.length > 10, `exercise ${key} is not solved by "${slip.slice(0, 24)}"`, says);
  }
  /* Long ways round are turned away where time may pass at the beginning. */
  if (key === "inside") {
    const late = await mark(engine, x, nobody, { moves: [...Array(5).fill("time passes"), ...labels].join("; ") });
    ok(!late.solved && late.points === 3 && late.rules.some((r) => /took/.test(r.says)), "too many moves cost the point for few", JSON.stringify(late));
  }
}

/* What the page saves is what the command marks, as the page did; and it is one
 * student's. */
{
  const graded = (text) => {
    const file = path.join(os.tmpdir(), `fulcrum-answers-${process.pid}.txt`);
    writeFileSync(file, text);
    try {
      return JSON.parse(execFileSync(path.join(folder, "../../fulcrum"), ["grade", "--json", file], { encoding: "utf8" })).hand_ins;
    } catch (e) {
      return JSON.parse(e.stdout).hand_ins;
    }
  };
  const all = graded(handIn(nobody, "", answers));
  same(all.filter((m) => m.solved).length, answers.length, "the file that the page saves is marked by the command, all solved");
  const ada = { id: "ada", name: "Ada Lovelace", term: "" };
  const x = await read(engine, EXERCISES.find((e) => e.task.key === "names").file, ada);
  const own = x.task.task.match(/\d+(,\d+)+/)[0].split(",").map(Number).sort((a, b) => a - b).join();
  const file = handIn(ada, x.task.seed, [part(x.task, { names: own }, 1)]);
  const [m] = graded(file);
  ok(m.solved && m.name === "Ada Lovelace" && m.hints === 1 && (await mark(engine, x, ada, { names: own })).solved,
    "with name and seed, in page and command", JSON.stringify(m));
  ok(/is not that of student/.test(graded(file.replace("= ada", "= bob"))[0].refused), "under another's ID it is refused");
}

/* ---- Distances: the start of each violated row, and hints that get there ------ */

const SMALL = 30000; /* states; the rest takes minutes */
const rows = execFileSync("bash", ["-c", ". tests/protocols.sh; facts violated | grep -v equal:"], { encoding: "utf8" }).trim().split("\n")
  .map((l) => [l.split(" ")[0], ...l.slice(l.indexOf(" -") + 1).split(" ")]);
let fitting = 0;
const endless = [];
for (const row of rows) {
  const answer = await engine.command(["check", ...row, "--json", "--states", String(SMALL)]);
  if (answer.code !== 1) continue;
  const told = JSON.parse(answer.out);
  if (told.states > SMALL) continue;
  const game = await Game.open(engine, ["check", ...row]);
  while (game.known === null || game.known.states < 4 * SMALL) if (!(await game.explore(5000))) break;
  const outlooks = await game.beginnings(1e9);
  const near = outlooks.map((o) => (o.kind === "exactly" || o.kind === "at-most" || o.kind === "endless" ? o.moves : Infinity));
  const least = Math.min(...near), first = near.indexOf(least);
  await game.begin(Math.max(0, first));
  for (let i = 0; i < 200 && !game.violated() && !game.endless(); i++) {
    const hint = await game.hint();
    if (!hint) break;
    await game.play(hint.move.index);
  }
  const bad = game.violated();
  fitting++;
  if (outlooks[first]?.kind === "endless") {
    /* The checker goes on until the run is back where it was. */
    endless.push(row.join(" "));
    if (least > told.steps || !game.endless() || game.now.moves.length === 0)
      ok(false, `hints reach the run without end of check ${row.join(" ")}`, `${told.steps} steps, distance ${least}`);
  } else if (least !== told.steps || bad?.after !== least)
    ok(false, `hints reach the violation of check ${row.join(" ")}`, `${told.steps} steps, distance ${least}, played ${bad?.after}`);
  await game.close();
}
ok(fitting >= 25, "hints reach every violation of the table that fits, as short as the checker's run");
ok(endless.length > 0, "and the runs without end");
note(`${fitting} rows of ${rows.length} fit and are reached; ${endless.length} of them are runs without end`);

/* ---- How long it takes ------------------------------------------------------------ */

/* Processor time of this process: other work on the machine does not count. */
async function cpu(what) {
  const before = process.cpuUsage();
  await what();
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) / 1000;
}

{
  const game = await Game.open(engine, "check ricart-agrawala -n 3 --entries 3 --links any".split(" "));
  const explored = await cpu(async () => {
    while ((game.known?.states ?? 0) < 100000 && (await game.explore(5000)));
    await game.refresh();
  });
  const looked = (await cpu(async () => { for (let i = 0; i < 100; i++) await engine.look(game.game, i); })) / 100;
  note(`${game.known.states} states with all distances in ${Math.round(explored)} ms of CPU (aim 1000), enabled moves of a state in ${looked.toFixed(2)} ms (aim 5)`);
  ok(explored < 5000 && looked < 25, "a hundred thousand states and their distances take seconds at most, moves some milliseconds");
  await game.close();
}

/* ---- Rules, letters, bounds ---------------------------------------------------- */

{
  const sentences = JSON.parse(await readFile(`${folder}/rules.json`, "utf8"));
  const labelsOf = (r) => [...r.events.rules].map((k) => (k ? r.head.rules[k - 1] : ""));
  const wrong = [];
  for (const p of await engine.protocols()) {
    const few = p.repeats ? ["--entries", "2"] : [];
    const bounds = p.name === "token-ring" ? "1:1:1:3" : "2:5:1:4";
    const made = await engine.record(["sim", p.name, "-n", "4", "--bounds", bounds, "--until", "2000", ...few]);
    const read = await engine.load("run.trace", new TextEncoder().encode(await engine.trace(made.run)));
    const labels = labelsOf(made.recording), cited = new Set(labels.join(" ").split(" ").filter(Boolean));
    if (labels.join() !== labelsOf(read.recording).join()) wrong.push(`${p.name}: other rules when it is replayed`);
    if (cited.size === 0) wrong.push(`${p.name}: no rule is cited`);
    for (const l of cited) if (!(sentences[l] ?? sentences[l.replace(/\.\d+$/, "")])) wrong.push(`${p.name}: ${l} has no sentence`);
    const broken = slips(indexNow(read.recording));
    if (broken.length > 0) wrong.push(`${p.name}: ${JSON.stringify(broken[0])} is within its bounds`);
    await engine.forget(made.run);
    await engine.forget(read.run);
  }
  same(wrong, [], "each protocol says by which rules of its page it goes, made and replayed; its steps keep their bounds");

  /* A machine that is slower or faster than it says: other bounds in the head. */
  const { run } = await engine.record("sim chang-roberts -n 5 --bounds 1:6:0:2 --seed 3".split(" "));
  const trace = await engine.trace(run);
  for (const [bounds, slow] of [["1:3:0:2", true], ["6:9:0:2", false]]) {
    const { recording } = await engine.load("live.trace", new TextEncoder().encode(trace.replace("bounds 1:6:0:2", `bounds ${bounds}`)));
    const found = slips(indexNow(recording));
    ok(found.length > 0 && found.every((s) => s.slow === slow), `steps that are ${slow ? "longer than rmax" : "shorter than rmin"} are found in a trace`, JSON.stringify(found));
  }
}

/* ---- Every protocol has a game -------------------------------------------------- */

const refused = [];
for (const p of await engine.protocols()) {
  try {
    const game = await Game.open(engine, checkWordsOf(["sim", p.name]));
    await game.play(0);
    await game.undo();
    if (game.at !== game.root || !game.canRedo) refused.push(`${p.name}: undo`);
    await game.redo();
    await engine.load("run.trace", new TextEncoder().encode((await game.played()).trace));
    await game.close();
  } catch (e) {
    refused.push(`${p.name}: ${e.message}`);
  }
}
same(refused, [], "every protocol can be played");

/* ---- On the page ------------------------------------------------------------------ */

const site = await serve(folder);
const browser = await browse();
const axe = await readFile("web/page/node_modules/axe-core/axe.min.js", "utf8");

async function serious(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run()).violations
    .filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`));
  same(found, [], `axe finds nothing serious ${where}`);
}

const state = (page, what) => page.evaluate(`(() => { const s = window.fulcrum.get(); return ${what}; })()`);

/* A page with this policy lets nobody evaluate a text, so the test does the waiting.
 * What it waits for is also shown then. */
async function until(page, what) {
  for (let i = 0; i < 600; i++) {
    if (await state(page, what)) return page.evaluate(() => window.fulcrum.flush());
    await page.waitForTimeout(100);
  }
  throw new Error(`never: ${what}`);
}

const room = (page, name) => page.locator(`#head [data-mode="${name}"]`).click();

async function tour(page) {
  const titles = new Set();
  for (let i = 1; i <= SCENES.length; i++) {
    await page.keyboard.press(String(i));
    await until(page, `s.extra.scene === "${i}" && s.busy === "" && document.querySelector(".telling .quiet") !== null`);
    titles.add(await state(page, "s.shown.title"));
    const beside = await state(page, "s.beside !== null");
    if (beside !== (SCENES[i - 1].beside !== null)) ok(false, `scene ${i} has its comparison`);
  }
  same(titles.size, SCENES.length, "the keys 1 to 8 show eight scenes, each with its finding");
  await page.keyboard.press("p");
  await until(page, `s.extra.scene === "7"`);
  await page.keyboard.press("n");
  await until(page, `s.extra.scene === "8" && document.querySelector(".telling .quiet") !== null`);
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "lelann", "-n", "5"]));
  await page.locator(".changed button").click();
  await until(page, `s.words[1] === "rw-optimistic" && s.beside !== null && document.querySelector(".changed") === null`);
  ok(true, "a scene that was changed has a way back");
  await serious(page, "in the tour");
  await page.locator(".away").click();
  await until(page, `s.mode === "stage" && s.beside === null`);
  ok(await page.locator("#tour").isHidden(), "the tour can be left");
}

async function comparison(page) {
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "vitanyi", "-n", "8", "--seed", "5"]));
  await page.keyboard.press("c");
  await until(page, "s.beside !== null");
  await page.selectOption("#compare-with", { label: "chang-roberts" });
  await until(page, `s.beside?.run.rec.head.protocol === "chang-roberts"`);
  same(await state(page, "[s.beside.run.rec.head.seed, String(s.beside.run.rec.head.names)]"),
    await state(page, "[5, String(s.shown.run.rec.head.names)]"), "a comparison has the same seed and the same names");
  const [a, b] = await state(page, "[s.shown.report.messages.mean, s.beside.report.messages.mean]");
  const row = await page.locator(".differences tbody tr").first().innerText();
  ok(row.includes(String(a)) && row.includes(String(b)) && row.includes(String(Math.abs(a - b))), "it says the difference in messages", row);
  await page.fill("#compare-line", "sim no-such-thing");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".complaint")?.textContent !== "");
  ok(/no-such-thing/.test(await page.locator(".complaint").innerText()), "a second command that is refused says why", await page.locator(".complaint").innerText());
  await page.selectOption("#compare-with", { label: "first-wait=f" });
  await until(page, `/first-wait=f/.test(s.beside?.run.rec.head.set) && /first-wait=f/.test(location.hash) && s.busy === ""`);
  ok(true, "two sets of rules are compared");
  const other = await browser.open(page.url(), {}); /* a profile that knows nothing */
  await until(other, "s.beside !== null");
  same(await state(other, "[s.mode, s.words.join(), s.beside.run.rec.head.set]"), await state(page, "[s.mode, s.words.join(), s.beside.run.rec.head.set]"), "an address brings a comparison back");
  await browser.close(other);
  await serious(page, "in a comparison");
  await page.locator("#room button").last().click();
  await until(page, `s.mode === "stage" && s.beside === null`);
}

async function breaking(page) {
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "chang-roberts", "--names", "3,1,2"]));
  await page.keyboard.press("b");
  await page.locator("[data-break=crash]").click();
  await page.selectOption("#break-node", { label: "1" });
  await page.fill("#break-tick", "2");
  const id = await state(page, "s.shown.id");
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "chang-roberts", "--names", "3,1,2"]));
  await comes(page, (before) => window.fulcrum.get().shown.id !== before && window.fulcrum.get().busy === "", id);
  same(await page.evaluate(() => [document.querySelector("#break-node").value, document.querySelector("#break-tick").value, document.activeElement.id]),
    ["1", "2", "break-tick"], "a form that is being filled in stays so when the run is made anew");
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "chang-roberts", "--names", "3,1,2,4"]));
  await comes(page, () => document.querySelectorAll("#break-node option").length === 4);
  ok(true, "and offers the nodes of another run");
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "chang-roberts", "--names", "3,1,2"]));
  await comes(page, () => document.querySelectorAll("#break-node option").length === 3);
  await page.selectOption("#break-node", { label: "1" });
  await page.fill("#break-tick", "2");
  await page.locator(".break-form [type=submit]").click();
  await until(page, `s.words.includes("crash 1@2") && s.busy === "" && s.shown.run.rec.violations.length > 0`);
  await page.waitForSelector("#break-again");
  const command = await page.inputValue("#break-again");
  ok(command.startsWith("fulcrum sim chang-roberts") && command.includes("crash 1@2"), "a violation carries the command that shows it again", command);
  const again = await engine.command(["sim", "chang-roberts", "--names", "3,1,2", "--fault", "crash 1@2"]);
  same(again.code, 1, "and that command shows it");
  await serious(page, "where things are broken");
  await page.locator(".faults button").first().click();
  await until(page, `!s.words.includes("crash 1@2") && s.busy === "" && s.shown.run.rec.violations.length === 0`);
  ok(true, "what is broken can be mended");
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "vitanyi", "-n", "6", "--bounds", "2:3:1:4", "--seed", "2"]));
  await until(page, `s.words.includes("2:3:1:4") && s.busy === ""`);
  await page.evaluate(() => window.fulcrum.act.selectMessage(4));
  await page.locator("[data-break=late]").click();
  await until(page, `s.words.some((w) => w.startsWith("delay ")) && s.busy === ""`);
  ok((await state(page, "s.shown.report.faults.late")) === 1, "one message is late, and no other", JSON.stringify(await state(page, "s.words")));
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "vitanyi", "-n", "6", "--seed", "2"]));
  await until(page, `s.words.length === 6 && s.busy === ""`);
  await page.evaluate(() => window.fulcrum.act.selectMessage(3));
  await page.locator("[data-break=lose]").click();
  await until(page, `s.words.some((w) => w.startsWith("lose ")) && s.busy === ""`);
  ok((await state(page, "s.shown.report.faults.lost === 1 && s.shown.run.rec.messages.arrives[3] === Infinity")), "one message is lost, and no other");
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "ricart-agrawala", "-n", "3", "--entries", "1", "--bounds", "1:1:1:3"]));
  await until(page, `s.words.includes("1:1:1:3") && s.busy === ""`);
  await ready(page);
  const head = await page.evaluate(() => {
    const { marks } = window.fulcrum.scene();
    const m = marks.find((x) => x.is === "message" && x.u1 > x.u0 + 8);
    const box = document.querySelector(".spacetime .scene").getBoundingClientRect();
    return { x: box.left + m.u1, y: box.top + m.v1, message: m.message };
  });
  await page.mouse.move(head.x, head.y);
  await page.mouse.down();
  await page.mouse.move(head.x + 120, head.y, { steps: 4 });
  await page.mouse.move(head.x + 260, head.y, { steps: 4 });
  await page.mouse.up();
  await until(page, `s.words.some((w) => w.startsWith("delay ")) && s.busy === ""`);
  const late = await state(page, `(() => { const r = s.shown.run.rec; let n = 0;
    for (let m = 0; m < r.messages.count; m++) if (r.messages.arrives[m] - r.events.tick[r.messages.by[m]] > 3) n++;
    return n; })()`);
  ok(late >= 1, "an arrow dragged past dmax becomes a late message", JSON.stringify(await state(page, "s.words")));
  for (const [kind, word] of [["pause", "pause "], ["cut", "cut "]]) {
    await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "ricart-agrawala", "-n", "3", "--entries", "1"]));
    await page.locator(`[data-break=${kind}]`).click();
    await page.fill("#break-tick", "1");
    await page.locator(".break-form [type=submit]").click();
    await until(page, `s.words.some((w) => w.startsWith("${word}")) && s.busy === "" && s.shown.run.rec.faults.some((f) => f.kind === "${kind}")`);
  }
  for (const [kind, word] of [["copy", "duplicate "], ["order", "reorder"]]) {
    await page.locator(`[data-break=${kind}]`).click();
    await until(page, `s.words.some((w) => w.startsWith("${word}")) && s.busy === ""`);
  }
  ok(true, "nodes are paused and cut off, messages delivered twice and out of order");
  await page.evaluate(() => window.fulcrum.act.runCommand(["sim", "maekawa", "-n", "4"]));
  await page.locator("[data-break=printed]").click();
  await until(page, `s.words.includes("rules=printed") && s.busy === ""`);
  ok(true, "the printed rules can be swapped in");
  await page.keyboard.press("b");
  await until(page, `s.mode === "stage"`);
}

const PRINTED = "check archimedean -n 2 --bounds 1:1:0:1 --set rules=printed --set mindelay=1 --set delaystep=0 --set predict=0";

async function adversary(page) {
  await room(page, "adversary");
  await page.waitForSelector(".move");
  await page.fill("#game-line", PRINTED);
  await page.locator("#game-line").press("Enter");
  await page.waitForFunction(() => /13 moves/.test(document.querySelector(".here").textContent));
  ok(true, "the start says how many moves a violation is away");
  const badges = await page.locator(".move .ol").allInnerTexts();
  ok(badges.includes("safe") && badges.some((t) => /12 moves/.test(t)), "each move says what is reachable behind it", badges.join(" | "));
  await page.locator(".move").nth(0).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("ol.path > li").length === 1);
  await page.keyboard.press("u");
  await page.waitForFunction(() => document.querySelectorAll("ol.path .step[aria-current]").length === 0);
  await page.locator(".move").nth(0).click();
  await page.waitForFunction(() => /safe/.test(document.querySelector(".here").textContent));
  await page.keyboard.press("u");
  await page.waitForFunction(() => /13 moves/.test(document.querySelector(".here").textContent));
  same(await page.locator("#room .stack ul.path li").count(), 2, "undo keeps both branches, to go on with");
  await page.keyboard.press("r");
  await page.waitForFunction(() => /safe/.test(document.querySelector(".here").textContent));
  ok(true, "redo goes where one was last");
  await page.keyboard.press("u");
  await page.waitForFunction(() => /13 moves/.test(document.querySelector(".here").textContent));
  ok((await page.locator("#tour svg.near .ns").count()) > 3 && (await page.locator("#tour svg.near .nl").count()) > 1,
    "the states near by are drawn, with their moves");
  for (let i = 0; i < 30 && !(await page.locator(".here.bad").count()); i++) {
    const steps = await page.locator("ol.path > li").count();
    await page.getByRole("button", { name: "Hint", exact: true }).click();
    await page.waitForSelector(".move.hinted");
    await page.locator(".move.hinted").click();
    await page.waitForFunction((n) => document.querySelectorAll("ol.path > li").length > n || document.querySelector(".here.bad"), steps);
    await page.waitForTimeout(50);
  }
  ok(/exclusion is violated after 13 moves/.test(await page.locator(".here").innerText()), "hints lead to the violation");
  await until(page, `s.shown.run.rec.violations.length === 1`);
  ok(true, "the stage shows the run by hand, with its violation");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as trace" }).click()]);
  const trace = await readFile(await download.path());
  const replayed = await engine.command(["sim", "--replay", "run.trace"], { "run.trace": trace });
  ok(replayed.code <= 1 && !replayed.err, "the run saves as a trace that can be replayed", replayed.err);
  await serious(page, "beside the adversary");
  await page.waitForTimeout(500);
  const address = page.url();
  ok(/mode=adversary/.test(address) && /moves=0\.1/.test(address), "the address holds the game and its moves", address);
  const other = await browser.open(address, {});
  await other.waitForFunction(() => document.querySelector(".here.bad") !== null, null, { timeout: 60000 });
  same(await other.locator("ol.path .step").allTextContents(), await page.locator("ol.path .step").allTextContents(), "an address brings the game back");
  ok(await other.locator("#room").isVisible(), "and its room");
  same(other.faults, [], "without a complaint of the browser");
  await browser.close(other);
  await page.getByRole("button", { name: "From the start" }).click();
  await page.waitForFunction(() => /13 moves/.test(document.querySelector(".here").textContent));
  await page.getByRole("button", { name: "Minimal" }).click();
  await page.waitForSelector(".here.bad");
  ok(true, "minimal plays the shortest way");
  await page.fill("#game-line", "check spirakis-tampakas -n 2 --bounds 1:1:0:1 --set rules=printed --set k=1 --set next-timer-forwards=yes --only ends,elected");
  await page.locator("#game-line").press("Enter");
  await page.waitForFunction(() => /2 moves to a run without end/.test(document.querySelector(".here").textContent));
  await page.getByRole("button", { name: "Minimal" }).click();
  await page.waitForFunction(() => /run without end/.test(document.querySelector(".here.bad")?.textContent ?? ""));
  ok((await page.locator(".move .ol").allInnerTexts()).includes("a run without end"), "a run without end is as far as its beginning, and can be gone on with");
  await page.fill("#game-line", "check lelann -n 99");
  await page.locator("#game-line").press("Enter");
  await page.waitForSelector(".here.complaint");
  ok((await page.locator(".here").innerText()).length > 10, "a game that is refused says why", await page.locator(".here").innerText());
  await room(page, "stage");

  /* A counterexample of the checker: go on at any move. */
  const found = await engine.command([...PRINTED.split(" "), "--trace", "bad.trace"]);
  await page.evaluate((bytes) => window.fulcrum.act.openTrace("bad.trace", new Uint8Array(bytes)), [...found.files["bad.trace"]]);
  await room(page, "adversary");
  await page.waitForSelector(".here.bad");
  const moves = await page.locator("ol.path > li").count();
  await page.locator("ol.path .step").nth(1).click();
  await page.waitForFunction(() => /moves to a violation/.test(document.querySelector(".here").textContent));
  ok(moves >= 8, "from a counterexample one goes on at any move");
  await room(page, "stage");
}

async function course(page) {
  const drop = (name, text) => page.evaluate(([n, t]) => {
    const data = new DataTransfer();
    data.items.add(new File([t], n));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, text]);
  await room(page, "course");
  await page.waitForSelector(".exercise");
  same(await page.locator(".exercise").count(), EXERCISES.length, "the course lists all exercises");
  await page.locator("[data-key=window]").click();
  await page.fill(".answer", "1");
  await page.locator(".answer").press("Enter");
  await page.waitForSelector(".mark.miss p");
  await page.fill(".answer", "2");
  await page.locator(".answer").press("Enter");
  await page.waitForSelector(".mark.held p");
  ok(true, "an answer is marked by the engine, wrong and right");
  await page.waitForFunction(() => window.fulcrum.get().shown?.run.rec.head.protocol === "archimedean");
  ok(true, "the stage shows the exercise's own game");
  await page.getByRole("button", { name: "Hint" }).click();
  same(await page.locator(".hints li").count(), 1, "hints come one by one");
  await serious(page, "in an exercise");
  await page.locator(".back").click();
  await page.locator("[data-key=names]").click();
  await page.fill(".answer", "1,2,3,4,5,6");
  await page.locator(".answer").press("Enter");
  await page.waitForSelector(".mark.held p");
  await page.waitForFunction(() => window.fulcrum.get().words.join(" ") === "sim chang-roberts --names 1,2,3,4,5,6");
  ok(true, "a right answer is what the stage shows then");
  await page.locator(".back").click();
  await page.locator("[data-key=inside]").click();
  await page.getByRole("button", { name: "Play it" }).click();
  await page.waitForSelector(".move");
  same([await page.getByRole("button", { name: "Minimal" }).count(), await page.locator(".move .ol").count(),
    await page.locator("svg.near").count()], [0, 0, 0], "in it nothing solves it with a click");
  await page.getByRole("button", { name: "Back to the exercise" }).click();
  await page.waitForSelector(".task");
  await page.locator(".back").click();
  await page.reload();
  await ready(page);
  await room(page, "stage");
  await room(page, "course");
  await page.waitForSelector(".exercise");
  same(await page.locator(".exercise .ol-safe").count(), 2, "progress stays in the browser");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save my answers" }).click()]);
  ok(/exercise = names\nnames = 1,2,3,4,5,6\n/.test(await readFile(await download.path(), "utf8")), "answers are saved as a file");
  await page.getByRole("button", { name: "Sheet for teachers" }).click();
  await page.waitForSelector("dialog.sheet[data-ready]");
  same(await page.locator(".sheet tbody tr").count(), EXERCISES.length, "the sheet for teachers has all of them");
  await page.getByRole("button", { name: "Close" }).click();
  await page.locator("#room summary").click();
  await page.fill("#who-id", "ada");
  await page.getByRole("button", { name: "These are my tasks" }).click();
  await page.waitForFunction(() => /ada/.test(document.querySelector("#room summary").textContent));
  await page.locator("[data-key=names]").click();
  ok(!/1,2,3,4,5,6/.test(await page.locator(".task").innerText()), "a student has tasks of his own");
  await page.locator(".back").click();
  await drop("mine.exercise", EXERCISES.find((x) => x.task.key === "names").file.text
    .replace("key = names", "key = mine").replace(/number = .*/, "number = 99").replace(/title = .*/, "title = One of mine"));
  await page.waitForFunction(() => /99. One of mine/.test(document.querySelector("#room h2").textContent));
  ok(true, "an exercise that is dropped is opened");
  await page.locator(".back").click();
  await drop("bad.exercise", "[exercise]\nkey = bad\nfoo = 1\n");
  await page.waitForSelector("#room [role=alert]");
  ok(/line 3: \[exercise\] has no 'foo'/.test(await page.locator("#room [role=alert]").innerText()), "one that is wrong is told where");
  await page.getByRole("button", { name: "Forget my answers" }).click();
  same(await page.locator(".exercise .ol-safe").count(), 0, "and all can be forgotten");
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await ready(page);
  await room(page, "stage");
}

async function figures() {
  const game = new URLSearchParams({ mode: "adversary", game: PRINTED });
  for (const [figure, ...seen] of [["time", "#stage"], ["network", "#net"], ["both", "#net", "#stage"], ["states", "#tour"]]) {
    const page = await browser.open(`${site.url}?embed=${figure}#${figure === "states" ? game : "run=sim+vitanyi+-n+5"}`);
    await ready(page);
    if (figure === "states") await page.waitForSelector("svg.near .ns");
    const shown = await page.evaluate(() => ["#head", "#set", "#room", "#tour", "#net", "#stage", "#run"]
      .filter((id) => document.querySelector(id).getClientRects().length > 0));
    same(shown.sort(), seen.sort(), `embed=${figure} shows its figure and nothing else`);
    ok(/#(run|mode)=/.test(await page.locator(".embed-link").getAttribute("href")), `embed=${figure} leads to the whole page`);
    same(page.faults, [], `embed=${figure} without a complaint of the browser`);
    await browser.close(page);
  }
  const page = await browser.open(`${site.url}?embed=cake`);
  ok(/cake/.test(await page.locator("[role=alert].embed-note").innerText()), "a figure that there is not is named");
  await browser.close(page);
}

const page = await browser.open(site.url);
await ready(page);
const only = process.env.ONLY?.split(",");
const byKeys = (p) => keyboard(p, EXERCISES.filter((x) => !x.task.source), right, wrong, shortest);
for (const visit of [tour, comparison, breaking, adversary, course, byKeys]) {
  if (only && !only.includes(visit.name)) continue;
  try {
    await visit(page);
  } catch (e) {
    ok(false, `the ${visit.name} goes to its end`, e.stack);
  }
}
same(page.faults, [], "the browser has nothing to complain of");
await figures();
await browser.stop();
site.stop();
done();
