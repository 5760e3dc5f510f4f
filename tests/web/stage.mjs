/*
 * stage.mjs - the page itself: runs, views, zoom, keys, files, links, access.
 *
 *     node tests/web/stage.mjs build/web/page [SCREENSHOTS]
 */
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { browse, comes, done, note, ok, ready, same, serve } from "./browser.mjs";

const require = createRequire(path.resolve("web/page/package.json"));
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
const [folder = "build/web/page", shots = ""] = process.argv.slice(2);
const server = await serve(folder);
const browser = await browse();

const hash = (words, more = "") => `#${new URLSearchParams({ run: words })}${more}`;
const BROKEN = "sim archimedean -n 2 --bounds 1:3:2:2 --clock steps:3,1 --entries 1 --section 40 --set mindelay=4 --set rules=printed";

async function open(words = "", options = undefined) {
  const page = await browser.open(server.url + (words ? hash(words) : ""), options);
  await ready(page);
  await comes(page, () => window.fulcrum.scene().scale); /* it knows its size, too */
  return page;
}

async function close(page, what) {
  same(page.faults, [], `no error on the console: ${what}`);
  await browser.close(page);
}

const state = (page) => page.evaluate(() => {
  const s = window.fulcrum.get();
  return { cursor: s.cursor, time: s.time, from: s.from, to: s.to, selection: s.selection, playing: s.playing, mode: s.mode, fold: s.fold, frames: s.frames, theme: s.theme, words: s.words.join(" "), pinned: s.pinned };
});

/* ---- Every protocol ---- */

async function everyProtocol() {
  const page = await open();
  const bad = await page.evaluate(async () => {
    const wrong = [];
    for (const p of await window.fulcrum.engine.protocols()) {
      for (const time of ["sync", "archimedean", "async"]) {
        const few = p.repeats ? ["--entries", "2"] : [];
        const fine = await window.fulcrum.act.runCommand(["sim", p.name, "-n", "5", "--time", time, "--until", "3000", ...few]);
        window.fulcrum.flush();
        const said = window.fulcrum.get().complaint?.sentence ?? "";
        /* Some protocols are for one model of time only, and say so. */
        if (!fine && !/time|sync|bounds|5|size|nodes/.test(said)) wrong.push(`${p.name} ${time}: ${said}`);
        if (fine && window.fulcrum.scene().marks.length === 0) wrong.push(`${p.name} ${time}: an empty picture`);
      }
    }
    return wrong;
  });
  same(bad, [], "every protocol runs and is drawn under every model of time");
  await close(page, "every protocol");
}

/* ---- Zoom ---- */

async function zoomLevels() {
  const cases = [
    ["a violation", BROKEN, ["inside", "violation"]],
    ["a leader, a crash, a pause", "sim chang-roberts -n 16 --time archimedean --fault 'crash 3@10' --fault 'restart 3@12' --fault 'pause 5@20:4'", ["crash", "pause"]],
    ["short stays inside in a long run", "sim central -n 5 --entries 2000", ["inside"]],
    ["a leader in shares", "sim vitanyi -n 300 --names asc", ["leader"]],
    ["a violation in shares", "sim chang-roberts -n 300 --fault 'crash 1@10'", ["crash", "violation"]],
    ["a crash and a pause in shares", "sim chang-roberts -n 300 --fault 'crash 3@10' --fault 'pause 5@20:4'", ["crash", "pause"]],
  ];
  for (const [name, words, must] of cases) {
    const page = await open(words);
    const wrong = await page.evaluate(async (must) => {
      const { act, get, flush, scene } = window.fulcrum;
      const run = get().shown.run, out = [], LOOKS = ["down", "asleep", "lost", "awake", "rests", "asks", "waits", "candidate", "beside", "leader", "inside"];
      const levels = new Set();
      /* What the window has, by the recording; what the picture has, by its marks. */
      const there = (what) => {
        const { from, to } = get();
        if (what === "violation") return run.rec.violations.some((v) => v.tick >= from && v.tick < to);
        if (what === "crash") return run.rec.faults.some((f) => f.kind === "down" && f.from >= from && f.from < to);
        if (what === "pause") return run.rec.faults.some((f) => f.kind === "pause" && f.to > from && f.from < to);
        for (let l = 0; l < run.lanes; l++) for (let s = run.spanAt(l, from); s <= run.spanAt(l, to - 1e-9); s++)
          if (LOOKS[run.spanLook[s]] === what && run.spanEnd(l, s) > from) return true;
        return false;
      };
      const drawn = (what) => scene().marks.some((m) =>
        what === "violation" ? m.is === "band" && m.w >= 3
        : what === "crash" ? m.is === "crash"
        : what === "pause" ? m.is === "pause" && m.w >= 3
        : m.is === "bar" ? LOOKS[m.look] === what && m.w >= 2.9 : m.is === "share" && LOOKS[m.look] === what && m.h >= 3);
      act.fit();
      for (let width = run.end; width >= 2; width /= 1.7) {
        for (const share of [0, 0.07, 0.21, 0.5, 0.83]) {
          act.setWindow(run.end * share, run.end * share + width);
          flush();
          levels.add(scene().scale.shares ? "shares" : scene().scale.level);
          if (scene().marks.length > 4000) out.push(`${scene().marks.length} marks at ${width} ticks`);
          for (const what of must) if (there(what) && !drawn(what)) out.push(`${what} at ${width} ticks from ${get().from}`);
        }
      }
      /* And in whole, where everything is. */
      act.fit();
      flush();
      for (const what of must) if (!there(what)) out.push(`there is no ${what} in this run`);
      return { out: out.slice(0, 5), levels: [...levels] };
    }, must);
    same(wrong.out, [], `no zoom loses ${must.join(", ")}: ${name}`);
    note(`levels seen: ${wrong.levels.join(", ")}`);
    await close(page, name);
  }
}

/* More faults than marks: each has one of its kind and lane near by. */
async function manyFaults() {
  const names = Array.from({ length: 62 }, (_, i) => i + 2).join();
  const faults = Array.from({ length: 16 }, (_, i) => (i < 12 ? `pause ${names}@${3 + 5 * i}:2` : i % 2 === 0 ? `crash ${names}@${60 + 5 * i}` : `restart ${names}@${62 + 5 * i}`));
  const page = await open();
  const wrong = await page.evaluate(async (faults) => {
    const { act, get, flush, scene } = window.fulcrum, out = [];
    await act.runCommand(["sim", "vitanyi", "-n", "64", "--names", "asc", "--until", "300", ...faults.flatMap((f) => ["--fault", f])]);
    flush();
    const run = get().shown.run, all = run.rec.faults;
    if (all.length < 800) return [`only ${all.length} faults: ${get().complaint?.sentence}`];
    for (let width = run.end; width >= 4; width /= 1.9) for (const share of [0, 0.1, 0.3, 0.8]) {
      act.setWindow(run.end * share, run.end * share + width);
      flush();
      const { scale, marks } = scene(), { from, to } = get();
      if (marks.length > 4000) out.push(`${marks.length} marks`);
      for (const f of all) {
        if (f.from < from || f.from >= to) continue;
        const u = scale.before + (f.from - from) * scale.px, is = f.kind === "down" ? "crash" : "pause";
        if (!marks.some((m) => m.is === is && m.lane === f.lane && Math.abs(m.u - u) <= 26)) out.push(`${is} of ${f.lane} at ${f.from} in ${width} ticks`);
      }
    }
    return out.slice(0, 5);
  }, faults);
  same(wrong, [], "of many hundred crashes and pauses none is without a mark near by, at any zoom");
  await close(page, "many faults");
}

/* ---- The pixels, too ---- */

async function pixels() {
  const page = await open(BROKEN);
  const seen = await page.evaluate(() => {
    const { act, flush } = window.fulcrum;
    act.toEnd();
    flush();
    const canvas = document.querySelector(".scene canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const near = (c, r, g, b) => Math.abs(data[c] - r) + Math.abs(data[c + 1] - g) + Math.abs(data[c + 2] - b) < 24 && data[c + 3] > 200;
    let inside = 0, bad = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (near(i, 0x12, 0x3f, 0x9a)) inside++;
      if (near(i, 0xcc, 0x2a, 0x12)) bad++;
    }
    return { inside, bad, flag: document.querySelector(".scene .flag")?.textContent, title: document.title, tick: document.querySelector(".scene .badtext")?.textContent };
  });
  ok(seen.inside > 500 && seen.bad > 100, "bars and outlines are on the canvas", JSON.stringify(seen));
  same([seen.flag, seen.tick], ["TWO INSIDE", "t = 33"], "flag and axis say what is violated and when");
  ok(/two inside at t = 33/.test(seen.title), "the title of the page says it too");
  await close(page, "pixels");
}

/* ---- Time ---- */

async function time() {
  const page = await open(BROKEN);
  same((await state(page)).time, 32, "a violation: the cursor is one tick before it");
  const same2 = await page.evaluate(async () => {
    const { act, get, engine } = window.fulcrum;
    const id = get().shown.id, events = get().shown.run.events, there = [], back = [];
    for (let e = 0; e < events; e++) { act.seekEvent(e); there.push(await engine.hash(id, get().cursor)); }
    for (let e = events - 1; e >= 0; e--) { act.seekEvent(e); back.unshift(await engine.hash(id, get().cursor)); }
    return there.join() === back.join() && new Set(there).size > 3;
  });
  ok(same2, "scrubbing back gives the same hash of states");
  await page.locator(".overview").click({ position: { x: 5, y: 10 } });
  ok((await state(page)).time < 6, "a click on the overview moves the cursor");
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Play" }).click();
  await comes(page, () => window.fulcrum.get().time > 1);
  await page.getByRole("button", { name: "Pause" }).click();
  ok((await state(page)).time > 1, "play moves on in simulated time");
  await close(page, "time");

  const calm = await open("sim vitanyi", { reducedMotion: "reduce" });
  await calm.keyboard.press("Home");
  await calm.keyboard.press("Space");
  await comes(calm, () => window.fulcrum.get().cursor >= 1);
  ok(await calm.evaluate(() => { const { time, cursor, shown } = window.fulcrum.get(); return time === shown.run.tickOf(cursor); }),
    "with less motion play goes from event to event");
  await close(calm, "less motion");
}

/* ---- Keys ---- */

async function keys() {
  const page = await open("sim vitanyi -n 8");
  const press = async (...names) => { for (const n of names) await page.keyboard.press(n); return state(page); };
  same((await press("Home")).cursor, -1, "home: before the first event");
  same((await press("ArrowRight", "ArrowRight", "ArrowLeft")).cursor, 0, "arrows: events");
  same((await press("Shift+ArrowRight", "Shift+ArrowRight")).time, 2, "shift and arrows: ticks");
  same((await press("ArrowDown", "ArrowDown")).selection, { is: "lane", lane: 1 }, "arrow down: the next node");
  const own = await press("]");
  same(await page.evaluate((e) => window.fulcrum.get().shown.run.rec.events.lane[e], own.cursor), 1, "]: the next event of that node");
  await page.waitForSelector(".state table");
  ok(await page.locator(".state tr").first().evaluate((r) => r.className === "differs"), "its state: changed fields first");
  same((await press("Enter")).pinned, [1], "enter: pinned");
  const zoomed = await press("+", "+");
  ok(zoomed.to - zoomed.from < 20, "+: zoom");
  const whole = await press("0");
  same(whole.from, 0, "0: fit");
  await press("m");
  ok((await state(page)).selection?.is !== undefined, "m: follow a message");
  same([(await press("f")).frames, (await press("f")).frames], [true, false], "f: liveness frames");
  await press("Escape", "Escape", "t");
  same((await state(page)).theme, "dark", "t: theme");
  await press("?");
  ok(await page.locator("dialog.sheet").isVisible(), "?: the list of keys");
  await press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  ok(true, "esc: closed");
  await press("/");
  await page.keyboard.type("leader");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog", { state: "detached" });
  ok(await page.evaluate(() => { const { shown, cursor } = window.fulcrum.get(); return shown.run.rec.events.role[cursor] === 4; }), "/: find the event that makes a leader");
  /* Nothing traps the focus: tab goes all the way round. */
  const stops = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    stops.add(await page.evaluate(() => { const a = document.activeElement; return a === document.body ? "body" : `${a.tagName} ${a.id} ${a.textContent.slice(0, 12)}`; }));
  }
  ok(stops.size > 15, "tab reaches everything", [...stops].join("; "));
  await close(page, "keys");
}

/* ---- Settings ---- */

async function settings() {
  const page = await open("sim vitanyi -n 8");
  await page.getByLabel("Processors").fill("1");
  await page.getByLabel("Processors").press("Tab");
  await comes(page, () => window.fulcrum.get().complaint);
  const said = await page.locator(".field", { has: page.getByLabel("Processors") }).locator(".wrong").textContent();
  ok(/from 2 to/.test(said), "a complaint stands under the field it is about", said);
  await page.getByLabel("Processors").fill("6");
  await page.getByLabel("Processors").press("Tab");
  await comes(page, () => window.fulcrum.get().shown.run.lanes === 6 && !window.fulcrum.get().busy);
  ok((await page.getByLabel("Command line").inputValue()).includes("-n 6"), "the command line follows the form");
  await page.getByLabel("Command line").fill("fulcrum sim no-such-protocol");
  await page.getByLabel("Command line").press("Enter");
  await comes(page, () => window.fulcrum.get().complaint);
  ok(/no protocol is called/.test(await page.locator("#set").textContent()), "a wrong command line is refused in the words of the command");
  await page.getByLabel("Command line").fill("fulcrum sim ricart-agrawala -n 4 --entries 2");
  await page.getByLabel("Command line").press("Enter");
  await comes(page, () => window.fulcrum.get().shown.run.rec.head.protocol === "ricart-agrawala");
  same(await page.getByLabel("Protocol").inputValue(), "ricart-agrawala", "the form follows the command line");

  /* Every letter is a choice, and the form follows it. */
  await page.getByLabel("Protocol").focus();
  await page.keyboard.type("spi", { delay: 100 });
  same(await page.getByLabel("Protocol").inputValue(), "spirakis-tampakas", "a protocol is chosen by typing its name, however slowly");
  await comes(page, () => window.fulcrum.get().shown.run.rec.head.protocol === "spirakis-tampakas" && !window.fulcrum.get().busy);

  /* A run begins, and before the views hear of it the next field is changed. */
  await page.evaluate(async () => {
    const put = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event("change")); };
    const later = window.requestAnimationFrame, held = [];
    window.requestAnimationFrame = (f) => held.push(f);
    put("f-nodes", "7");
    while (!window.fulcrum.get().words.includes("7")) await new Promise((go) => setTimeout(go, 10));
    put("f-seed", "99");
    window.requestAnimationFrame = later;
    for (const f of held) f(performance.now());
  });
  await comes(page, () => window.fulcrum.get().words.includes("99") && !window.fulcrum.get().busy);
  same(await page.evaluate(() => [window.fulcrum.get().shown.run.lanes, document.getElementById("f-seed").value]), [7, "99"],
    "what is changed while a run begins is not lost");
  await close(page, "settings");
}

/* ---- Files ---- */

async function drop(page, name, bytes) {
  await page.evaluate(async ({ name, bytes }) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, { name, bytes: [...bytes] });
  await comes(page, (name) => !window.fulcrum.get().busy && (window.fulcrum.get().complaint || window.fulcrum.get().shown.file === name), name);
}

async function files() {
  const page = await open("sim vitanyi -n 5");
  const trace = await page.evaluate(() => window.fulcrum.engine.trace(window.fulcrum.get().shown.id));
  await drop(page, "run.trace", Buffer.from(trace));
  same(await page.evaluate(() => window.fulcrum.get().shown.file), "run.trace", "a trace of sim is dropped and shown");
  const found = await page.evaluate(async () => {
    const { files } = await window.fulcrum.engine.command(["check", "archimedean", "--set", "rules=printed", "-n", "2", "--trace", "ce.trace"]);
    return [...files["ce.trace"]];
  });
  await drop(page, "ce.trace", Buffer.from(found));
  same(await page.evaluate(() => [window.fulcrum.get().shown.file, window.fulcrum.get().shown.run.rec.violations.length]), ["ce.trace", 1], "a counterexample of check is dropped and shown");
  await drop(page, "foreign.trace", Buffer.from(trace.replace("protocol vitanyi", "protocol of-tomorrow")));
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => /cannot be computed/.test(document.querySelector(".states").textContent));
  ok(/of-tomorrow/.test(await page.locator(".finding").first().textContent()), "a trace of a protocol that is not known here is drawn, and its states say why they are not there");
  const wrong = {
    "empty.trace": Buffer.alloc(0),
    "photo.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 255, 254]),
    "letter.txt": Buffer.from("Dear Sir,\nthis is not a trace.\n"),
    "cut.trace": Buffer.from(trace.slice(0, trace.length >> 1)),
    "changed.trace": Buffer.from(trace.replace("1 1 ", "1 77 ")),
  };
  for (const [name, bytes] of Object.entries(wrong)) {
    await drop(page, name, bytes);
    const said = await page.evaluate(() => window.fulcrum.get().complaint?.sentence ?? "");
    ok(said.startsWith(name) && said.length > name.length + 30 && !/undefined|RuntimeError|unreachable/.test(said), `${name} is refused in a sentence`, said);
    note(said);
    const read = await page.waitForFunction((text) => [...document.querySelectorAll(".wrong")].some((at) => at.getClientRects().length > 0 && at.textContent.includes(text)), name).then(() => true, () => false);
    ok(read, `the sentence about ${name} can be read`);
  }
  await close(page, "files");
}

/* ---- Links and exports ---- */

async function links() {
  const page = await open("sim chang-roberts -n 6 --seed 4");
  await page.evaluate(() => { const { act } = window.fulcrum; act.seekEvent(9); act.setWindow(2, 9.5); act.selectMessage(5); act.togglePin(2); act.toggleFold(); });
  const before = await state(page);
  await page.waitForFunction(() => /e=9/.test(location.hash));
  const url = page.url();
  const again = await browser.open(url);
  await ready(again);
  await comes(again, () => window.fulcrum.get().selection);
  const after = await state(again);
  same(after, before, "a link brings back run, cursor, window, selection, pins and folds");
  await close(again, "a link");

  for (const [name, start] of [["SVG", "<svg"], ["PNG", "\x89PNG"], ["Trace", "fulcrum-trace 1"]]) {
    await page.locator(".menu summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".menu").getByRole("button", { name }).click()]);
    const text = (await readFile(await download.path())).toString("latin1");
    ok(text.startsWith(start) && text.length > 300, `${name} is saved as ${download.suggestedFilename()}`);
    if (name === "SVG") ok(text.includes("fulcrum sim chang-roberts"), "the picture carries its command");
  }
  await page.locator(".menu summary").click();
  await page.locator(".menu").getByRole("button", { name: "As text" }).click();
  ok(/[│┊]/.test(await page.locator("dialog pre").textContent()), "the diagram as text");
  await page.keyboard.press("Escape");
  await close(page, "links");
}

/* A command line that no address can hold. */
async function tooLong() {
  const names = Array.from({ length: 1200 }, (_, i) => i + 1).join(",");
  const page = await open();
  await page.evaluate((n) => window.fulcrum.act.runCommand(["sim", "chang-roberts", "--names", n]), names);
  await ready(page);
  /* It says so for some seconds: who looks later sees nothing. */
  const said = page.waitForFunction(() => /file/.test(document.getElementById("note").textContent));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Copy link" }).first().click(), said]);
  ok(download.suggestedFilename().endsWith(".trace"), "what is too long for a link becomes a file");
  ok(true, "and the page says so");
  await close(page, "a link that is too long");
}

/* ---- A million events ---- */

const ceil = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;

/* Tasks of the page's thread while something is done: [wall, CPU, frame?] in ms.
 * On a machine that has other work to do only the processor time means much. */
async function tasksOf(page, cdp, what) {
  const events = [];
  const hear = (e) => events.push(...e.value);
  cdp.on("Tracing.dataCollected", hear);
  await cdp.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] } });
  await what();
  const over = new Promise((go) => cdp.once("Tracing.tracingComplete", go));
  await cdp.send("Tracing.end");
  await over;
  cdp.off("Tracing.dataCollected", hear);
  const thread = (e) => `${e.pid}:${e.tid}`;
  const main = new Set(events.filter((e) => e.name === "FireAnimationFrame").map(thread));
  const frames = events.filter((e) => e.name === "FireAnimationFrame").map((e) => e.ts);
  return events.filter((e) => e.name === "RunTask" && e.ph === "X" && main.has(thread(e)))
    .map((e) => ({ wall: e.dur / 1000, cpu: (e.tdur ?? e.dur) / 1000, frame: frames.some((t) => t >= e.ts && t <= e.ts + e.dur) }));
}

function report(name, tasks) {
  const frames = tasks.filter((t) => t.frame);
  const [p95, longest] = [ceil(frames.map((t) => t.cpu), 0.95), Math.max(...tasks.map((t) => t.cpu))];
  note(`${name}: ${frames.length} frames, 95 % within ${p95.toFixed(1)} ms of CPU (aim 16; wall ${ceil(frames.map((t) => t.wall), 0.95).toFixed(1)}); ` +
    `longest task ${longest.toFixed(1)} ms of CPU (aim 50; wall ${Math.max(...tasks.map((t) => t.wall)).toFixed(1)})`);
  return { p95, longest };
}

async function million() {
  const page = await open("sim vitanyi", {}); /* with memory of its own */
  const cdp = await page.context().newCDPSession(page);
  const before = await rendererMemory(page);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
  let took;
  const tasks = await tasksOf(page, cdp, async () => {
    took = await page.evaluate(async () => {
      const began = performance.now();
      let first = 0;
      const look = setInterval(() => { if (!first && window.fulcrum.get().shown.run.rec.head.protocol === "archimedean") first = performance.now() - began; }, 5);
      await window.fulcrum.act.runCommand("sim archimedean -n 8 --entries 8000".split(" "));
      clearInterval(look);
      return { first, whole: performance.now() - began, events: window.fulcrum.get().shown.run.events };
    });
    await ready(page);
  });
  ok(took.events > 1000000, "a million events are recorded and shown");
  note(`first paint ${Math.round(paint)} ms (aim 1000); ${took.events} events recorded and shown in ${Math.round(took.whole)} ms (aim 2000), the first picture after ${Math.round(took.first)} ms (aim 300)`);
  const all = [report("record", tasks)];
  for (const [name, step] of [
    ["scrub", "fulcrum.act.seekTime(end * ((i * 37) % 100) / 100)"],
    ["zoom", "fulcrum.act.zoom(i % 40 < 20 ? 1.5 : 1 / 1.5, end / 3)"],
    ["pan", "fulcrum.act.moveWindow((i % 20 < 10 ? 1 : -1) * (fulcrum.get().to - fulcrum.get().from) / 20)"],
  ]) {
    await page.evaluate((pan) => { window.fulcrum.act.fit(); if (pan) window.fulcrum.act.zoom(30); }, name === "pan");
    all.push(report(name, await tasksOf(page, cdp, () =>
      page.evaluate(`(async () => { const end = fulcrum.get().shown.run.end; for (let i = 0; i < 60; i++) { ${step}; await new Promise((r) => requestAnimationFrame(r)); } })()`))));
  }
  /* The aims are in the report; what is refused here is another order of magnitude. */
  ok(all.every((r) => r.p95 < 48 && r.longest < 150), "scrub, pan and zoom over a million events keep the page's thread free");
  const heap = await cdp.send("Runtime.getHeapUsage");
  note(`the page holds ${Math.round((heap.usedSize + (heap.backingStorageSize ?? 0)) / 1e6)} MB, the whole renderer ${Math.round(await rendererMemory(page) / 1e6)} MB (aim 300), ${Math.round(before / 1e6)} of them before the run`);
  await close(page, "a million events");
}

/* Resident memory of the process that shows the page, its worker included. */
async function rendererMemory(page) {
  const cdp = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const sizes = await Promise.all(processInfo.filter((p) => p.type === "renderer").map(async (p) => {
    const text = await readFile(`/proc/${p.id}/status`, "utf8").catch(() => "");
    return Number(/RssAnon:\s+(\d+)/.exec(text)?.[1] ?? 0) * 1024;
  }));
  return Math.max(...sizes);
}

/* ---- Rules, letters, folds, bounds ---- */

async function picture() {
  const page = await open("sim spirakis-tampakas -n 4 --set k=4 --seed 3");
  const letters = await page.locator(".scene .letter").allTextContents();
  ok(letters.includes("H") && letters.includes("F"), "a candidate that holds has the letter H, one that forwards F", letters.join());

  await page.evaluate(() => window.fulcrum.act.runCommand("sim vitanyi --names 10,11,12,9,13".split(" ")));
  await ready(page);
  const before = await page.evaluate(() => window.fulcrum.scene().scale.px);
  await page.keyboard.press("z");
  await ready(page);
  const fold = await page.evaluate(() => {
    const { scene, get } = window.fulcrum;
    const { scale, marks } = scene();
    return { folds: scale.folds, px: scale.px, zigzags: marks.filter((m) => m.is === "fold").length, leader: marks.some((m) => m.is === "bar" && m.look === 9 && m.w >= 3), last: get().shown.run.end };
  });
  ok(before < 1 && fold.px > 10 && fold.folds.length === fold.zigzags && fold.folds.length === 4 && fold.leader, "long silence is folded on request, with a zigzag", JSON.stringify(fold));
  const said = await page.locator(".scene .folded").allTextContents();
  same(said, fold.folds.map((f) => `${Math.round(f.ticks)} ticks left out`), "and says how many ticks are left out");
  await page.waitForFunction(() => /fold=1/.test(location.hash));
  const box = await page.locator(".scene").first().boundingBox();
  const at = await page.evaluate(() => { const { scale } = window.fulcrum.scene(); const f = scale.folds[1]; return { inside: f.u + 15, behind: f.u + 30 + scale.px, from: f.from, to: f.to }; });
  for (const [u, low, high] of [[at.inside, at.from, at.to], [at.behind, at.to + 0.5, at.to + 1.5]]) {
    await page.mouse.click(box.x + u, box.y + 20);
    const { time } = await state(page);
    ok(time >= low && time <= high, "time is read off truly beside a fold", `${time} is not from ${low} to ${high}`);
  }
  await page.keyboard.press("z");
  await ready(page);
  ok(await page.evaluate(() => window.fulcrum.scene().scale.folds.length === 0), "and unfolded");

  await page.evaluate(async () => {
    const { engine, act } = window.fulcrum;
    const { run } = await engine.record("sim chang-roberts -n 5 --bounds 1:6:0:2 --seed 3".split(" "));
    const trace = (await engine.trace(run)).replace("bounds 1:6:0:2", "bounds 1:3:0:1");
    await act.openTrace("live.trace", new TextEncoder().encode(trace));
  });
  await ready(page);
  ok(/messages? later than dmax, \d+ steps? longer than rmax/.test(await page.locator(".count").textContent()), "the bounds that a trace breaks are counted", await page.locator(".count").textContent());
  const lost = await page.evaluate(() => {
    const { act, get, flush, scene } = window.fulcrum, out = [], run = get().shown.run;
    const slip = scene().marks.find((m) => m.is === "slip");
    if (!slip) return ["no step is marked"];
    act.fit();
    flush();
    const from = (slip.u - scene().scale.before) / scene().scale.px;
    for (let width = run.end; width >= 2; width /= 1.6) {
      act.setWindow(from - width / 3, from + 2 * width / 3);
      flush();
      if (!scene().marks.some((m) => m.is === "slip" && m.w >= 3)) out.push(`no step is marked at ${width} ticks`);
    }
    return out;
  });
  same(lost, [], "and marked at every zoom");
  await close(page, "letters, folds, bounds");
}

/* ---- Pointing ---- */

async function pointing() {
  const page = await open("sim vitanyi --names 1,2,3,4");
  const at = await page.evaluate(() => {
    const m = window.fulcrum.scene().marks.find((x) => x.is === "message" && x.sign === "wins");
    const box = document.querySelector(".scene").getBoundingClientRect();
    return { x: box.left + (m.u0 + m.u1) / 2, y: box.top + (m.v0 + m.v1) / 2, message: m.message };
  });
  await page.mouse.move(at.x, at.y);
  await page.waitForSelector(".hovercard:not([hidden])");
  ok(/from 1 to 2/.test(await page.locator(".hovercard").textContent()), "hover: a card with kind, from, to, times", await page.locator(".hovercard").textContent());
  const rule = (await readFile("protocols/election/vitanyi/README.md", "utf8")).split("\n").find((l) => l.startsWith("| VI-R4 ")).split("|").slice(2, 4).map((c) => c.trim().replaceAll("*", "")).join(": ");
  await page.waitForFunction(() => /: /.test(document.querySelector(".hovercard .rule")?.textContent)); /* its page has been read */
  same(await page.locator(".hovercard .rule").allTextContents(), [`VI-R4 ${rule}`], "and the rule by which it was read, as the protocol's page has it");
  await page.mouse.click(at.x, at.y);
  same((await state(page)).selection, { is: "message", message: at.message }, "click: the message is followed");
  await page.mouse.click(at.x, at.y);
  await page.locator(".node").nth(1).hover();
  await page.waitForSelector(".scene .pointed", { state: "attached" });
  ok(true, "what is pointed at in the network is marked in the diagram");
  await page.locator(".node").nth(2).click();
  same((await state(page)).selection, { is: "lane", lane: 2 }, "a click in the network selects the lane");
  const spot = await page.locator(".node .hit").nth(3).boundingBox();
  await page.mouse.move(spot.x + spot.width / 2, spot.y + spot.height / 2);
  await page.mouse.down();
  await page.evaluate(() => { window.fulcrum.set({ hover: null }); window.fulcrum.flush(); });
  await page.mouse.up();
  same((await state(page)).selection, { is: "lane", lane: 3 }, "also if the node is drawn anew meanwhile");
  await page.waitForSelector(".scene .picked", { state: "attached" });
  ok(true, "and marks it in the diagram");
  const width = (await state(page)).to;
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(0, -400);
  await page.waitForFunction((w) => window.fulcrum.get().to - window.fulcrum.get().from < w, width);
  ok(true, "the wheel zooms");
  await close(page, "pointing");
}

/* What rules say is fetched last: a card that is open before shows it when it comes. */
async function lateRules() {
  const page = await open("sim vitanyi --names 1,2,3,4");
  let come;
  const coming = new Promise((done) => { come = done; });
  await page.route("**/rules.json", async (route) => { await coming; await route.continue(); });
  await page.reload();
  await ready(page);
  await page.evaluate(() => {
    const { messages } = window.fulcrum.get().shown.run.rec;
    const read = messages.read.findIndex((by) => by < 0xffffffff);
    window.fulcrum.set({ hover: { is: "message", message: read } });
    window.fulcrum.flush();
  });
  const rule = page.locator(".hovercard .rule").first();
  ok(/^VI-[^ ]*$/.test(await rule.textContent()), "a card without the pages has the labels of rules", await rule.textContent());
  come();
  await page.waitForFunction(() => /: /.test(document.querySelector(".hovercard .rule")?.textContent));
  ok(true, "and what they say, when that comes");
  await close(page, "late rules");
}

/* ---- Access, sizes ---- */

async function access() {
  for (const [name, options] of [
    ["desktop, light", undefined], ["desktop, dark", { colorScheme: "dark" }],
    ["phone, light", { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2 }],
    ["phone, dark", { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2, colorScheme: "dark" }],
  ]) {
    const page = await open(BROKEN, options);
    await page.evaluate(() => window.fulcrum.act.selectLane(0));
    await page.waitForSelector(".state");
    if (shots) await page.screenshot({ path: path.join(shots, `stage-${name.replace(", ", "-")}.png`) });
    /* The content policy forbids strange scripts; what a test evaluates is no script. */
    const found = await page.evaluate(`(() => { ${axe}; })(); window.axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")))`);
    same(found, [], `axe finds nothing serious: ${name}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    ok(wide <= 0, `nothing sticks out sideways: ${name}`);
    await close(page, name);
  }
  const large = await open(BROKEN, { viewport: { width: 640, height: 400 } });
  ok(await large.evaluate(() => document.querySelector(".scene").getBoundingClientRect().height >= 80 && document.querySelector("#run").getBoundingClientRect().bottom <= innerHeight + 1 || document.body.scrollHeight > innerHeight),
    "at 200 % nothing is lost");
  await close(large, "200 %");
}

async function speaks() {
  const page = await open(BROKEN);
  await page.keyboard.press("v");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => /Violation: two inside/.test(document.getElementById("live").textContent), null, { timeout: 10000 });
  ok(true, "the live region says the step that violates");
  await close(page, "the live region");
}

const only = process.env.ONLY?.split(",");
for (const part of [everyProtocol, zoomLevels, manyFaults, pixels, time, keys, settings, files, links, tooLong, pointing, lateRules, picture, access, speaks, million]) {
  if (only && !only.includes(part.name)) continue;
  try {
    await part();
  } catch (e) {
    ok(false, `${part.name} runs to its end`, String(e).slice(0, 600));
  }
}
await browser.stop();
server.stop();
done();
