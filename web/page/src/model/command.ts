/*
 * command.ts - command lines as words and as text, as a shell reads them.
 */

/* Splits a line; quotes hold words together.  A leading "fulcrum" is dropped. */
export function split(line: string): string[] {
  const words: string[] = [];
  for (const m of line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)) words.push(m[0].replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
  if (words[0] === "$") words.shift();
  if (words[0] === "fulcrum") words.shift();
  return words;
}

export function join(words: readonly string[]): string {
  return words.map((w) => (w === "" || /[\s"'$&|;<>()*?]/.test(w) ? `'${w}'` : w)).join(" ");
}

/* The value of an option, or undefined; short: its other name. */
export function option(words: readonly string[], name: string, short = ""): string | undefined {
  for (let i = words.length - 1; i > 0; i--) {
    if (words[i].startsWith(`${name}=`)) return words[i].slice(name.length + 1);
    if ((words[i - 1] === name || (short !== "" && words[i - 1] === short)) && i >= 2) return words[i];
  }
  return undefined;
}

/* All values of an option that may be repeated. */
export function options(words: readonly string[], name: string): string[] {
  const found: string[] = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i].startsWith(`${name}=`)) found.push(words[i].slice(name.length + 1));
    else if (words[i] === name && i + 1 < words.length) found.push(words[++i]);
  }
  return found;
}

/* The field that a complaint of the command is about: an option, "protocol",
 * "set:KEY"; "" if it names none. */
export function fieldOf(sentence: string): string {
  const option = /^--[a-z-]+/.exec(sentence)?.[0];
  if (option) return option;
  if (/^-n\b/.test(sentence) || / up to \d+ nodes/.test(sentence)) return "--nodes";
  if (/^no protocol is called/.test(sentence)) return "protocol";
  const key = /^([a-z][a-z-]*)=/.exec(sentence)?.[1];
  return key ? `set:${key}` : "";
}
