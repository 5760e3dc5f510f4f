/*
 * module.ts - one instance of the C code: memory, strings, files, answers.
 *
 * An instance is used for one command, one run or one game, then dropped: what
 * the C code never frees is gone with it.
 */
import { Refused } from "./api";

interface Exports {
  memory: WebAssembly.Memory;
  allocate(size: number): number;
  release(at: number): void;
  command(words: number, size: number): number;
  put(name: number, bytes: number, size: number): number;
  get(name: number): number;
  size(name: number): number;
  protocols(): number;
  record_open(words: number, size: number): number;
  record_go(events: number): number;
  record_say(): number;
  record_report(): void;
  run_load(path: number): number;
  run_columns(): number;
  run_state(event: number, lane: number): number;
  run_hash(event: number): number;
  run_letters(): number;
  game_open(words: number, size: number): number;
  game_look(state: number): number;
  game_explore(more: number): number;
  game_way(state: number): number;
  game_near(state: number, moves: number, most: number): number;
  game_follow(first: number, moves: number, count: number): number;
  game_trace(first: number, moves: number, count: number, path: number): number;
  game_match(path: number): number;
}

/* How exit() leaves C. */
class Exit {
  constructor(readonly code: number) {}
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Instance {
  readonly exports: Exports;
  private written: [string, string] = ["", ""];
  /* A character may be cut in two by a full buffer. */
  private decoders = [new TextDecoder(), new TextDecoder()];

  constructor(module: WebAssembly.Module) {
    const instance = new WebAssembly.Instance(module, {
      host: {
        write: (descriptor: number, at: number, size: number) => {
          const i = descriptor === 1 ? 0 : 1;
          this.written[i] += this.decoders[i].decode(this.bytes(at, size), { stream: true });
        },
        now: () => performance.now() / 1000,
        exit: (code: number) => {
          throw new Exit(code);
        },
        log: Math.log,
        log2: Math.log2,
        log10: Math.log10,
        exp: Math.exp,
        pow: Math.pow,
      },
    });
    this.exports = instance.exports as unknown as Exports;
  }

  get out(): string {
    return this.written[0];
  }

  get err(): string {
    return this.written[1];
  }

  bytes(at: number, size: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, at, size);
  }

  copy(bytes: Uint8Array): number {
    const at = this.exports.allocate(bytes.length || 1);

    if (!at) throw new Refused("there is no memory left in the page");
    this.bytes(at, bytes.length).set(bytes);
    return at;
  }

  text(text: string): number {
    return this.copy(encoder.encode(text + "\0"));
  }

  read(at: number): string {
    const all = new Uint8Array(this.exports.memory.buffer);

    return decoder.decode(all.subarray(at, all.indexOf(0, at)));
  }

  /* Words as C takes them: address and size. */
  words(words: string[]): [number, number] {
    const bytes = encoder.encode(words.map((word) => word + "\0").join(""));

    return [this.copy(bytes), bytes.length];
  }

  numbers(list: number[]): number {
    return this.copy(new Uint8Array(Uint32Array.from(list).buffer));
  }

  put(name: string, bytes: Uint8Array): void {
    const at = this.copy(bytes);

    this.exports.put(this.text(name), at, bytes.length);
    this.exports.release(at);
  }

  get(name: string): Uint8Array | null {
    const at = this.text(name);
    const bytes = this.exports.get(at);

    return bytes ? this.bytes(bytes, this.exports.size(at)).slice() : null;
  }

  /* Calls C, which may leave by exit(); returns its code then. */
  leave(call: () => number): number {
    try {
      return call();
    } catch (e) {
      if (e instanceof Exit) return e.code;
      throw e;
    }
  }

  /* An answer in JSON; a refusal is thrown. */
  ask<T>(call: () => number): T {
    let at: number;

    try {
      at = call();
    } catch (e) {
      if (e instanceof Exit) throw new Refused(this.complaint());
      throw e;
    }
    const answer = JSON.parse(this.read(at));
    if (answer && typeof answer.refused === "string") throw new Refused(answer.refused);
    if (answer && typeof answer.code === "number") throw new Refused(this.complaint());
    return answer as T;
  }

  /* What was written to the standard error, without "fulcrum sim: ". */
  complaint(): string {
    return this.err.trim().replace(/^fulcrum [a-z]+: /, "") || "the engine stopped";
  }
}
