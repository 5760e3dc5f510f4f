/*
 * say.ts - the live region: what happens, in words, at most once a second.
 */
const GAP = 1000; /* milliseconds */
let last = -GAP;
let waiting = "";
let timer = 0;

function speak(): void {
  timer = 0;
  last = performance.now();
  document.getElementById("live")!.textContent = waiting;
}

/* The newest sentence wins: nobody wants to hear where the cursor was. */
export function say(sentence: string): void {
  waiting = sentence;
  if (timer !== 0) return;
  timer = window.setTimeout(speak, Math.max(0, last + GAP - performance.now()));
}
