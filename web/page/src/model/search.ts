/*
 * search.ts - binary search in sorted columns.
 */
type Sorted = Float64Array | Uint32Array;

/* The first place in [lo, hi) whose entry is greater than x; hi if none. */
export function above(a: Sorted, x: number, lo: number, hi: number): number {
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (a[mid] <= x) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/* The first place in [lo, hi) whose entry is not less than x; hi if none. */
export function below(a: Sorted, x: number, lo: number, hi: number): number {
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (a[mid] < x) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}
