/*
 * main.ts - puts the page together.
 */
import * as act from "./act";
import { engine } from "./host";
import { keys } from "./keys";
import { enterMode } from "./modes";
import { loadRules } from "./model/rules";
import { flush, get, on, set, type Theme } from "./model/store";
import { offences } from "./model/violation";
import { flagOf } from "./model/title";
import { say } from "./say";
import { keepUrl, readLink, type Link } from "./url";
import { card } from "./views/card";
import { counters } from "./views/counters";
import { eventWords } from "./views/find";
import { head } from "./views/head";
import { keyBox } from "./views/key";
import { network } from "./views/network";
import { node } from "./views/node";
import { setup } from "./views/setup";
import { scene, stage } from "./views/stage";
import { transport } from "./views/transport";
import { LOADING, SAY } from "./words";
import { rooms } from "./rooms";

const FIRST = ["sim", "vitanyi", "--names", "1,2,3,4,5,6,7,8"];

async function open(link: Link): Promise<void> {
  set({ pinned: link.pinned, fold: link.fold, extra: link.extra });
  const fine = await act.runCommand(link.words ?? FIRST, {
    cursor: link.cursor ?? undefined, from: link.window?.[0], to: link.window?.[1], selection: link.selection,
  });
  if (fine && link.following) set({ following: true });
  enterMode(link.mode);
}

/* The cursor moved: say what happened, unless the run is playing fast. */
function narrate(): void {
  const { shown, cursor, busy } = get();
  if (!shown || busy) return;
  const bad = offences(shown.run).findIndex((o) => o.event === cursor);
  say(cursor < 0 ? SAY.start : SAY.step(eventWords(shown.run, cursor), bad >= 0 ? flagOf(shown.run, bad) : ""));
}

async function boot(): Promise<void> {
  let theme: string | null = null;
  try {
    theme = localStorage.getItem("theme");
  } catch {
    /* No storage: the system decides. */
  }
  rooms();
  head();
  network();
  node();
  counters();
  keyBox();
  stage();
  transport();
  card();
  keys();
  keepUrl((link) => void open(link));
  if (theme === "light" || theme === "dark") set({ theme: theme as Theme });
  const link = readLink(location.hash);
  set({ words: link.words ?? FIRST, busy: LOADING.starting });
  const first = open(link);
  setup(await engine.protocols());
  await first;
  on(["cursor"], narrate);
  await loadRules();
  /* What is already open is shown again, with its rules. */
  const { hover, selection } = get();
  set({ hover: hover && { ...hover }, selection: selection && { ...selection } });
}

/* For tests, and for people at the console. */
Object.assign(window, { fulcrum: { get, set, flush, act, engine, scene: () => scene } });
void boot();
