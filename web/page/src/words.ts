/*
 * words.ts - everything that people read on the page, by room.
 */

/* The head, the frame, what belongs to no room. */
export const PAGE = {
  name: "Fulcrum",
  what: "playground",
};

/* The names of roles, as a card says them. */
export const ROLE_WORDS: Record<string, string> = {
  asleep: "asleep", awake: "awake", candidate: "candidate", lost: "lost",
  leader: "leader", done: "done", idle: "idle", sleeping: "wants in, has not asked yet",
  asking: "asks, window open", waiting: "waits", inside: "inside", mute: "mute",
  reading: "reads", writing: "writes", beside: "inside, reads", down: "down",
};

export const LOADING = {
  starting: "Loading the simulator …",
  running: "Running …",
  reading: (name: string) => `Reading ${name} …`,
  refused: (name: string, why: string) => `${name} is not a trace that can be shown: ${why}`,
  broke: (why: string) => `The engine stopped (${why}). Reload the page, or try fewer events.`,
};

const COUNT_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const countWord = (n: number): string => COUNT_WORDS[n] ?? String(n);

/* The finding of a picture, and the words on the flag of a violation. */
const FLAGS: Record<string, string> = {
  "token-grows": "stale token", ends: "not over", elected: "nobody elected",
  "everyone-told": "not all told", agreement: "two opinions", "right-leader": "wrong leader",
  "right-answer": "wrong answer", "no-torn-read": "torn read", "everyone-reads": "unread",
  "everyone-enters": "left out", "one-token": "not one token",
};
export const FINDINGS = {
  flag: (property: string, together: number): string =>
    property === "exclusion" ? `${countWord(Math.max(2, together))} inside`
    : property === "one-leader" ? `${countWord(Math.max(2, together))} leaders`
    : FLAGS[property] ?? property.replaceAll("-", " "),
  violated: (protocol: string, flag: string, tick: number) => `${protocol}: ${flag} at t = ${tick}`,
  leads: (protocol: string, name: string, tick: number) => `${protocol}: ${name} leads from t = ${tick}`,
  noLeader: (protocol: string) => `${protocol}: nobody leads`,
  entries: (protocol: string, n: number) => `${protocol}: ${n} ${n === 1 ? "entry" : "entries"}, never two inside`,
  plain: (protocol: string) => protocol,
};

/* In the space-time diagram. */
export const SCENE = {
  at: (t: number) => `t = ${t}`,
  lanes: (n: number) => `${n} nodes`,
  inside: "inside",
  leader: "leader",
  reader: "R",
  bounds: (name: string, least: number, most: number) =>
    least === most ? `${name}min = ${name}max = ${least}`
    : `${name}min ${least} … ${name}max ${Number.isFinite(most) ? most : "∞"}`,
  describe: (title: string, lanes: number, messages: number, ticks: number) =>
    `Space-time diagram. ${title}. ${lanes} lanes, ${messages} messages, ${ticks} ticks.`,
};

export const STAGE = {
  name: "Space-time diagram",
  out: "Zoom out", in: "Zoom in", fit: "Fit", fitTitle: "Show the whole run",
  zoom: (px: number, level: string): string => {
    const size = px >= 1 ? `${px < 10 ? Math.round(px * 10) / 10 : Math.round(px)} px a tick` : `${Math.round(1 / px)} ticks a px`;
    const how: Record<string, string> = {
      labels: "every arrow drawn", arrows: "every arrow drawn", hairs: "every message a line",
      cells: "messages as density", shares: "lanes as shares",
    };
    return `${size}, ${how[level]}`;
  },
};

export const EXPORT = {
  save: "Save",
  trace: "Trace",
  asText: "As text",
  close: "Close",
  noTrace: "This run is not complete yet: there is no trace of it.",
};
