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
    const more = tells ? [(r: Recording) => postMessage({ id, progress: pack(r) })] : [];
    const value = await e[method](...args, ...more);
    /* The engine keeps what it needs of a recording: the page gets a copy. */
    postMessage({ id, value: pack(value) });
  } catch (e) {
    const error = e instanceof Error ? e.message : String(e);
    postMessage({ id, error, refused: e instanceof Refused });
  }
};

