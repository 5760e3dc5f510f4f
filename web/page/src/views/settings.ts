/*
 * settings.ts - a command line as values of the form, and back.  What the form
 * does not know stays in the line as it is.
 */
export interface Settings {
  protocol: string;
  values: Record<string, string>; /* by option; "" is the default */
  set: Record<string, string>; /* by parameter */
  faults: string[];
  rest: string[];
}

/* Options that the form has; the short name. */
export const OPTIONS: Record<string, string> = {
  "--nodes": "-n", "--topology": "", "--time": "", "--bounds": "", "--clock": "", "--names": "", "--wake": "",
  "--links": "", "--entries": "", "--section": "", "--think": "", "--shared": "", "--until": "", "--seed": "",
};

export function settingsOf(words: readonly string[]): Settings {
  const s: Settings = { protocol: "", values: {}, set: {}, faults: [], rest: [] };
  for (let i = words[0] === "sim" ? 1 : 0; i < words.length; i++) {
    const word = words[i];
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = equals > 0 ? word.slice(0, equals) : word;
    const long = Object.keys(OPTIONS).find((o) => o === name || (OPTIONS[o] !== "" && OPTIONS[o] === name));
    const value = (): string => (equals > 0 ? word.slice(equals + 1) : words[++i] ?? "");
    if (long) s.values[long] = value();
    else if (name === "--set") {
      const v = value(), at = v.indexOf("=");
      s.set[at < 0 ? v : v.slice(0, at)] = at < 0 ? "" : v.slice(at + 1);
    } else if (name === "--fault") s.faults.push(value());
    else if (!word.startsWith("-") && s.protocol === "") s.protocol = word;
    else s.rest.push(word);
  }
  return s;
}

export function wordsOf(s: Settings): string[] {
  const words = ["sim", s.protocol];
  for (const [name, short] of Object.entries(OPTIONS)) {
    const value = s.values[name];
    if (value) words.push(short || name, value);
  }
  for (const [key, value] of Object.entries(s.set)) if (value !== "") words.push("--set", `${key}=${value}`);
  for (const fault of s.faults) if (fault.trim() !== "") words.push("--fault", fault.trim());
  return [...words, ...s.rest];
}
