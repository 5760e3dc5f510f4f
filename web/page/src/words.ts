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

export const NET = {
  roles: { asking: "asks", waiting: "waits", sleeping: "sleeps" } as Record<string, string>,
  title: (t: number) => `Network at t = ${t}`,
  describe: (title: string, n: number) => `${title}: ${n === 0 ? "no message" : n === 1 ? "one message" : `${n} messages`} under way`,
  rests: (problem: string) => (problem === "token" ? "would remove a token" : "holds a message"),
};

export const COUNTERS = {
  title: "Beside the paper",
  costs: {
    messages: "messages", end: "ticks to the last message", paper_bits: "bits, as the paper counts", wire_bits: "bits on the wire",
    messages_per_entry: "messages an entry", granting_delay: "ticks from asking to inside", elected_at: "ticks until elected",
    handoff: "ticks of a hand-off", refusals: "refusals an entry", entries: "entries",
  } as Record<string, string>,
  promise: {
    election: "never two leaders", mutex: "never two inside", token: "one token in the end", store: "no torn read",
  } as Record<string, string>,
  number: (n: number) => (Math.round(n * 10) / 10).toLocaleString("en-GB").replaceAll(",", " "),
  bound: (relation: string, value: number, formula: string) => {
    const sign = relation === "at most" ? "≤" : relation === "at least" ? "≥" : relation === "on average" ? "~" : relation === "exactly" ? "=" : relation;
    return `${sign} ${formula} = ${COUNTERS.number(value)}`;
  },
  end: (moves: boolean, end: number) => (moves ? `${COUNTERS.number(end)} at the end` : "over the whole run"),
  verdict: (v: string) => (v === "within" ? "✓ within" : v === "beyond" ? "✗ beyond" : v),
  beside: (n: number) => `; the other ${COUNTERS.number(n)}`,
  broken: (flag: string, t: number) => `${flag} at t = ${t}`,
  notYet: (flag: string, t: number) => `not broken yet; ${flag} at t = ${t}`,
};

export const NODE = {
  title: "State of the selected node",
  head: (name: string, role: string, since: number) => `${name}: ${role} since ${since}`,
  pin: "Pin",
  insane: (what: string) => `Broken invariant: ${what}`,
  caption: (name: string) => `Fields of ${name}, changed ones first`,
  none: "Nothing is known of its fields.",
};

export const KEY = {
  title: "Key",
  words: {
    asleep: "asleep or done", awake: "awake", candidate: "candidate", lost: "lost", leader: "leader", inside: "inside",
    beside: "inside, reads", rests: "message rests", asks: "asks", waits: "waits",
    wins: "the claim that wins", claims: "claim", grants: "grants", refuses: "refuses", calls: "calls", tells: "tells",
    token: "token", frame: "liveness", dies: "dies", silent: "read, silent", late: "later than dmax", "lost-message": "lost or missed",
  } as Record<string, string>,
};

export const RUN = {
  title: "Play and step",
  overview: "The whole run: messages a column. Drag to scrub.",
  buttons: { first: "To the start", back: "One event back", play: "Play", pause: "Pause", on: "One event on", last: "To the end" },
  speed: "Speed",
  setup: "Set up",
  ticks: (s: number) => `${s} ${s === 1 ? "tick" : "ticks"} a second`,
  clock: (t: number) => `t = ${t}`,
  of: (t: number) => `of ${t} · `,
  keys: [[["space"], "play"], [["←", "→"], "event"], [["+", "−"], "zoom"], [["?"], "all keys"]] as [string[], string][],
};

export const CARD = {
  message: (words: string, from: string, to: string) => `${words} from ${from} to ${to}`,
  times: (sent: number, read: number, arrives: number) =>
    Number.isNaN(read) ? (Number.isNaN(arrives) ? `sent ${sent}` : `sent ${sent}, arrives ${arrives}`)
    : read === arrives ? `sent ${sent}, read ${read}` : `sent ${sent}, arrives ${arrives}, read ${read}`,
  lost: "It is lost on its way.",
  missed: (to: string) => `${to} is down: nobody reads it.`,
  dies: (to: string) => `${to} reads it and drops it: the message dies.`,
  silent: (to: string) => `${to} reads it and answers by silence.`,
  unread: "Nobody has read it when the run ends.",
  late: (by: number) => `${by} ${by === 1 ? "tick" : "ticks"} later than dmax.`,
  left: (by: number) => (by === 0 ? "It takes all of dmax." : `${by} ${by === 1 ? "tick" : "ticks"} of dmax left.`),
  consequence: (name: string, role: string, rests: boolean, sent: number) => {
    const parts: string[] = [];
    if (role) parts.push(`becomes: ${role}${rests ? ", a message rests" : ""}`);
    if (sent > 0) parts.push(`sends ${sent === 1 ? "a message" : `${sent} messages`}`);
    return parts.length > 0 ? `${name} reads it and ${parts.join(", ")}.` : `${name} reads it.`;
  },
  since: (t: number) => `since ${t}`,
  rests: ", a message rests",
};

/* The settings of a run. */
export const SETUP = {
  sentence: (s: string) => s.charAt(0).toUpperCase() + s.slice(1).replace(/\.?$/, "."),
  title: "Settings",
  protocol: "Protocol",
  problems: { election: "Election", mutex: "Mutual exclusion", token: "Token", store: "Store" } as Record<string, string>,
  nodes: "Processors", seed: "Seed", roll: "Another seed",
  tree: "Tree", trees: [["", "random"], ["path", "path"], ["star", "star"], ["binary", "binary"]] as [string, string][],
  time: "Time", times: [["sync", "sync"], ["archimedean", "archimedean"], ["async", "async"]] as [string, string][],
  boundsTitle: "Bounds, in ticks", bounds: ["rmin", "rmax", "dmin", "dmax"],
  clock: "Clocks", clocks: [["", "fixed"], ["drift", "drift"], ["adversary", "adversary"]] as [string, string][],
  names: "Names, clockwise", namesAbout: "asc, desc, random or a list: 3,1,2",
  wake: "Wake-ups", wakeAbout: "all, first, random, random:K or NAME@TICK,…",
  entries: "Entries", section: "Inside", think: "Between", steps: "In steps: 15, uniform:1:10 or exp:200",
  faults: "Faults, one a line", faultsHint: "crash 3@10",
  faultsAbout: "crash NAME@TICK, restart NAME@TICK, pause NAME@TICK:TICKS, cut NAME,…@FROM:TO, loss P, duplicate P, late P:TICKS",
  parameters: "Rules and parameters",
  command: "Command line",
  run: "Run", load: "Load a trace", done: "Done",
};

export const HEAD = {
  rooms: "Rooms", stage: "Watch",
  link: "Copy link", theme: "Light or dark",
  copied: "Link copied.", notCopied: "The browser does not allow copying; take the address from its bar.",
  tooLong: "Too long for a link: saved as a file instead. Drop it on the page to open it.",
  title: (finding: string) => (finding ? `${finding} · Fulcrum` : "Fulcrum playground"),
};

export const KEYS = {
  title: "Keys",
  list: [
    ["space", "play, pause"], ["← →", "previous, next event"], ["shift ← →", "previous, next tick"],
    ["[ ]", "previous, next event of the selected node"], ["home end", "start, end"], ["↑ ↓", "previous, next node"],
    ["enter", "pin the state of the selected node"], ["+ − 0", "zoom in, out, fit"], ["v", "next violation (shift: previous)"],
    ["m", "follow the message of this event, or stop following"], ["f", "show liveness frames"], ["/", "find"],
    ["c", "compare"], ["b", "break it"], ["1 … 8", "scenes of the tour"], ["n p", "next, previous scene"],
    ["l", "copy link"], ["t", "light or dark"], ["?", "this list"], ["esc", "close, deselect"],
  ] as [string, string][],
};

export const FIND = {
  title: "Find",
  hint: "a node, t = 12, #3, or words such as crash",
  none: "Nothing found.",
  time: (t: number) => `t = ${t}`,
  node: (name: string) => `node ${name}`,
  event: (t: number, name: string, what: string, message: string, from: string, role: string, sent: number) => {
    const verb: Record<string, string> = {
      wake: "wakes up", want: "wants in", "want-shared": "wants to read", leave: "leaves", stopped: "is stopped by its guard",
      read: `reads ${message} from ${from}`, timeout: "has a timeout", misses: `misses ${message} from ${from}`,
      crash: "crashes", restart: "restarts", pause: "pauses", cut: "is cut off", joined: "is joined again",
    };
    return `t = ${t}, ${name} ${verb[what] ?? what}${role ? `: ${role}` : ""}${sent > 0 ? `, sends ${sent}` : ""}`;
  },
};

/* What the live region says. */
export const SAY = {
  step: (event: string, violation: string) => (violation ? `${event}. Violation: ${violation}.` : `${event}.`),
  start: "Before the first event.",
  ready: (title: string, events: number) => `${title}. ${events} events.`,
};
