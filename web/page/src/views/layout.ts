/*
 * layout.ts - where nodes stand in the network view: on a circle, or as a tree.
 */
import type { Run } from "../model/run";

export interface Spot { x: number; y: number; angle: number }

/* Beyond this many, one dot stands for several neighbours. */
export const MOST_DOTS = 240;

export function spots(run: Run, size: number, margin: number): Spot[] {
  const n = Math.min(run.lanes, MOST_DOTS);
  const centre = size / 2, radius = size / 2 - margin;
  if (run.rec.head.topology === "tree" && run.lanes <= MOST_DOTS && run.rec.head.links.length > 0) return tree(run, size, margin);
  return Array.from({ length: n }, (_, i) => {
    const angle = (2 * Math.PI * i) / n - Math.PI / 2;
    /* Two side by side, as people draw two sites. */
    if (n === 2) return { x: centre + (i === 0 ? -1 : 1) * radius * 0.8, y: centre, angle: i === 0 ? Math.PI : 0 };
    return { x: centre + radius * Math.cos(angle), y: centre + radius * Math.sin(angle), angle };
  });
}

/* Levels by distance from the first node; leaves share the width evenly. */
function tree(run: Run, size: number, margin: number): Spot[] {
  const near: number[][] = Array.from({ length: run.lanes }, () => []);
  for (const [a, b] of run.rec.head.links) { near[a].push(b); near[b].push(a); }
  const depth = new Array<number>(run.lanes).fill(-1), across = new Array<number>(run.lanes).fill(0);
  let leaves = 0, deepest = 0;
  const place = (node: number, level: number): number => {
    depth[node] = level;
    deepest = Math.max(deepest, level);
    const below = near[node].filter((k) => depth[k] < 0).map((k) => (depth[k] < 0 ? place(k, level + 1) : NaN)).filter((x) => !Number.isNaN(x));
    across[node] = below.length > 0 ? below.reduce((a, b) => a + b, 0) / below.length : leaves++;
    return across[node];
  };
  for (let i = 0; i < run.lanes; i++) if (depth[i] < 0) place(i, 0);
  const wide = (size - 2 * margin) / Math.max(1, leaves - 1), high = (size - 2 * margin) / Math.max(1, deepest);
  return across.map((a, i) => ({
    x: leaves > 1 ? margin + a * wide : size / 2, y: margin + depth[i] * Math.min(high, 70), angle: Math.PI / 2,
  }));
}

/* A place on the way from one node to another; rings go along the circle. */
export function between(a: Spot, b: Spot, share: number, ring: boolean, size: number, margin: number): [number, number] {
  if (!ring) return [a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share];
  let turn = b.angle - a.angle;
  if (turn > Math.PI) turn -= 2 * Math.PI;
  if (turn < -Math.PI) turn += 2 * Math.PI;
  const angle = a.angle + turn * share, radius = size / 2 - margin;
  return [size / 2 + radius * Math.cos(angle), size / 2 + radius * Math.sin(angle)];
}
