/*
 * worker.ts - the engine in a worker: calls come as messages, answers go back
 * under the number of their call.
 */
import { LocalEngine } from "./engine";
import { Refused, type Recording } from "./api";
import { pack } from "./pack";

export interface Call {
  id: number;
  method: string;
  args: unknown[];
  tells: boolean; /* a progress callback is the last argument */
}

export type Reply =
  | { id: number; value: unknown }
  | { id: number; progress: Recording }
  | { id: number; error: string; refused: boolean };

let engine: Promise<LocalEngine> | undefined;

async function begin(url: string): Promise<LocalEngine> {
  return new LocalEngine(await WebAssembly.compileStreaming(fetch(url)));
}

onmessage = async ({ data }: MessageEvent<Call | { module: string }>) => {
  if ("module" in data) {
    engine = begin(data.module);
    return;
  }
  const { id, method, args, tells } = data;
  try {
    const e = (await engine!) as unknown as Record<string, (...a: unknown[]) => Promise<unknown>>;
    const send = (key: "progress" | "value", what: unknown): void => {
      const [packed, over] = pack(what);
      self.postMessage({ id, [key]: packed }, { transfer: over });
    };
    const more = tells ? [(r: Recording) => send("progress", r)] : [];
    send("value", await e[method](...args, ...more));
  } catch (e) {
    const error = e instanceof Error ? e.message : String(e);
    postMessage({ id, error, refused: e instanceof Refused });
  }
};

