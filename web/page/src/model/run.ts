/*
 * run.ts - a recording with the indexes that drawing needs.  All of them are
 * sorted by time, so that a frame looks only at what is in sight.
 *
 * Indexing a million events takes longer than a frame: it is done in phases
 * with a breath between them (index()).
 */
import { MESSAGE, NONE, ROW, SAME_ROLE, WHATS, type Recording } from "../engine/api";
import { INSIDE, LEADER, LOOKS, lookOf } from "./looks";
import { above, below } from "./search";

const WHAT = Object.fromEntries(WHATS.map((w, i) => [w, i])) as Record<(typeof WHATS)[number], number>;
const DOWN_ROLE = 15;

/* Sums over spans are kept for every 32nd of them. */
const STRIDE = 32;
/* Durations of all looks, then how many spans of leader and inside began. */
export const SUMS = LOOKS.length + 2;
/* Messages are looked through in blocks whose last arrival is known. */
const BLOCK = 64;

export class Run {
  readonly lanes: number;
  readonly events: number;
  readonly messages: number;
  readonly end: number; /* of the axis: one tick after the last event */
  /* Events of each lane: eventOf[eventStart[l] .. eventStart[l + 1]). */
  eventStart = new Uint32Array(0);
  eventOf = new Uint32Array(0);
  /* Spans of equal look of each lane, from spanTick on. */
  spanStart = new Uint32Array(0);
  spanTick = new Float64Array(0);
  spanLook = new Uint8Array(0);
  spanRole = new Uint8Array(0);
  spanEvent = new Uint32Array(0);
  spanSums = new Float64Array(0);
  /* Changes of look of all lanes in the order of time, for shares. */
  turnTick = new Float64Array(0);
  turnSums = new Float64Array(0); /* integrals, then how many lanes have it now */
  private turnFrom = new Uint8Array(0);
  private turnTo = new Uint8Array(0);
  /* Messages: when sent, by whom, where the arrow ends. */
  sentTick = new Float64Array(0);
  from = new Uint32Array(0);
  arrowEnd = new Float64Array(0);
  private reach = new Float64Array(0);
  /* Ticks at which each lane sends, without liveness frames. */
  sendStart = new Uint32Array(0);
  sendTick = new Float64Array(0);
  allSends = new Float64Array(0);
  /* Timers: lane, from, to; sorted by from. */
  timers: { lane: number; from: number; to: number; reach: number }[] = [];
  /* The usual time from sending to reading: what a zoom level is measured in. */
  usualDelay = 1;
  /* The lane that leads at the end and its name, or -1. */
  leader = -1;
  spanRests = new Uint8Array(0);

  constructor(readonly rec: Recording) {
    this.lanes = rec.head.nodes;
    this.events = rec.events.count;
    this.messages = rec.messages.count;
    const last = this.events > 0 ? rec.events.tick[this.events - 1] : 0;
    this.end = Math.max(last, Number.isFinite(rec.endTick) ? rec.endTick : 0) + 1;
  }

  /* In this order; each is far below 50 ms for a million events. */
  phases(): (() => void)[] {
    return [
      () => this.indexLanes(),
      () => this.indexSpans(),
      () => this.indexTurns(),
      () => this.indexMessages(),
      () => this.indexSends(),
      () => this.indexTimers(),
    ];
  }

  /* ---- Building ----------------------------------------------------------- */

  private indexLanes(): void {
    const { lane } = this.rec.events;
    const start = new Uint32Array(this.lanes + 1);
    for (let i = 0; i < this.events; i++) start[lane[i] + 1]++;
    for (let l = 0; l < this.lanes; l++) start[l + 1] += start[l];
    const at = start.slice();
    const of = new Uint32Array(this.events);
    for (let i = 0; i < this.events; i++) of[at[lane[i]]++] = i;
    this.eventStart = start;
    this.eventOf = of;
  }

  private indexSpans(): void {
    const { tick, role, what, flags } = this.rec.events;
    const first = this.rec.head.firstRole;
    const { eventStart, eventOf } = this;
    let most = this.lanes;
    for (let i = 0; i < this.events; i++) {
      if (role[i] !== SAME_ROLE || what[i] === WHAT.crash || what[i] === WHAT.restart) most++;
    }
    const start = new Uint32Array(this.lanes + 1);
    const ticks = new Float64Array(most);
    const looks = new Uint8Array(most);
    const roles = new Uint8Array(most);
    const rests = new Uint8Array(most);
    const by = new Uint32Array(most);
    let n = 0;
    for (let l = 0; l < this.lanes; l++) {
      let now = first, nowRests = 0, before = first, beforeRests = 0;
      start[l] = n;
      ticks[n] = 0; looks[n] = lookOf(first, false); roles[n] = first; by[n++] = NONE;
      for (let k = eventStart[l]; k < eventStart[l + 1]; k++) {
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
    start[this.lanes] = n;
    this.spanStart = start;
    this.spanTick = ticks.subarray(0, n);
    this.spanLook = looks.subarray(0, n);
    this.spanRole = roles.subarray(0, n);
    this.spanRests = rests.subarray(0, n);
    this.spanEvent = by.subarray(0, n);
    this.sumSpans();
    for (let l = 0; l < this.lanes; l++) {
      if (looks[start[l + 1] - 1] === LEADER) this.leader = l;
    }
  }

  /* Of each lane, from its first span on, at every STRIDE-th span. */
  private sumSpans(): void {
    const n = this.spanTick.length;
    const sums = new Float64Array((Math.floor(n / STRIDE) + 1) * SUMS);
    const now = new Float64Array(SUMS);
    for (let l = 0; l < this.lanes; l++) {
      now.fill(0);
      for (let s = this.spanStart[l]; s < this.spanStart[l + 1]; s++) {
        if (s % STRIDE === 0) sums.set(now, (s / STRIDE) * SUMS);
        addSpan(now, this.spanLook[s], this.spanEnd(l, s) - this.spanTick[s]);
      }
    }
    this.spanSums = sums;
  }

  private indexTurns(): void {
    const n = this.spanTick.length - this.lanes;
    const byTime = new Uint32Array(n);
    const lookFrom = new Uint8Array(n), lookTo = new Uint8Array(n), ticks = new Float64Array(n);
    /* Spans in the order of their events: one pass over a map from event to span. */
    const spanAt = new Uint32Array(this.events).fill(NONE);
    for (let l = 0; l < this.lanes; l++) {
      for (let s = this.spanStart[l] + 1; s < this.spanStart[l + 1]; s++) spanAt[this.spanEvent[s]] = s;
    }
    let at = 0;
    for (let e = 0; e < this.events; e++) if (spanAt[e] !== NONE) byTime[at++] = spanAt[e];
    const counts = new Float64Array(LOOKS.length);
    counts[lookOf(this.rec.head.firstRole, false)] = this.lanes;
    const sums = new Float64Array((Math.floor(n / STRIDE) + 1) * 2 * LOOKS.length);
    const total = new Float64Array(LOOKS.length);
    let last = 0;
    for (let i = 0; i < n; i++) {
      const s = byTime[i];
      ticks[i] = this.spanTick[s];
      lookFrom[i] = this.spanLook[s - 1];
      lookTo[i] = this.spanLook[s];
      for (let k = 0; k < counts.length; k++) total[k] += counts[k] * (ticks[i] - last);
      last = ticks[i];
      if (i % STRIDE === 0) {
        sums.set(total, (i / STRIDE) * 2 * LOOKS.length);
        sums.set(counts, (i / STRIDE) * 2 * LOOKS.length + LOOKS.length);
      }
      counts[lookFrom[i]]--;
      counts[lookTo[i]]++;
    }
    this.turnTick = ticks;
    this.turnFrom = lookFrom;
    this.turnTo = lookTo;
    this.turnSums = sums;
  }

  private indexMessages(): void {
    const { messages: m, events: e } = this.rec;
    const n = this.messages;
    const sent = new Float64Array(n), ends = new Float64Array(n), from = new Uint32Array(n);
    const lostAfter = this.lateAfter() === Infinity ? 2 : Math.max(1, this.lateAfter());
    const reach = new Float64Array(Math.ceil(n / BLOCK) + 1).fill(-Infinity);
    const sample: number[] = [];
    const every = Math.max(1, Math.floor(n / 999));
    for (let j = 0; j < n; j++) {
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
    this.usualDelay = Math.max(1, sample[sample.length >> 1] ?? 1);
    this.sentTick = sent;
    this.arrowEnd = ends;
    this.from = from;
    this.reach = reach;
  }

  private indexSends(): void {
    const frame = Uint8Array.from(this.rec.head.kinds, (k) => (k.meaning === "frame" ? 1 : 0));
    const { kind } = this.rec.messages;
    const start = new Uint32Array(this.lanes + 1);
    let n = 0;
    for (let j = 0; j < this.messages; j++) {
      if (frame[kind[j]] === 1) continue;
      start[this.from[j] + 1]++;
      n++;
    }
    for (let l = 0; l < this.lanes; l++) start[l + 1] += start[l];
    const at = start.slice();
    const ticks = new Float64Array(n), all = new Float64Array(n);
    n = 0;
    for (let j = 0; j < this.messages; j++) {
      if (frame[kind[j]] === 1) continue;
      ticks[at[this.from[j]]++] = this.sentTick[j];
      all[n++] = this.sentTick[j];
    }
    this.sendStart = start;
    this.sendTick = ticks;
    this.allSends = all;
  }

  private indexTimers(): void {
    const { tick, lane, what, timer } = this.rec.events;
    const open = new Map<number, number>();
    const list: { lane: number; from: number; to: number; reach: number }[] = [];
    const close = (l: number, t: number, at: number) => {
      const i = open.get(l * 256 + t);
      if (i === undefined) return;
      list[i].to = at;
      open.delete(l * 256 + t);
    };
    let next = 0;
    const armed = this.rec.timers;
    /* Only as many as anybody could look at; a long run has states, not timers. */
    const most = Math.min(this.events, 200000);
    for (let e = 0; e < most; e++) {
      if (what[e] === WHAT.timeout) close(lane[e], timer[e], tick[e]);
      if (what[e] === WHAT.crash) for (let t = 0; t < 8; t++) close(lane[e], t, tick[e]);
      for (; next < armed.length && armed[next].event <= e; next++) {
        const a = armed[next];
        close(lane[e], a.timer, tick[e]);
        if (a.steps < 0) continue;
        open.set(lane[e] * 256 + a.timer, list.length);
        list.push({ lane: lane[e], from: tick[e], to: this.end, reach: 0 });
      }
    }
    let reach = 0;
    for (const t of list) t.reach = reach = Math.max(reach, t.to);
    this.timers = list;
  }

  /* ---- Asking ------------------------------------------------------------- */

  /* What people call a lane. */
  name(lane: number): string {
    const { head } = this.rec;
    const name = String(head.names[lane] ?? lane);
    return head.problem === "election" ? name : `P${name}`;
  }

  /* After how many ticks a message is late; Infinity: never. */
  lateAfter(): number {
    const { time, bounds } = this.rec.head;
    if (time === "async") return Infinity;
    return Math.max(bounds.dmax, 1);
  }

  spanEnd(lane: number, s: number): number {
    return s + 1 < this.spanStart[lane + 1] ? this.spanTick[s + 1] : this.end;
  }

  /* The span of a lane at a time (after all that happens at it). */
  spanAt(lane: number, time: number): number {
    return Math.max(this.spanStart[lane], above(this.spanTick, time, this.spanStart[lane], this.spanStart[lane + 1]) - 1);
  }

  /* The span of a lane after an event, -1: before the first. */
  spanAfter(lane: number, event: number): number {
    let lo = this.spanStart[lane] + 1, hi = this.spanStart[lane + 1];
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (event >= 0 && this.spanEvent[mid] <= event) lo = mid + 1;
      else hi = mid;
    }
    return lo - 1;
  }

  /* Durations of each look in a lane up to a time, and how many spans of leader
   * and inside began; into `out`, SUMS long. */
  sumsUpTo(lane: number, time: number, out: Float64Array): void {
    const first = this.spanStart[lane];
    const s = this.spanAt(lane, time);
    const mark = Math.floor(s / STRIDE) * STRIDE;
    let from = first;
    if (mark > first) {
      out.set(this.spanSums.subarray((mark / STRIDE) * SUMS, (mark / STRIDE + 1) * SUMS));
      from = mark;
    } else out.fill(0);
    for (let i = from; i < s; i++) addSpan(out, this.spanLook[i], this.spanTick[i + 1] - this.spanTick[i]);
    addSpan(out, this.spanLook[s], Math.max(0, time - this.spanTick[s]));
  }

  /* How many lanes have each look, summed over time up to `time`. */
  sharesUpTo(time: number, out: Float64Array): void {
    const k = LOOKS.length;
    const at = above(this.turnTick, time, 0, this.turnTick.length);
    const counts = new Float64Array(k);
    let i = 0, last = 0;
    out.fill(0);
    if (at > 0) {
      i = Math.floor((at - 1) / STRIDE) * STRIDE;
      const row = (i / STRIDE) * 2 * k;
      out.set(this.turnSums.subarray(row, row + k));
      counts.set(this.turnSums.subarray(row + k, row + 2 * k));
      last = this.turnTick[i];
    } else counts[lookOf(this.rec.head.firstRole, false)] = this.lanes;
    for (; i < at; i++) {
      for (let c = 0; c < k; c++) out[c] += counts[c] * (this.turnTick[i] - last);
      last = this.turnTick[i];
      counts[this.turnFrom[i]]--;
      counts[this.turnTo[i]]++;
    }
    for (let c = 0; c < k; c++) out[c] += counts[c] * Math.max(0, time - last);
  }

  /* How many messages a lane (-1: all) sends from one time to another. */
  sends(lane: number, from: number, to: number): number {
    if (lane < 0) return below(this.allSends, to, 0, this.allSends.length) - below(this.allSends, from, 0, this.allSends.length);
    const lo = this.sendStart[lane], hi = this.sendStart[lane + 1];
    return below(this.sendTick, to, lo, hi) - below(this.sendTick, from, lo, hi);
  }

  /* Messages whose way touches a stretch of time, in the order of sending. */
  *between(from: number, to: number): Generator<number> {
    const hi = above(this.sentTick, to, 0, this.messages);
    for (let b = 0; b * BLOCK < hi; b++) {
      if (this.reach[b] < from) continue;
      const last = Math.min(hi, (b + 1) * BLOCK);
      for (let m = b * BLOCK; m < last; m++) if (this.doneAt(m) >= from) yield m;
    }
  }

  /* When a message is read, or where its arrow ends if nobody reads it. */
  doneAt(m: number): number {
    const read = this.rec.messages.read[m];
    return read === NONE ? this.arrowEnd[m] : Math.max(this.arrowEnd[m], this.rec.events.tick[read]);
  }

  isLost(m: number): boolean {
    return !Number.isFinite(this.rec.messages.arrives[m]);
  }

  isFrame(m: number): boolean {
    return this.rec.head.kinds[this.rec.messages.kind[m]].meaning === "frame";
  }

  /* A claim of the one who leads in the end, on its way home. */
  wins(m: number): boolean {
    const { head, messages } = this.rec;
    if (this.leader < 0 || !head.named || messages.fieldCount[m] === 0) return false;
    if (head.kinds[messages.kind[m]].meaning !== "claims") return false;
    if (messages.fields[messages.fieldAt[m]] !== head.names[this.leader]) return false;
    return (messages.flags[m] & MESSAGE.DIES) === 0 || messages.to[m] === this.leader;
  }

  /* The last event at or before a time; -1. */
  eventAt(time: number): number {
    return above(this.rec.events.tick, time, 0, this.events) - 1;
  }

  tickOf(event: number): number {
    return event < 0 ? 0 : this.rec.events.tick[Math.min(event, this.events - 1)] ?? 0;
  }

  /* The next (way 1) or previous (way -1) event of a lane; -1: none. */
  neighbour(lane: number, event: number, way: 1 | -1): number {
    const lo = this.eventStart[lane], hi = this.eventStart[lane + 1];
    const k = way > 0 ? above(this.eventOf, event, lo, hi) : below(this.eventOf, event, lo, hi) - 1;
    return k >= lo && k < hi ? this.eventOf[k] : -1;
  }

  /* All messages that may have had a part in this one, itself included: one
   * pass backwards with the latest event of each lane that counts. */
  past(message: number): Set<number> {
    const { events: e, messages: m } = this.rec;
    const seen = new Set([message]);
    const front = new Int32Array(this.lanes).fill(-1);
    const by = m.by[message];
    front[e.lane[by]] = by;
    for (let i = by; i >= 0 && seen.size < 20000; i--) {
      const read = e.message[i];
      if (i > front[e.lane[i]] || read === NONE || e.what[i] !== WHAT.read) continue;
      seen.add(read);
      const sender = this.from[read];
      if (m.by[read] > front[sender]) front[sender] = m.by[read];
    }
    return seen;
  }

  /* Who is to blame for a violation of exclusion or of one leader. */
  withLook(look: number, event: number): number[] {
    const lanes: number[] = [];
    for (let l = 0; l < this.lanes; l++) if (this.spanLook[this.spanAfter(l, event)] === look) lanes.push(l);
    return lanes;
  }
}

function addSpan(sums: Float64Array, look: number, ticks: number): void {
  sums[look] += ticks;
  if (look === LEADER) sums[LOOKS.length]++;
  else if (look === INSIDE) sums[LOOKS.length + 1]++;
}

/* Builds the indexes; lets the page breathe between the phases. */
export async function index(rec: Recording): Promise<Run> {
  const run = new Run(rec);
  const small = rec.events.count < 20000;
  for (const phase of run.phases()) {
    phase();
    if (!small) await breath();
  }
  return run;
}

/* The same at once, for tests and for small runs. */
export function indexNow(rec: Recording): Run {
  const run = new Run(rec);
  for (const phase of run.phases()) phase();
  return run;
}

function breath(): Promise<void> {
  return new Promise((go) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { channel.port1.close(); go(); };
    channel.port2.postMessage(0);
  });
}
