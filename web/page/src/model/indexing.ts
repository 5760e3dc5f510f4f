/*
 * indexing.ts - builds the indexes of a run.
 *
 * A million events take longer than a frame: the work is done in steps, and the
 * page draws and answers between them.
 */
import { NONE, ROW, SAME_ROLE, type Recording } from "../engine/api";
import { LEADER, LOOKS, lookOf } from "./looks";
import { judge } from "./pace";
import { BLOCK, Run, STRIDE, SUMS, WHAT, addSpan } from "./run";

type Steps = Generator<void, void>;

/* So many rounds of a loop between two steps: about a millisecond's worth. */
const ROUNDS = 1 << 15;
const TURN = 12; /* milliseconds of work before others get their turn */
const DOWN_ROLE = 15;

function* indexLanes(run: Run): Steps {
  const { lane } = run.rec.events;
  const start = new Uint32Array(run.lanes + 1);
  for (let i = 0; i < run.events; i++) start[lane[i] + 1]++;
  yield;
  for (let l = 0; l < run.lanes; l++) start[l + 1] += start[l];
  const at = start.slice();
  const of = new Uint32Array(run.events);
  for (let i = 0; i < run.events; i++) {
    if (i % ROUNDS === 0) yield;
    of[at[lane[i]]++] = i;
  }
  run.eventStart = start;
  run.eventOf = of;
}

function* indexSpans(run: Run): Steps {
  const { tick, role, what, flags } = run.rec.events;
  const first = run.rec.head.firstRole;
  const { eventStart, eventOf } = run;
  let most = run.lanes;
  for (let i = 0; i < run.events; i++) {
    if (role[i] !== SAME_ROLE || what[i] === WHAT.crash || what[i] === WHAT.restart) most++;
  }
  const start = new Uint32Array(run.lanes + 1);
  const ticks = new Float64Array(most);
  const looks = new Uint8Array(most);
  const roles = new Uint8Array(most);
  const rests = new Uint8Array(most);
  const by = new Uint32Array(most);
  let n = 0;
  for (let l = 0; l < run.lanes; l++) {
    let now = first, nowRests = 0, before = first, beforeRests = 0;
    start[l] = n;
    ticks[n] = 0; looks[n] = lookOf(first, false); roles[n] = first; by[n++] = NONE;
    for (let k = eventStart[l]; k < eventStart[l + 1]; k++) {
      if (k % ROUNDS === 0) yield;
      const e = eventOf[k];
      let next = now, nextRests = nowRests;
      if (what[e] === WHAT.crash) {
        before = now; beforeRests = nowRests;
        next = DOWN_ROLE; nextRests = 0;
      } else if (what[e] === WHAT.restart && now === DOWN_ROLE) {
        const blank = (flags[e] & ROW.BLANK) !== 0;
        next = blank ? first : before;
        nextRests = blank ? 0 : beforeRests;
      }
      if (role[e] !== SAME_ROLE && role[e] !== DOWN_ROLE) {
        next = role[e];
        nextRests = (flags[e] & ROW.RESTS) !== 0 ? 1 : 0;
      }
      if (next === now && nextRests === nowRests) continue;
      now = next; nowRests = nextRests;
      ticks[n] = tick[e]; looks[n] = lookOf(now, nowRests === 1);
      roles[n] = now; rests[n] = nowRests; by[n++] = e;
    }
  }
  start[run.lanes] = n;
  run.spanStart = start;
  run.spanTick = ticks.subarray(0, n);
  run.spanLook = looks.subarray(0, n);
  run.spanRole = roles.subarray(0, n);
  run.spanRests = rests.subarray(0, n);
  run.spanEvent = by.subarray(0, n);
  yield* sumSpans(run);
  for (let l = 0; l < run.lanes; l++) {
    if (looks[start[l + 1] - 1] === LEADER) run.leader = l;
  }
}

/* Of each lane, from its first span on, at every STRIDE-th span. */
function* sumSpans(run: Run): Steps {
  const n = run.spanTick.length;
  const sums = new Float64Array((Math.floor(n / STRIDE) + 1) * SUMS);
  const now = new Float64Array(SUMS);
  for (let l = 0; l < run.lanes; l++) {
    now.fill(0);
    for (let s = run.spanStart[l]; s < run.spanStart[l + 1]; s++) {
      if (s % ROUNDS === 0) yield;
      if (s % STRIDE === 0) sums.set(now, (s / STRIDE) * SUMS);
      addSpan(now, run.spanLook[s], run.spanEnd(l, s) - run.spanTick[s]);
    }
  }
  run.spanSums = sums;
}

function* indexTurns(run: Run): Steps {
  const n = run.spanTick.length - run.lanes;
  const byTime = new Uint32Array(n);
  const lookFrom = new Uint8Array(n), lookTo = new Uint8Array(n), ticks = new Float64Array(n);
  /* Spans in the order of their events: one pass over a map from event to span. */
  const spanAt = new Uint32Array(run.events).fill(NONE);
  for (let l = 0; l < run.lanes; l++) {
    for (let s = run.spanStart[l] + 1; s < run.spanStart[l + 1]; s++) spanAt[run.spanEvent[s]] = s;
  }
  yield;
  let at = 0;
  for (let e = 0; e < run.events; e++) if (spanAt[e] !== NONE) byTime[at++] = spanAt[e];
  const counts = new Float64Array(LOOKS.length);
  counts[lookOf(run.rec.head.firstRole, false)] = run.lanes;
  const sums = new Float64Array((Math.floor(n / STRIDE) + 1) * 2 * LOOKS.length);
  const total = new Float64Array(LOOKS.length);
  let last = 0;
  for (let i = 0; i < n; i++) {
    if (i % ROUNDS === 0) yield;
    const s = byTime[i];
    ticks[i] = run.spanTick[s];
    lookFrom[i] = run.spanLook[s - 1];
    lookTo[i] = run.spanLook[s];
    for (let k = 0; k < counts.length; k++) total[k] += counts[k] * (ticks[i] - last);
    last = ticks[i];
    if (i % STRIDE === 0) {
      sums.set(total, (i / STRIDE) * 2 * LOOKS.length);
      sums.set(counts, (i / STRIDE) * 2 * LOOKS.length + LOOKS.length);
    }
    counts[lookFrom[i]]--;
    counts[lookTo[i]]++;
  }
  run.turnTick = ticks;
  run.turnFrom = lookFrom;
  run.turnTo = lookTo;
  run.turnSums = sums;
}

function* indexMessages(run: Run): Steps {
  const { messages: m, events: e } = run.rec;
  const n = run.messages;
  const sent = new Float64Array(n), ends = new Float64Array(n), from = new Uint32Array(n);
  const lostAfter = run.lateAfter() === Infinity ? 2 : Math.max(1, run.lateAfter());
  const reach = new Float64Array(Math.ceil(n / BLOCK) + 1).fill(-Infinity);
  const sample: number[] = [];
  const every = Math.max(1, Math.floor(n / 999));
  for (let j = 0; j < n; j++) {
    if (j % ROUNDS === 0) yield;
    const by = m.by[j];
    sent[j] = e.tick[by];
    from[j] = e.lane[by];
    /* A lost message has no arrival: its stump is half as long as a late one's. */
    ends[j] = Number.isFinite(m.arrives[j]) ? m.arrives[j] : sent[j] + lostAfter;
    const block = Math.floor(j / BLOCK);
    let far = ends[j];
    if (m.read[j] !== NONE) far = Math.max(far, e.tick[m.read[j]]);
    if (far > reach[block]) reach[block] = far;
    if (j % every === 0 && Number.isFinite(m.arrives[j])) sample.push(ends[j] - sent[j]);
  }
  sample.sort((a, b) => a - b);
  run.usualDelay = Math.max(1, sample[sample.length >> 1] ?? 1);
  run.sentTick = sent;
  run.arrowEnd = ends;
  run.from = from;
  run.reach = reach;
}

function* indexSends(run: Run): Steps {
  const frame = Uint8Array.from(run.rec.head.kinds, (k) => (k.meaning === "frame" ? 1 : 0));
  const { kind } = run.rec.messages;
  const start = new Uint32Array(run.lanes + 1);
  let n = 0;
  for (let j = 0; j < run.messages; j++) {
    if (j % ROUNDS === 0) yield;
    if (frame[kind[j]] === 1) continue;
    start[run.from[j] + 1]++;
    n++;
  }
  for (let l = 0; l < run.lanes; l++) start[l + 1] += start[l];
  const at = start.slice();
  const ticks = new Float64Array(n), all = new Float64Array(n);
  n = 0;
  for (let j = 0; j < run.messages; j++) {
    if (j % ROUNDS === 0) yield;
    if (frame[kind[j]] === 1) continue;
    ticks[at[run.from[j]]++] = run.sentTick[j];
    all[n++] = run.sentTick[j];
  }
  run.sendStart = start;
  run.sendTick = ticks;
  run.allSends = all;
}

/* Each start of a timer, up to its end: it expires, is stopped or set anew, or
 * its node crashes. */
function* indexTimers(run: Run): Steps {
  const { tick, lane, what, timer } = run.rec.events;
  const armed = armedOf(run.rec);
  const n = armed.event.length;
  const open = new Map<number, number>();
  const t = { lane: new Uint32Array(n), from: new Float64Array(n), to: new Float64Array(n).fill(run.end), reach: new Float64Array(0) };
  const close = (l: number, k: number, at: number): void => {
    const i = open.get(l * 256 + k);
    if (i === undefined) return;
    t.to[i] = at;
    open.delete(l * 256 + k);
  };
  let next = 0, count = 0;
  for (let e = 0; e < run.events && n > 0; e++) {
    if (e % ROUNDS === 0) yield;
    if (what[e] === WHAT.timeout) close(lane[e], timer[e], tick[e]);
    else if (what[e] === WHAT.crash) for (let k = 0; k < 8; k++) close(lane[e], k, tick[e]);
    for (; next < n && armed.event[next] <= e; next++) {
      close(lane[e], armed.timer[next], tick[e]);
      if (armed.steps[next] < 0) continue;
      open.set(lane[e] * 256 + armed.timer[next], count);
      t.lane[count] = lane[e];
      t.from[count++] = tick[e];
    }
  }
  t.reach = new Float64Array(Math.ceil(count / BLOCK) + 1).fill(-Infinity);
  for (let i = 0; i < count; i++) {
    const block = Math.floor(i / BLOCK);
    if (t.to[i] > t.reach[block]) t.reach[block] = t.to[i];
  }
  run.timers = { ...t, lane: t.lane.subarray(0, count), from: t.from.subarray(0, count), to: t.to.subarray(0, count) };
}

function armedOf(rec: Recording): NonNullable<Recording["timerColumns"]> {
  return rec.timerColumns ?? {
    event: Uint32Array.from(rec.timers, (a) => a.event),
    timer: Uint8Array.from(rec.timers, (a) => a.timer),
    steps: Float64Array.from(rec.timers, (a) => a.steps),
  };
}

const PHASES = [indexLanes, indexSpans, indexTurns, indexMessages, indexSends, indexTimers];

/* Builds the indexes, and lets the page breathe in between; `judged`: looks for
 * steps beyond their bounds, too. */
export async function index(rec: Recording, judged = false): Promise<Run> {
  const run = new Run(rec);
  let began = performance.now();
  for (const phase of judged ? [...PHASES, judge] : PHASES) {
    const steps = phase(run);
    while (!steps.next().done) {
      if (performance.now() - began < TURN) continue;
      await breath();
      began = performance.now();
    }
  }
  return run;
}

/* The same at once, for tests and for small runs. */
export function indexNow(rec: Recording): Run {
  const run = new Run(rec);
  for (const phase of [...PHASES, judge]) for (const _ of phase(run));
  return run;
}

function breath(): Promise<void> {
  return new Promise((go) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      go();
    };
    channel.port2.postMessage(0);
  });
}
