/*
 * judged.ts - a run with its indexes and what breaks its bounds, at once: for
 * tests, in one bundle, since both know the run by identity.
 */
export { indexNow } from "./indexing";
export { slips } from "./pace";
