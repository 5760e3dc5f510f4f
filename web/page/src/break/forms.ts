/*
 * forms.ts - how --fault is written, as the table of the command line says it:
 * NEXT(PAUSE, "pause NAME@TICK:TICKS", "pause [NAME,...][:TICKS]", …).
 */
import table from "../../../../net/fault_words.h?raw";

interface Form { run: string; search: string }

const forms = new Map<string, Form>();
for (const [, run, word, search] of table.matchAll(/\w, "((\S+)[^"]*)",[\s\\]*"([^"]*)",[\s\\]*"/g))
  forms.set(word!, { run: run!, search: search! });

/* A fault of a run, with values in place of the words in capitals. */
export function fault(word: string, values: Record<string, string | number>): string {
  return forms.get(word)!.run.replace(/ .*/, (rest) => rest.replace(/([A-Z]+)(,\.\.\.)?/g, (_, name: string) => String(values[name])));
}

/* The same as the checker takes it: without a tick, without a chance; null: it
 * does not. */
export function searched(said: string): string | null {
  const [word, rest = ""] = said.split(" ", 2) as [string, string?];
  const form = forms.get(word)?.search ?? "";
  const names = rest.split("@")[0]!;
  if (form.includes("NAME")) return /^[\d,]+$/.test(names) ? `${word} ${names}` : null;
  if (form.includes("[COUNT]")) return `${word} 1`;
  if (form.includes("TICKS")) return `${word} ${rest.split(":")[1] ?? "1"}`;
  return form === word ? word : null;
}
