import { defineConfig } from "vite";
import { exercisesFile } from "./exercises.ts";
import { rulesFile } from "./rules.ts";

/* Addresses are relative: the page works from any folder of any static host. */
export default defineConfig({
  base: "./",
  plugins: [
    rulesFile(new URL("../../protocols", import.meta.url).pathname),
    exercisesFile(new URL("../../docs/exercises", import.meta.url).pathname),
  ],
  build: {
    outDir: process.env.WEB_OUT ?? "dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
});
