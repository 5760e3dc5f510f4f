/*
 * words.ts - everything that people read on the page, by room.
 */

/* ---- Numbers as people read them ------------------------------------------ */

/* 1234567 as "1 234 567": a thin gap, as the guide has it. */
export function figure(x: number): string {
  if (!Number.isFinite(x)) return "∞";
  const rounded = Math.round(x * 10) / 10;
  const [whole, part] = String(rounded).split(".");
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return part ? `${grouped}.${part}` : grouped;
}

export function counted(x: number, one: string, many = `${one}s`): string {
  return `${figure(x)} ${x === 1 ? one : many}`;
}

/* ---- The tour -------------------------------------------------------------- */

export const TOUR = {
  title: "Tour",
  of: (i: number, all: number) => `${i} of ${all}`,
  back: "Previous scene",
  on: "Next scene",
  away: "Leave the tour",
  again: "Back to the scene as it was",
  left: "You have changed the run.",
  look: "Look for:",
  loading: "The scene is being computed …",
  failed: (why: string) => `The scene cannot be shown: ${why}`,
  scenes: {
    nlogn: {
      name: "Why N log N",
      title: (f: { claims: number; worst: number }) =>
        `Chance gets by with ${figure(f.claims)} claims where the worst order needs ${figure(f.worst)}`,
      text: (f: { nodes: number; claims: number; mean: number; worst: number }) =>
        `A claim walks on until it meets a smaller name. With ${figure(f.nodes)} names in random ` +
        `order most claims die after a step or two: ${figure(f.claims)} in all, and N·H(N) = ` +
        `${figure(f.mean)} on average. In ascending order every claim walks home: ` +
        `${figure(f.worst)}, which is N(N+1)/2.`,
      look: "where each claim ends, and that in ascending order none ends early.",
    },
    waiting: {
      name: "Waiting saves messages",
      title: (f: { a: number; b: number }) =>
        `Waiting saves messages: ${figure(f.a)} claims instead of ${figure(f.b)}`,
      text: (f: { a: number; b: number; ticks: number; other: number }) =>
        `On this ring Chang–Roberts passes ${figure(f.b)} claims: every name walks on until it ` +
        `meets a smaller one. Vitányi lets name i rest 2ⁱ ticks at each stop, so small names ` +
        `overtake big ones before these get far: ${figure(f.a)} claims. It pays in time, ` +
        `${figure(f.ticks)} ticks against ${figure(f.other)}.`,
      look: "the hatched bars: a claim that rests there until a smaller one kills it.",
    },
    silence: {
      name: "Silence is consent",
      title: (f: { a: number; b: number }) =>
        `Silence is consent: ${figure(f.a)} messages for an entry instead of ${figure(f.b)}`,
      text: (f: { a: number; b: number; window: number; wait: number; other: number }) =>
        `Ricart and Agrawala wait for a reply from everybody, ${figure(f.b)} messages. If delays ` +
        `and steps are bounded, a site that does not object need not answer: after a window of ` +
        `${figure(f.window)} steps silence means yes, and ${figure(f.a)} messages are enough. ` +
        `The price is the wait: ${figure(f.wait)} ticks from asking to entering, not ${figure(f.other)}.`,
      look: "hollow rings on the lanes: requests that are answered by silence.",
    },
    stale: {
      name: "The stale number",
      title: (f: { tick: number }) => `A stale number lets two in at t = ${figure(f.tick)}`,
      text: (f: { late: string; first: string; number: number; tick: number }) =>
        `As printed, ${f.late} takes its number, sleeps, and asks with a number that ${f.first} ` +
        `has already matched: both ask with ${figure(f.number)}. Neither has to refuse the other, ` +
        `so both go in, and from t = ${figure(f.tick)} two are inside.`,
      look: "the two requests with the same number.",
    },
    repair: {
      name: "The repair",
      title: () => "A number taken on waking keeps the second one out",
      text: (f: { late: string; printed: number; repaired: number; messages: number; other: number }) =>
        `The same seed, the same sleeps. Repaired, the number is taken as the site wakes: ` +
        `${f.late} has seen ${figure(f.printed)}, takes ${figure(f.repaired)}, is refused, and ` +
        `waits for a yes. That costs ${figure(f.messages)} messages instead of ${figure(f.other)}, ` +
        `and nobody is inside beside another.`,
      look: "the refusal, which the printed rules do not send.",
    },
    holding: {
      name: "Hold or forward",
      title: (f: { tick: number }) => `The claim one holds comes again: a rival, found at t = ${figure(f.tick)}`,
      text: (f: { rivals: number; holder: string; tick: number; draws: number; leader: string }) =>
        `Without names a claim looks like one's own. ${figure(f.rivals)} processors drew 1, and ` +
        `each got the claim of the other. Then coins decide: processor ${f.holder} holds its claim, the ` +
        `other sends it on, so that at t = ${figure(f.tick)} processor ${f.holder} gets a claim while it ` +
        `holds one. There must be a rival. All draw again, and processor ${f.leader} is elected in phase ` +
        `${figure(f.draws)}.`,
      look: "the claim that arrives at a lane that already holds one.",
    },
    starves: {
      name: "The seqlock that starves",
      title: (f: { ticks: number }) => `A reader as fast as the writer reads nothing in ${figure(f.ticks)} ticks`,
      text: (f: { ticks: number; writes: number; reads: number; words: number }) =>
        `A reader takes one counter, ${figure(f.words)} words and the other counter; if the two ` +
        `differ, the writer was there, and it reads again. This writer never stops, and every ` +
        `attempt meets it: in ${figure(f.ticks)} ticks the reader loads again and again and ` +
        `finishes ${f.reads === 0 ? "nothing" : counted(f.reads, "read")}. No read is wrong. None ends either.`,
      look: "the reader's bar, which goes on to the right edge.",
    },
    saves: {
      name: "The pause that saves it",
      title: (f: { attempts: number; tick: number }) =>
        `A pause after each write lets the reader through at attempt ${figure(f.attempts)}`,
      text: (f: { attempts: number; most: number; tick: number; pause: number }) =>
        `The writer rests for ${figure(f.pause)} steps after a write. One attempt may meet the ` +
        `write, the next fits into the pause: the read ends at t = ${figure(f.tick)}, with ` +
        `${counted(f.attempts, "attempt")} where the bound allows ${figure(f.most)}. It holds for ` +
        `every clock within the bounds, at the price of a slower writer.`,
      look: "the gap in the writer's lane, in which the second attempt runs.",
    },
  },
} as const;

/* ---- Comparison ------------------------------------------------------------ */

export const COMPARE = {
  title: "Compare",
  with: "Compare with",
  own: "another command …",
  protocols: "Other protocols",
  parameters: "Other parameters",
  second: "Second command",
  sameSeed: "Both runs have the same seed and one time axis.",
  first: "first",
  other: "second",
  go: "Compare",
  table: "Difference",
  messages: "messages",
  bits: "bits, as the papers count",
  ticks: "ticks",
  entries: "entries",
  violated: "violations",
  less: (by: string) => `second: ${by} fewer`,
  more: (by: string) => `second: ${by} more`,
  same: "the same",
  both: "Both",
  which: "Which run is shown",
  stop: "End comparison",
  failed: (why: string) => `The second command was refused: ${why}`,
};

/* ---- Break it -------------------------------------------------------------- */

export const BREAK = {
  title: "Break it",
  late: "Late message",
  pause: "Pause",
  crash: "Crash",
  cut: "Cut off",
  lose: "Lose one",
  double: "Deliver twice",
  copy: "Copy",
  order: "Overtake",
  printed: "Printed rules",
  hint: "Or drag the head of an arrow, past its dmax mark. Select a lane or a message first to say which is struck.",
  node: "Node",
  at: "At tick",
  lasts: "Ticks",
  apply: "Run it",
  cancel: "Cancel",
  mend: "Mend",
  mendAll: "Mend everything",
  broken: "Broken so far",
  nothing: "Nothing is broken yet.",
  back: "comes back",
  stays: "stays down",
  same: "with its memory",
  blank: "memory lost",
  again: "The command that shows it again",
  copied: "Copied.",
  noMessage: "This run has no message that could be struck.",
  then: "Then it",
  held: "✓ All properties hold all the same.",
  violated: (property: string, tick: number) => `${property} is violated at t = ${figure(tick)}`,
};

/* ---- The adversary --------------------------------------------------------- */

export const ADVERSARY = {
  title: "Be the adversary",
  start: "Play",
  presets: "A game",
  like: "like the run on the stage",
  games: {
    inside: "Two inside, by the printed rules",
    late: "One late message lets two in",
    overtake: "Messages overtake: two leaders",
    deadlock: "A deadlock of four",
    torn: "A torn read",
    coins: "Coins that agree: two leaders",
    blank: "A crash, and memory lost",
    safe: "The repaired lock: no way in",
  },
  command: "Command of the checker",
  moves: "Enabled moves",
  played: "Moves so far",
  none: "No move is enabled: the run has ended.",
  choose: "You choose what happens next. Try to break a property.",
  undo: "Undo",
  redo: "Redo",
  restart: "From the start",
  branch: "Played from here before",
  branchOf: (moves: number) => `(${counted(moves, "move")})`,
  branches: (n: number) => counted(n, "other branch", "other branches"),
  hint: "Hint",
  minimal: "Minimal",
  minimalAbout: "plays the shortest way to a violation",
  save: "Save as trace",
  folded: (n: number) => `${counted(n, "tick")} without a choice`,
  safe: "safe",
  notWithin: (k: number) => `not within ${figure(k)}`,
  atMost: (k: number) => `at most ${counted(k, "move")} to a violation`,
  endless: (k: number) => k === 0 ? "a run without end" : `${counted(k, "move")} to a run without end`,
  endlessHere: "From here the run need never end: that breaks a property, though no single move does. Go round as often as you like.",
  exactly: (k: number) => k === 0 ? "violated" : `${counted(k, "move")} to a violation`,
  breaks: (what: string) => `breaks ${what}`,
  ends: (what: string) => `If it ends here, ${what} is violated.`,
  progress: (states: number, levels: number) =>
    `${counted(states, "state")} known, all within ${counted(levels, "move")}`,
  allKnown: (states: number) => `all ${counted(states, "state")} known`,
  stoppedAt: (states: number, levels: number) =>
    `${counted(states, "state")} known, all within ${counted(levels, "move")}; the page stops here`,
  here: "From here",
  locked: "In this exercise you find the way yourself.",
  nobody: "No violation can be reached from here: every state is known.",
  hintIs: (label: string, left: number) => `Try: ${label}. Then ${counted(left, "move")} are left.`,
  hintNone: "No way to a violation is known yet.",
  won: (what: string, moves: number) => `${what} is violated after ${counted(moves, "move")}.`,
  violatedHere: "violated",
  firsts: "It begins with",
  beginning: (i: number, all: number, outlook: string) => `${i} of ${all}: ${outlook}`,
  near: "States near by",
  nearAbout: "Each dot is a state, each line a move; the ring is where you are.",
  kinds: { fault: "fault", coin: "coin", tick: "time passes" },
  fromRun: (moves: number) => `The run on the stage, ${counted(moves, "move")}: go on from any of them.`,
  toExercise: "Back to the exercise",
  loading: "The checker is being opened …",
};

/* ---- The course ------------------------------------------------------------ */

export const COURSE = {
  title: "Exercises",
  of: (solved: number, all: number) => `${figure(solved)} of ${figure(all)} solved`,
  solved: "solved",
  open: "open",
  inC: "in C",
  answer: "Your answer",
  check: "Check it",
  checking: "The engine is at work …",
  loading: "Reading the exercises …",
  points: (points: number, of: number) => `${figure(points)} of ${counted(of, "point")}`,
  hint: "Hint",
  hintFor: (cost: number) => `Hint (costs ${counted(cost, "point")})`,
  noHint: "That was the last hint.",
  look: "Look at this run",
  play: "Play it",
  playAbout: "Play it: your moves are the answer.",
  needsC: (file: string) => `The answer is a file, ${file}: hand it in beside the file that this page saves. ` +
    "It needs Linux and the source tree; fulcrum grade marks it.",
  back: "All exercises",
  next: "Next exercise",
  forget: "Forget my answers",
  who: "Who are you?",
  isWho: (id: string) => `Tasks of ${id}`,
  id: "Your ID, as your teacher knows it",
  name: "Your name",
  whoAbout: "Names, numbers and seeds vary with the ID, so that everybody has tasks of their own. " +
    "Without one they are those that the lecture shows.",
  whoKeep: "These are my tasks",
  saveAnswers: "Save my answers",
  local: "Answers and progress stay in this browser until you save them: the file is what you hand in. " +
    "An exercise of your teacher's, a file that ends in .exercise, can be dropped on this page.",
  sheet: "Sheet for teachers",
  sheetTitle: "Sheet for teachers",
  sheetAbout:
    "All exercises, marked by the engine: an answer is run, never compared with a text. " +
    "fulcrum grade marks what was handed in; fulcrum grade --answers prints right answers for each student.",
  sheetPrint: "Print",
  sheetClose: "Close",
  sheetColumns: ["exercise", "task", "what it teaches, what to ask", "points", "minutes"],
};

/* ---- One figure for slides ------------------------------------------------- */

export const EMBED = {
  again: "open in the playground",
  badView: (view: string) => `embed=${view} is not a figure: use time, network, both or states.`,
};

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
  nodes: "nodes",
  inside: "inside",
  leader: "leader",
  reader: "R",
  folded: (ticks: number) => figure(Math.round(ticks)),
  foldedTicks: (ticks: number) => `${figure(Math.round(ticks))} ticks left out`,
  bounds: (name: string, least: number, most: number) =>
    least === most ? `${name}min = ${name}max = ${least}`
    : `${name}min ${least} … ${name}max ${Number.isFinite(most) ? most : "∞"}`,
  describe: (title: string, lanes: number, messages: number, ticks: number) =>
    `Space-time diagram. ${title}. ${lanes} lanes, ${messages} messages, ${ticks} ticks.`,
};

export const STAGE = {
  name: "Space-time diagram",
  out: "Zoom out", in: "Zoom in", fit: "Fit", fitTitle: "Show the whole run",
  fold: "Fold", foldTitle: "Fold long silence: leave out stretches in which nothing happens",
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
  rests: (problem: string) => (problem === "token" ? "removes" : "holds"),
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
  number: (n: number) => (Math.round(n * 10) / 10).toLocaleString("en-GB").replaceAll(",", "\u00a0"),
  bound: (relation: string, value: number, formula: string) => {
    const signs: Record<string, string> = { "at most": "≤", "at least": "≥", "on average": "~", exactly: "=", "mean at most": "mean ≤" };
    const sign = signs[relation] ?? relation;
    return `${sign} ${formula} = ${COUNTERS.number(value)}`;
  },
  end: (moves: boolean, end: number) => (moves ? `${COUNTERS.number(end)} at the end` : "over the whole run"),
  verdict: (v: string) => (v === "within" ? "✓ within" : v === "beyond" ? "✗ beyond" : v),
  beside: (n: number) => `; the other ${COUNTERS.number(n)}`,
  bounds: (late: number, slow: number, fast: number) => {
    const parts = [late && `${counted(late, "message")} later than dmax`, slow && `${counted(slow, "step")} longer than rmax`, fast && `${counted(fast, "step")} shorter than rmin`];
    return `The bounds were broken: ${parts.filter(Boolean).join(", ")}.`;
  },
  broken: (flag: string, t: number) => `${flag} at t = ${t}`,
  notYet: (flag: string, t: number) => `not broken yet; ${flag} at t = ${t}`,
};

export const NODE = {
  title: "State of the selected node",
  head: (name: string, role: string, since: number) => `${name}: ${role} since ${since}`,
  pin: "Pin",
  rule: "By",
  insane: (what: string) => `Broken invariant: ${what}`,
  caption: (name: string) => `Fields of ${name}, changed ones first`,
  none: "Nothing is known of its fields.",
};

export const KEY = {
  title: "Key",
  words: {
    asleep: "asleep or done", awake: "awake", candidate: "candidate", lost: "lost", leader: "leader", inside: "inside",
    beside: "inside, reads", rests: "message rests", asks: "asks", waits: "waits",
    ">wins": "the claim that wins", ">claims": "claim", ">asks": "request", ">grants": "grants", ">refuses": "refuses",
    ">calls": "calls", ">tells": "tells", ">token": "token", ">frame": "liveness", dies: "dies", silent: "read, silent", late: "later than dmax", "lost-message": "lost or missed", crash: "crash", pause: "pause", cut: "cut off", slip: "step beyond its bounds",
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
  slip: (slow: boolean, steps: number, from: number, to: number, bound: number) =>
    slow ? `Too slow: from ${from} to ${to} it took ${counted(steps, "step")}; rmax is ${bound}.`
    : `Too fast: from ${from} to ${to} it took ${counted(steps, "step")}; rmin is ${bound}.`,
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
    ["m", "follow the message of this event, or stop following"], ["f", "show liveness frames"], ["z", "fold long silence"], ["/", "find"],
    ["c", "compare"], ["b", "break it"], ["1 … 8", "scenes of the tour"], ["n p", "next, previous scene"], ["u r h", "adversary: undo, redo, hint"],
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
