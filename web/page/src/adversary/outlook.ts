/*
 * outlook.ts - how far a violation is, as a word, a sign and a class.  "Safe"
 * is said only when all that can follow is known.
 */
import type { Outlook } from "../engine/api";
import { ADVERSARY as W } from "../words";

export function outlookWords(o: Outlook): string {
  if (o.kind === "safe") return W.safe;
  if (o.kind === "not-within") return W.notWithin(o.moves);
  if (o.kind === "endless") return W.endless(o.moves);
  return o.kind === "at-most" ? W.atMost(o.moves) : W.exactly(o.moves);
}

/* What fits into a dot of the graph. */
export function outlookSign(o: Outlook): string {
  if (o.kind === "safe") return "✓";
  if (o.kind === "not-within") return "?";
  if (o.kind === "endless") return o.moves === 0 ? "∞" : `∞${o.moves}`;
  return o.moves === 0 ? "✗" : (o.kind === "at-most" ? "≤" : "") + String(o.moves);
}

export function outlookClass(o: Outlook): string {
  if (o.kind === "safe") return "ol-safe";
  if (o.kind === "not-within") return "ol-open";
  return o.moves === 0 ? "ol-broken" : "ol-near";
}
