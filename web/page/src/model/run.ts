/*
 * run.ts - a recording with the indexes that drawing needs.
 */
import type { Recording } from "../engine/api";

export class Run {
  constructor(readonly rec: Recording) {}
}
