/*
 * game.ts - a run by hand: a tree of moves that were played, and where in it one
 * stands.  Undo goes up, redo down again; a move that was not played before
 * begins a branch.
 */
import type { Engine, Known, Move, Near, Outlook, StateNow } from "../engine/api";

export interface Step {
  parent: Step | null;
  index: number; /* of the move that led here; -1: the beginning */
  label: string;
  state: number;
  broken: string[];
  tick: boolean;
  /* Nobody chose it: a tick was all that could happen. */
  folded: boolean;
  depth: number; /* moves up to here, as the checker counts them */
  time: number; /* ticks up to here */
  children: Step[];
  last: Step | null; /* the child that redo leads to */
}

/* A state whose only move is a tick is no place to choose. */
const MOST_FOLDED = 500;

function begin(state: number): Step {
  return {
    parent: null, index: -1, label: "", state, broken: [], tick: false, folded: false,
    depth: 0, time: 0, children: [], last: null,
  };
}

export class Game {
  root: Step;
  at: Step;
  now!: StateNow;
  known: Known | null = null;
  private closed = false;

  private constructor(
    readonly engine: Engine, readonly game: number, readonly words: string[],
    /* States 0 to firsts - 1 are those in which a run can begin. */
    readonly firsts: number, public first: number,
  ) {
    this.root = this.at = begin(first);
  }

  /* Throws Refused with the sentence of the checker. */
  static async open(engine: Engine, words: string[], first = 0): Promise<Game> {
    const { game, initial } = await engine.browse(words);
    const g = new Game(engine, game, words, initial, Math.min(first, initial - 1));
    g.now = await engine.look(game, g.first);
    return g;
  }

  /* Begins again from another of the first states: other speeds, other phases. */
  async begin(first: number): Promise<void> {
    this.first = Math.max(0, Math.min(first, this.firsts - 1));
    this.root = this.at = begin(this.first);
    this.now = await this.engine.look(this.game, this.first);
  }

  /* How far a violation is from each of the first states; of many, only some. */
  async beginnings(most: number): Promise<Outlook[]> {
    const list: Outlook[] = [];
    for (let i = 0; i < Math.min(most, this.firsts); i++) list.push((await this.engine.look(this.game, i)).outlook);
    return list;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.engine.close(this.game);
  }

  /* ---- Moving -------------------------------------------------------------- */

  private grow(move: Move, folded: boolean): Step {
    const old = this.at.children.find((c) => c.index === move.index);
    const step = old ?? {
      ...begin(move.to),
      parent: this.at, index: move.index, label: move.label, broken: move.broken, tick: move.tick,
      folded, depth: this.at.depth + 1, time: this.at.time + (move.tick ? 1 : 0),
    };
    if (!old) this.at.children.push(step);
    this.at.last = step;
    return step;
  }

  private async step(move: Move, folded: boolean): Promise<void> {
    this.at = this.grow(move, folded);
    this.now = await this.engine.look(this.game, this.at.state);
  }

  /* The move that is no choice: a tick, and nothing else. */
  private onlyTick(): Move | null {
    const only = this.now.moves.length === 1 ? this.now.moves[0]! : null;
    return only && only.tick && only.broken.length === 0 && this.now.brokenAtEnd.length === 0 ? only : null;
  }

  /* Plays an enabled move, and the ticks behind it that leave no choice. */
  async play(index: number): Promise<void> {
    const move = this.now.moves[index];
    if (!move) return;
    await this.step(move, false);
    if (move.broken.length > 0) return;
    const seen = new Set([this.at.state]);
    for (let i = 0; i < MOST_FOLDED; i++) {
      const tick = this.onlyTick();
      if (!tick || seen.has(tick.to)) return;
      seen.add(tick.to);
      await this.step(tick, true);
    }
  }

  async goTo(step: Step): Promise<void> {
    for (let s = step; s.parent; s = s.parent) s.parent.last = s;
    this.at = step;
    this.now = await this.engine.look(this.game, step.state);
  }

  get canUndo(): boolean {
    return this.at.parent !== null;
  }

  get canRedo(): boolean {
    return this.at.last !== null;
  }

  /* Back to before the last move that somebody chose. */
  async undo(): Promise<void> {
    let step = this.at;
    while (step.folded && step.parent) step = step.parent;
    if (step.parent) step = step.parent;
    await this.goTo(step);
  }

  async redo(): Promise<void> {
    let step = this.at.last;
    if (!step) return;
    while (step.last?.folded) step = step.last;
    await this.goTo(step);
  }

  /* The moves from the beginning to where one stands. */
  path(): Step[] {
    const path: Step[] = [];
    for (let s: Step | null = this.at; s?.parent; s = s.parent) path.push(s);
    return path.reverse();
  }

  moves(): number[] {
    return this.path().map((s) => s.index);
  }

  /* Follows indices as they were kept in an address or found in a trace. */
  async replay(moves: number[]): Promise<void> {
    await this.goTo(this.root);
    for (const index of moves) {
      const move = this.now.moves[index];
      if (!move) return;
      const folded = this.onlyTick() === move && this.at.parent !== null;
      await this.step(move, folded);
    }
  }

  /* ---- What is known -------------------------------------------------------- */

  /* Looks at `more` more states; false if there is nothing left to do. */
  async explore(more: number): Promise<boolean> {
    if (this.closed) return false;
    this.known = await this.engine.explore(this.game, more);
    return !this.known.all && this.known.limit === "";
  }

  /* Distances change as more becomes known. */
  async refresh(): Promise<void> {
    const { at } = this;
    if (this.closed) return;
    const now = await this.engine.look(this.game, at.state);
    if (this.at === at) this.now = now;
  }

  /* A shortest way to a violation; empty if none is known. */
  private async way(): Promise<number[]> {
    const { kind, moves } = this.now.outlook;
    const known = (kind === "exactly" || kind === "at-most" || kind === "endless") && moves > 0;
    return known ? this.engine.way(this.game, this.at.state) : [];
  }

  /* The first move of a shortest way, if one is known. */
  async hint(): Promise<{ move: Move; left: number } | null> {
    const way = await this.way();
    const move = way.length > 0 ? this.now.moves[way[0]!] : undefined;
    return move ? { move, left: way.length - 1 } : null;
  }

  /* Plays the whole of a shortest way; false if none is known. */
  async minimal(): Promise<boolean> {
    const way = await this.way();
    for (const index of way) {
      const move = this.now.moves[index];
      if (!move) return false;
      await this.step(move, this.onlyTick() === move && this.at.parent !== null);
    }
    return way.length > 0;
  }

  near(moves: number, most: number): Promise<Near> {
    return this.engine.near(this.game, this.at.state, moves, most);
  }

  played(): Promise<{ trace: string }> {
    return this.engine.played(this.game, this.first, this.moves());
  }

  /* Nothing breaks any more, but a run without end passes here. */
  endless(): boolean {
    return this.now.outlook.kind === "endless" && this.now.outlook.moves === 0 && !this.violated();
  }

  /* What is violated where one stands: by a move on the way, or by the end. */
  violated(): { what: string[]; after: number } | null {
    const by = this.path().find((s) => s.broken.length > 0);
    if (by) return { what: by.broken, after: by.depth };
    if (this.now.quiet && this.now.brokenAtEnd.length > 0)
      return { what: this.now.brokenAtEnd, after: this.at.depth };
    return null;
  }
}
