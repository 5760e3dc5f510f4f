/*
 * bundle.mjs - parts of the page without a browser: the engine on the module,
 * and what the rooms are made of.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(path.resolve("web/page/package.json"));

/* A file as text, as Vite imports it. */
const raw = {
  name: "raw",
  resolveId: (id, from) => id.endsWith("?raw") ? path.resolve(path.dirname(from), id) : null,
  load: async (id) => id.endsWith("?raw") ? `export default ${JSON.stringify(await readFile(id.slice(0, -4), "utf8"))}` : null,
};

/* Exports of files under web/page/src, as one object. */
export async function parts(...files) {
  const { rolldown } = await import(pathToFileURL(require.resolve("rolldown")).href);
  const folder = await mkdtemp(path.join(os.tmpdir(), "fulcrum-web-"));
  const all = {};
  try {
    for (const [i, file] of files.entries()) {
      const bundle = await rolldown({ input: path.resolve("web/page/src", file), logLevel: "silent", plugins: [raw] });
      const out = path.join(folder, `${i}.mjs`);
      await bundle.write({ file: out, format: "esm" });
      await bundle.close();
      Object.assign(all, await import(pathToFileURL(out).href));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return all;
}

/* The engine of the page, in this process. */
export async function localEngine(folder) {
  const { LocalEngine } = await parts("engine/engine.ts");
  return new LocalEngine(await WebAssembly.compile(await readFile(path.join(folder, "fulcrum.wasm"))));
}
