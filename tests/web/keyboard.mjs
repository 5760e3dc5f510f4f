/*
 * keyboard.mjs - all of the page without a mouse: settings, break it, comparison,
 * tour, every exercise, the adversary, files, sharing.
 *
 * The page is looked at, and keys are pressed; nothing else.
 */
import { comes, ok, ready, same } from "./browser.mjs";

const TABS = 150; /* more stops than the page has */

/* Tab until the focus is on something that matches; backwards if that is nearer. */
async function tabTo(page, selector, key = "Tab") {
  for (let i = 0; i < TABS; i++) {
    const there = await page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector);
    if (there) return;
    await page.keyboard.press(key);
  }
  throw new Error(`tab never comes to ${selector}`);
}

const press = async (page, ...keys) => { for (const k of keys) await page.keyboard.press(k); };

/* Puts a text in the place of another. */
async function write(page, selector, text, ...keys) {
  await tabTo(page, selector);
  await press(page, "Control+a");
  await page.keyboard.type(text);
  await press(page, ...keys);
}

const settled = async (page, what) => { await comes(page, what); await ready(page); };
const pressOn = async (page, selector, key = "Enter") => { await tabTo(page, selector); await press(page, key); };
const state = (page, what) => page.evaluate(`(() => { const s = window.fulcrum.get(); return ${what}; })()`);

/* Chooses an entry of a list by typing its beginning. */
async function choose(page, selector, word) {
  await tabTo(page, selector);
  await page.keyboard.type(word, { delay: 5 });
}

async function settings(page) {
  await choose(page, "#f-protocol", "lelann");
  await settled(page, () => window.fulcrum.get().shown.run.rec.head.protocol === "lelann");
  ok(await page.evaluate(() => document.activeElement.id === "f-protocol"), "keyboard: the focus stays on the protocol that was chosen");
  await write(page, "#f-nodes", "6", "Tab");
  await settled(page, () => window.fulcrum.get().shown.run.lanes === 6);
  await pressOn(page, "#set .seg button:nth-child(2)");
  await settled(page, () => window.fulcrum.get().shown.run.rec.head.time === "archimedean");
  await write(page, "#set .four label:nth-child(4) input", "9", "Tab");
  await settled(page, () => window.fulcrum.get().words.includes("2:3:1:9"));
  await write(page, "#f-fault", "pause 2@3:5", "Tab");
  await settled(page, () => window.fulcrum.get().shown.run.rec.faults.length === 1);
  await pressOn(page, "#set [aria-label='Another seed']");
  await settled(page, () => window.fulcrum.get().words.includes("--seed"));
  await write(page, "#set .commandline", "fulcrum sim chang-roberts --names 3,1,2", "Enter");
  await settled(page, () => window.fulcrum.get().shown.run.rec.head.protocol === "chang-roberts");
  ok(true, "keyboard: a run is set up, field by field and as a command line");
  await press(page, "Escape");
}

async function breaking(page) {
  await press(page, "b");
  await pressOn(page, "[data-break=crash]");
  await choose(page, "#break-node", "1");
  await write(page, "#break-tick", "2", "Enter");
  await settled(page, () => window.fulcrum.get().words.includes("crash 1@2") && window.fulcrum.get().shown.run.rec.violations.length > 0);
  await pressOn(page, ".faults button");
  await settled(page, () => !window.fulcrum.get().words.includes("crash 1@2"));
  await press(page, "Home", "ArrowRight", "ArrowRight", "m");
  await pressOn(page, "[data-break=late]");
  await settled(page, () => window.fulcrum.get().words.some((w) => w.startsWith("delay ")));
  ok(true, "keyboard: crash a node, mend it, make a message late");
  await pressOn(page, ".faults button");
  await settled(page, () => !window.fulcrum.get().words.includes("--fault"));
  await press(page, "b");
  await comes(page, () => window.fulcrum.get().mode === "stage");
}

async function comparing(page) {
  await press(page, "c");
  await comes(page, () => window.fulcrum.get().beside !== null);
  await choose(page, "#compare-with", "peterson");
  await comes(page, () => window.fulcrum.get().beside?.run.rec.head.protocol === "peterson");
  await write(page, "#compare-line", "fulcrum sim franklin --names 3,1,2", "Enter");
  await comes(page, () => window.fulcrum.get().beside?.run.rec.head.protocol === "franklin");
  await tabTo(page, "#room > button:last-child");
  await press(page, "Enter");
  await comes(page, () => window.fulcrum.get().mode === "stage" && window.fulcrum.get().beside === null);
  ok(true, "keyboard: compare with a protocol of the list and with a command line");
}

async function touring(page) {
  await pressOn(page, "#head [data-mode=tour]");
  await comes(page, () => document.querySelector(".telling .quiet") !== null);
  await pressOn(page, "#tour li:nth-child(2) .tour-scene");
  await comes(page, () => window.fulcrum.get().extra.scene === "2" && document.querySelector(".telling .quiet") !== null);
  ok(await page.evaluate(() => document.activeElement.matches("#tour li:nth-child(2) .tour-scene")), "keyboard: the focus stays on the scene");
  await press(page, "n");
  await comes(page, () => window.fulcrum.get().extra.scene === "3" && document.querySelector(".telling .quiet") !== null);
  await press(page, "p");
  await comes(page, () => window.fulcrum.get().extra.scene === "2" && document.querySelector(".telling .quiet") !== null);
  await pressOn(page, ".away");
  await comes(page, () => window.fulcrum.get().mode === "stage");
  ok(true, "keyboard: the tour, scene by scene, and out of it");
}

/* Plays a run of the game, choice by choice; ticks that are none come by themselves. */
async function play(page, steps) {
  let chosen = 0;
  for (const step of steps.filter((s) => !s.folded)) {
    await pressOn(page, `#room .move[data-index="${step.index}"]`);
    chosen++;
    await comes(page, (n) => document.querySelectorAll("ol.path > li").length === n, chosen);
  }
}

/* Every exercise: failed and solved, or solved by playing. */
async function exercises(page, list, right, wrong, shortest) {
  await pressOn(page, "#head [data-mode=course]");
  await page.waitForSelector("#room .exercise");
  for (const { task: x } of list) {
    await pressOn(page, `[data-key=${x.key}]`);
    await page.waitForSelector("#room .task");
    if (x.game) {
      await pressOn(page, "#room .main");
      await page.waitForSelector(".move");
      await play(page, await shortest(x.game));
      await comes(page, () => document.querySelector(".here.bad") !== null && document.querySelector("#room .note").textContent.length > 10);
      await pressOn(page, ".goal + button");
      await page.waitForSelector("p.held");
      await pressOn(page, "#room .back");
    } else {
      const [slip, value] = wrong[x.key][0].split("=");
      const last = x.fields.at(-1);
      const submit = last.form.startsWith("crashes") ? ["Tab", "Enter"] : ["Enter"];
      for (const f of x.fields)
        await write(page, `#answer-${f.name}`, f.name === slip ? value : right[x.key][f.name], ...(f === last ? submit : []));
      await page.waitForSelector(".mark.miss p");
      await write(page, `#answer-${slip}`, right[x.key][slip], ...(slip === last.name ? submit : ["Enter"]));
      await page.waitForSelector(".mark.held p");
      await pressOn(page, "#room .back", "Enter");
    }
    await page.waitForSelector(`[data-key=${x.key}] .ol-safe`);
  }
  same(await page.locator(".exercise .ol-safe").count(), list.length, "keyboard: every exercise is solved, those with an answer after a wrong one");
  await pressOn(page, "#head [data-mode=stage]");
}

async function sharing(page) {
  await write(page, "#set .commandline", "fulcrum sim vitanyi --names 2,1,3", "Enter");
  await settled(page, () => window.fulcrum.get().shown.run.rec.head.protocol === "vitanyi");
  await press(page, "Escape", "l");
  await comes(page, () => document.getElementById("note").textContent.length > 5);
  for (const [place, name] of [[1, "vitanyi-3.svg"], [2, "vitanyi-3.png"], [3, "vitanyi-3.trace"]]) {
    await pressOn(page, ".menu summary");
    await tabTo(page, `.menu button:nth-child(${place})`);
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Enter")]);
    same(download.suggestedFilename(), name, `keyboard: ${name} is saved`);
  }
  const trace = Buffer.from(await page.evaluate(() => window.fulcrum.engine.trace(window.fulcrum.get().shown.id)));
  await tabTo(page, "#set .main + button");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press(page, "Enter")]);
  await chooser.setFiles({ name: "mine.trace", mimeType: "text/plain", buffer: trace });
  await settled(page, () => window.fulcrum.get().shown.file === "mine.trace");
  ok(true, "keyboard: a link is copied, pictures and traces are saved, a file is opened");
}

export async function keyboard(page, list, right, wrong, shortest) {
  await settings(page);
  await breaking(page);
  await comparing(page);
  await touring(page);
  await exercises(page, list, right, wrong, shortest);
  await sharing(page);
  ok((await state(page, "s.complaint")) === null, "keyboard: nothing was refused");
}
