/*
 * card.ts - the hover card: a message with its times, a lane with its state.
 */
import { el } from "../dom";
import { rulesOf } from "../model/rules";
import { slips } from "../model/pace";
import { MESSAGE, NONE, ROLES } from "../engine/api";
import type { Run } from "../model/run";
import { get, on } from "../model/store";
import { CARD, ROLE_WORDS } from "../words";
import { messageWords } from "./spacetime/overlay";

const box = el("div", { class: "hovercard", role: "tooltip", hidden: true });

export function card(): void {
  document.body.append(box);
  on(["hover", "pointer", "cursor"], (changed) => {
    const { hover, shown, pointer } = get();
    if (!hover || !shown) {
      box.hidden = true;
      return;
    }
    if (changed.has("hover") || changed.has("cursor") || box.hidden) {
      const parts = hover.is === "message" ? message(shown.run, hover.message) : hover.is === "lane" ? lane(shown.run, hover.lane) : [];
      if (parts.length === 0) return;
      box.replaceChildren(...parts);
      box.hidden = false;
    }
    const { offsetWidth: w, offsetHeight: h } = box;
    const x = pointer.x + 16 + w > innerWidth - 8 ? pointer.x - w - 16 : pointer.x + 16;
    box.style.left = `${Math.max(8, x)}px`;
    box.style.top = `${Math.max(8, Math.min(innerHeight - h - 8, pointer.y + 14))}px`;
  });
}

export function messageFacts(run: Run, m: number): { title: string; times: string; story: string; more: string } {
  const { messages, events } = run.rec;
  const from = run.name(run.from[m]), to = run.name(messages.to[m]);
  const sent = run.sentTick[m], flags = messages.flags[m], read = messages.read[m];
  const readAt = read === NONE ? NaN : events.tick[read];
  const limit = run.lateAfter(), way = run.arrowEnd[m] - sent;
  const after = read === NONE || flags & MESSAGE.MISSED ? "" : consequence(run, read);
  const story = run.isLost(m) ? CARD.lost
    : flags & MESSAGE.MISSED ? CARD.missed(to)
    : flags & MESSAGE.DIES ? CARD.dies(to)
    : flags & MESSAGE.SILENT ? CARD.silent(to)
    : read === NONE ? CARD.unread : after;
  const left = run.isLost(m) || !Number.isFinite(limit) || (run.rec.head.time === "sync" && way <= limit) ? "" : way > limit ? CARD.late(way - limit) : CARD.left(limit - way);
  return { title: CARD.message(messageWords(run, m), from, to), times: CARD.times(sent, readAt, run.isLost(m) ? NaN : run.arrowEnd[m]), story, more: left };
}

/* What reading it led to: the new role, the messages sent. */
function consequence(run: Run, event: number): string {
  const { events } = run.rec;
  const lane = events.lane[event], name = run.name(lane);
  const span = run.spanAfter(lane, event);
  const sent = events.sent[event + 1] - events.sent[event];
  const turns = run.spanEvent[span] === event ? ROLE_WORDS[ROLES[run.spanRole[span]]] : "";
  return CARD.consequence(name, turns, run.spanRests[span] === 1 && run.spanEvent[span] === event, sent);
}

function message(run: Run, m: number): Node[] {
  if (m >= run.messages) return [];
  const f = messageFacts(run, m);
  return [
    el("p", { class: "cardhead" }, el("strong", {}, f.title), el("span", { class: "quiet num" }, f.times)),
    f.story ? el("p", {}, f.story) : el("span"),
    ...ruleLines(run, m),
    f.more ? el("p", { class: "quiet" }, f.more) : el("span"),
  ];
}

const MOST_RULES = 3;

/* The rules of the paper by which its reader went. */
export function ruleLines(run: Run, m: number): Node[] {
  const { messages } = run.rec;
  if (messages.read[m] === NONE || messages.flags[m] & MESSAGE.MISSED) return [];
  return rulesOf(run, messages.read[m]).slice(0, MOST_RULES)
    .map((r) => el("p", { class: "rule" }, el("b", {}, r.label), r.sentence ? ` ${r.sentence}` : ""));
}

function lane(run: Run, l: number): Node[] {
  if (l >= run.lanes) return [];
  const { cursor } = get();
  const span = run.spanAfter(l, cursor);
  const { shown, time } = get(), { rmin, rmax } = run.rec.head.bounds;
  const slip = shown?.file ? slips(run).find((x) => x.lane === l && x.from <= time && x.to >= time) : undefined;
  return [
    ...(slip ? [el("p", { class: "broken" }, CARD.slip(slip.slow, slip.steps, slip.from, slip.to, slip.slow ? rmax : rmin))] : []),
    el("p", { class: "cardhead" }, el("strong", {}, run.name(l)), el("span", { class: "quiet num" }, CARD.since(run.spanTick[span]))),
    el("p", {}, ROLE_WORDS[ROLES[run.spanRole[span]]] + (run.spanRests[span] ? CARD.rests : "")),
  ];
}
