/*
 * rules.ts - when the page is built: the rules of the papers, as the pages of the
 * protocols define them (a line, an item of a list or a row of a table that
 * begins with a label), as one file beside the page: { "VI-R3": "awake, …" }.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";

const START = /^(?:\| *|- |\d+\. )?\**([A-Z]{2}-[A-Z]?\d{1,2}[′']?)\**(?: S)?\**:? *(.*)$/;

/* Markdown as people read it. */
function plain(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]+/g, "").replace(/\\([|_])/g, "$1").replace(/\s+/g, " ").trim();
}

/* "| when | what |" as one sentence. */
function cells(row: string): string {
  return row.replace(/^\|/, "").replace(/\|\s*$/, "").split(/\s\|\s/).map(plain).filter(Boolean).join(": ");
}

export function rulesOf(markdown: string): Record<string, string> {
  const rules: Record<string, string> = {};
  const lines = markdown.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const found = START.exec(lines[i]);
    if (!found || found[1] in rules) continue;
    let text = found[2];
    /* An item of a list goes on as long as lines are indented. */
    if (!lines[i].startsWith("|")) while (/^\s+\S/.test(lines[i + 1] ?? "")) text += ` ${lines[++i].trim()}`;
    rules[found[1].replace("′", "'")] = lines[i].startsWith("|") ? cells(text) : plain(text);
  }
  return rules;
}

export function rulesFile(folder: string): Plugin {
  return {
    name: "rules",
    generateBundle() {
      const all: Record<string, string> = {};
      for (const page of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith("README.md")).sort())
        Object.assign(all, rulesOf(readFileSync(path.join(folder, page), "utf8")));
      this.emitFile({ type: "asset", fileName: "rules.json", source: JSON.stringify(all) });
    },
  };
}
