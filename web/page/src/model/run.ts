/*
 * run.ts - a recording with the indexes that drawing needs.  All of them are
 * sorted by time, so that a frame looks only at what is in sight.
 * indexing.ts builds them.
 */
import { MESSAGE, NONE, WHATS, type Recording } from "../engine/api";
import { INSIDE, LEADER, LOOKS, lookOf } from "./looks";
import { above, below } from "./search";

export const WHAT = Object.fromEntries(WHATS.map((w, i) => [w, i])) as Record<(typeof WHATS)[number], number>;

/* Sums over spans are kept for every 32nd of them. */
export const STRIDE = 32;
/* Durations of all looks, then how many spans of leader and inside began. */
export const SUMS = LOOKS.length + 2;
/* Messages are looked through in blocks whose last arrival is known. */
export const BLOCK = 64;

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
  turnFrom = new Uint8Array(0);
  turnTo = new Uint8Array(0);
  /* Messages: when sent, by whom, where the arrow ends. */
  sentTick = new Float64Array(0);
  from = new Uint32Array(0);
  arrowEnd = new Float64Array(0);
  reach = new Float64Array(0);
  /* Ticks at which each lane sends, without liveness frames. */
  sendStart = new Uint32Array(0);
  sendTick = new Float64Array(0);
  allSends = new Float64Array(0);
  /* Timers, sorted by from; reach: the latest end of each block of them. */
  timers = { lane: new Uint32Array(0), from: new Float64Array(0), to: new Float64Array(0), reach: new Float64Array(0) };
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

  /* Timers that run during a stretch of time. */
  *timersBetween(from: number, to: number): Generator<number> {
    const { timers } = this;
    const hi = above(timers.from, to, 0, timers.from.length);
    for (let b = 0; b * BLOCK < hi; b++) {
      if (timers.reach[b] < from) continue;
      const last = Math.min(hi, (b + 1) * BLOCK);
      for (let i = b * BLOCK; i < last; i++) if (timers.to[i] >= from) yield i;
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

export function addSpan(sums: Float64Array, look: number, ticks: number): void {
  sums[look] += ticks;
  if (look === LEADER) sums[LOOKS.length]++;
  else if (look === INSIDE) sums[LOOKS.length + 1]++;
}
