/*
 * title.ts - the finding of a run in one line: what a picture is called.
 */
import { FINDINGS } from "../words";
import { INSIDE, LOOKS } from "./looks";
import type { Run } from "./run";
import { offences } from "./violation";

export function flagOf(run: Run, i: number): string {
  const o = offences(run)[i];
  return FINDINGS.flag(o.property, o.together ? o.lanes.length : 0);
}

export function titleOf(run: Run): string {
  const { head } = run.rec;
  const bad = offences(run)[0];

  if (bad) return FINDINGS.violated(head.protocol, FINDINGS.flag(bad.property, bad.together ? bad.lanes.length : 0), bad.from);
  if (head.problem === "election") {
    if (run.leader < 0) return FINDINGS.noLeader(head.protocol);
    return FINDINGS.leads(head.protocol, run.name(run.leader), run.spanTick[run.spanStart[run.leader + 1] - 1]);
  }
  if (head.problem === "mutex") {
    let entries = 0;
    const beside = LOOKS.indexOf("beside");
    for (let s = 0; s < run.spanLook.length; s++) if (run.spanLook[s] === INSIDE || run.spanLook[s] === beside) entries++;
    return FINDINGS.entries(head.protocol, entries);
  }
  return FINDINGS.plain(head.protocol);
}
