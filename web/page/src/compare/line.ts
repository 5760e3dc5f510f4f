/*
 * line.ts - a command line in a field of several rows: it wraps, and Enter runs
 * it all the same.
 */
export function submitOnEnter(event: KeyboardEvent): void {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
}

/* A phone has no room for a command line that is not asked for. */
export function roomy(): boolean {
  return matchMedia("(min-width: 761px)").matches;
}
