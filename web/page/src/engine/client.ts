/*
 * client.ts - the page's side of the worker: an Engine whose methods are calls.
 */
import { Refused, type Engine, type Recording } from "./api";
import { unpack } from "./pack";
import type { Call, Reply } from "./worker";

interface Waiting {
  done(value: unknown): void;
  failed(error: Error): void;
  tell?: (r: Recording) => void;
}

export function connect(module: string): Engine {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const waiting = new Map<number, Waiting>();
  let last = 0;

  worker.postMessage({ module });
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const w = waiting.get(data.id);

    if (!w) return;
    if ("progress" in data) {
      w.tell?.(unpack(data.progress));
      return;
    }
    waiting.delete(data.id);
    if ("error" in data) w.failed(data.refused ? new Refused(data.error) : new Error(data.error));
    else w.done(unpack(data.value));
  };
  worker.onerror = (e) => {
    for (const w of waiting.values()) w.failed(new Error(e.message || "the engine stopped"));
    waiting.clear();
  };
  return new Proxy({} as Engine, {
    get: (_, method: string) =>
      (...args: unknown[]) =>
        new Promise((done, failed) => {
          const id = ++last;
          const told = args.at(-1);
          const tell = typeof told === "function" ? (told as (r: Recording) => void) : undefined;
          const call: Call = { id, method, args: tell ? args.slice(0, -1) : args, tells: !!tell };

          waiting.set(id, { done, failed, tell });
          worker.postMessage(call);
        }),
  });
}
