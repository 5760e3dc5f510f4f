/*
 * browser.mjs - for tests of the page: a static server on loopback, a headless
 * Chromium, and lines of TAP.
 * The headless shell, if it is there, is the same browser without its windows, and a
 * fifth cheaper.
 *
 * The folder of the built page is the first argument; fulcrum.wasm is in it.
 * SLOW=10: the page as on a machine that is ten times slower, to find what a test
 * does not wait for.
 */
import { createServer } from "node:http";
import { readFile, access } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.resolve("web/page/package.json"));
const { chromium } = require("playwright-core");

const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
  ".svg": "image/svg+xml", ".json": "application/json",
};

/* Serves a folder; resolves to its address and a way to stop. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const file = path.join(folder, name === "/" ? "index.html" : name);
    try {
      const bytes = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() };
}

/* A browser whose pages keep what goes wrong in page.faults.  Pages that are opened
 * without options share a profile and, as one of the site stays open, a process:
 * to make new ones costs as much again as the page.  close() leaves nothing there. */
export async function browse() {
  const browser = await chromium.launch({ executablePath: PROGRAMS.find(existsSync), args: ["--no-sandbox"] });
  const profile = (options) => browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const shared = await profile();
  let stays = null;
  return {
    stop: () => browser.close(),
    async open(url, options) {
      if (!options && !stays) {
        stays = await shared.newPage();
        await stays.goto(new URL("rules.json", url).href);
      }
      const page = await (options ? await profile(options) : shared).newPage();
      page.faults = [];
      page.on("console", (m) => { if (m.type() === "error") page.faults.push(m.text()); });
      page.on("pageerror", (e) => page.faults.push(String(e)));
      page.on("request", (r) => { if (!/^(http:\/\/127\.0\.0\.1|blob:|data:)/.test(r.url())) page.faults.push(`asked for ${r.url()}`); });
      page.on("filechooser", () => {}); /* heard from now on: a test that begins to listen may be too late */
      if (process.env.SLOW) {
        const cdp = await page.context().newCDPSession(page);
        await cdp.send("Emulation.setCPUThrottlingRate", { rate: Number(process.env.SLOW) });
      }
      await page.goto(url);
      return page;
    },
    async close(page) {
      if (page.context() !== shared) return page.context().close();
      await page.evaluate(() => localStorage.clear());
      return page.close();
    },
  };
}

/* Waits until the page shows a run and waits for nothing. */
export async function ready(page) {
  await page.waitForFunction(() => window.fulcrum?.get().shown?.id >= 0 && window.fulcrum.get().busy === "", null, { timeout: 60000 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/* Waits for a state.  Views hear of one a frame later, or after that on a busy
 * machine; here they have when it returns. */
export async function comes(page, condition, argument = null) {
  await page.waitForFunction(condition, argument, { timeout: 60000 });
  await page.evaluate(() => window.fulcrum.flush());
}

/* ---- TAP ---- */

let count = 0, failed = 0;

export function ok(holds, rule, more = "") {
  console.log(`${holds ? "ok" : "not ok"} ${++count} - ${rule}`);
  if (!holds) {
    failed++;
    if (more) console.log(String(more).split("\n").map((l) => `#   ${l}`).join("\n"));
  }
}

export function same(actual, expected, rule) {
  const a = JSON.stringify(actual), b = JSON.stringify(expected);
  ok(a === b, rule, `expected: ${b}\nactual:   ${a}`);
}

export function note(line) {
  console.log(`# ${line}`);
}

export function done() {
  console.log(`1..${count}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

export async function exists(file) {
  return access(file).then(() => true, () => false);
}
