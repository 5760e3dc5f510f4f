/*
 * exercises.ts - when the page is built: the exercises of docs/exercises as one file
 * beside the page, [{ name, text }], without their solutions.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";

export function exercisesFile(folder: string): Plugin {
  return {
    name: "exercises",
    generateBundle() {
      const all = readdirSync(folder).filter((f) => f.endsWith(".exercise")).sort()
        .map((name) => ({ name, text: readFileSync(path.join(folder, name), "utf8") }));
      this.emitFile({ type: "asset", fileName: "exercises.json", source: JSON.stringify(all) });
    },
  };
}
