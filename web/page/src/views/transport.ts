/*
 * transport.ts - play, step, the clock.  Play runs in simulated time; where
 * people ask for less motion it goes from event to event.
 */
import { endOfAxis, seekEvent, seekTime, stepEvent, toEnd, toStart } from "../act";
import { byId, el, icon } from "../dom";
import { get, on, set } from "../model/store";
import { RUN } from "../words";
import { overview } from "./overview";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 10, 25, 50, 100, 250, 1000, 5000, 25000];
const still = matchMedia("(prefers-reduced-motion: reduce)");
const PACE = 700; /* milliseconds an event, without motion */

export function togglePlay(): void {
  const { playing, time, shown } = get();
  if (!shown) return;
  if (!playing && time >= endOfAxis() - 1) seekEvent(-1);
  set({ playing: !playing });
}

/* A run takes about twelve seconds unless people choose. */
export function fitSpeed(): void {
  const wanted = endOfAxis() / 12;
  set({ speed: SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1) });
}

let last = 0;

function advance(now: number): void {
  const { playing, speed, time, cursor, shown } = get();
  if (!playing || !shown) {
    last = 0;
    return;
  }
  if (still.matches) {
    if (last === 0 || now - last >= PACE) {
      last = now;
      if (cursor + 1 >= shown.run.events) set({ playing: false });
      else seekEvent(cursor + 1);
    }
  } else {
    const passed = last === 0 ? 0 : Math.min(100, now - last);
    last = now;
    const next = time + (passed / 1000) * speed, end = endOfAxis() - 1;
    if (next >= end) {
      seekTime(end);
      set({ playing: false });
    } else seekTime(next);
  }
  requestAnimationFrame(advance);
}

export function transport(): void {
  const host = byId("run");
  const button = (name: keyof typeof RUN.buttons, what: Parameters<typeof icon>[0], act: () => void, cls = ""): HTMLButtonElement =>
    el("button", { type: "button", class: cls, "aria-label": RUN.buttons[name], title: RUN.buttons[name], click: act }, icon(what));
  const play = button("play", "play", togglePlay, "go");
  const clock = el("strong", { class: "num" }), of = el("span", { class: "num" });
  const speed = el("select", { "aria-label": RUN.speed, change: () => set({ speed: Number(speed.value) }) },
    ...SPEEDS.map((s) => el("option", { value: s }, RUN.ticks(s))));
  host.setAttribute("aria-label", RUN.title);
  host.append(
    el("button", { type: "button", class: "phone", id: "setopen", click: () => { document.body.classList.toggle("setopen"); } }, RUN.setup),
    el("div", { class: "btns" }, button("first", "first", toStart, "wide"), button("back", "back", () => stepEvent(-1)), play,
      button("on", "on", () => stepEvent(1)), button("last", "last", toEnd, "wide")),
    el("div", { class: "time" }, clock, el("small", {}, of, speed)),
    overview(),
    el("div", { class: "keys wide" }, ...RUN.keys.map(([keys, what]) => el("span", {}, ...keys.map((k) => el("kbd", {}, k)), ` ${what} `))),
  );
  on(["time", "shown", "beside"], (_, s) => {
    clock.textContent = RUN.clock(Math.round(s.time * 10) / 10);
    of.textContent = RUN.of(endOfAxis() - 1);
  });
  on(["shown"], (changed) => { if (changed.has("shown") && !get().playing) fitSpeed(); });
  on(["speed"], (_, s) => { speed.value = String(s.speed); });
  on(["playing"], (_, s) => {
    play.replaceChildren(icon(s.playing ? "pause" : "play"));
    play.setAttribute("aria-label", s.playing ? RUN.buttons.pause : RUN.buttons.play);
    if (s.playing) requestAnimationFrame(advance);
  });
}
