/*
 * differences.ts - what two runs cost, side by side.
 */
import type { Report } from "../engine/api";
import { COMPARE as W, figure } from "../words";

export interface Difference {
  what: string;
  first: number;
  second: number;
}

/* A cost of one run: the mean of its only run. */
const cost = (report: Report, key: string): number | null =>
  typeof report[key]?.mean === "number" ? (report[key].mean as number) : null;

export function differences(a: Report, b: Report): Difference[] {
  const rows: [string, number | null, number | null][] = [
    [W.messages, cost(a, "messages"), cost(b, "messages")],
    [W.bits, cost(a, "paper_bits"), cost(b, "paper_bits")],
    [W.ticks, cost(a, "end"), cost(b, "end")],
    [W.entries, (a.entries as number | undefined) ?? null, (b.entries as number | undefined) ?? null],
    [W.violated, (a.violations as unknown[]).length, (b.violations as unknown[]).length],
  ];
  return rows.flatMap(([what, first, second]) => (first === null || second === null ? [] : [{ what, first, second }]));
}

/* "13 more below" */
export function differenceWords({ first, second }: Difference): string {
  if (first === second) return W.same;
  return second > first ? W.more(figure(second - first)) : W.less(figure(first - second));
}
