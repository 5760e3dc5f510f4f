/*
 * engine.ts - the engine itself: what api.ts promises, on instances of the
 * module.  It runs in a worker (worker.ts), and in tests without one.
 */
import {
  NONE, ROLES, Refused,
  type Answer, type Engine, type Field, type Files, type Known, type Near, type NodeState,
  type Protocol, type Recording, type Report, type StateNow,
} from "./api";
import { Instance } from "./module";
import { recordingOf, type Said } from "./recording";

const FILE = "run.trace";

interface Run {
  instance: Instance;
  recording: Recording;
  words?: string[]; /* that made it; */
  trace?: Uint8Array; /* or the file that it came from */
}

/* What the command says, without its name. */
const complaintOf = (text: string) => text.trim().replace(/^fulcrum [a-z]+: /, "") || "nothing was run";

/* How many events to make at a time: as many as take some 20 ms.  What there is
 * by then is shown after 0.1 s, and whenever it has taken twice as long. */
class Pieces {
  size = 1 << 12;
  private began = performance.now();
  private last = this.began;
  private told = 50;

  /* A piece is done; true: the page wants to see it. */
  async next(): Promise<boolean> {
    await new Promise((go) => setTimeout(go));
    const now = performance.now();
    if (now - this.last < 20 && this.size < 1 << 18) this.size *= 2;
    this.last = now;
    if (now - this.began < 2 * this.told) return false;
    this.told = now - this.began;
    return true;
  }
}

/* As web/module/module.c has it. */
interface SaidProtocol extends Omit<Protocol, "parameters" | "nodesLeast"> {
  parameters: { key: string; form: string; fallback: string; about: string }[];
}

const roleOf = (word: string) => ROLES.indexOf(word as (typeof ROLES)[number]);

export class LocalEngine implements Engine {
  private runs = new Map<number, Run>();
  private games = new Map<number, Instance>();
  private last = 0;

  constructor(private module: WebAssembly.Module) {}

  private start(): Instance {
    return new Instance(this.module);
  }

  private runOf(run: number): Run {
    const found = this.runs.get(run);

    if (!found) throw new Refused("there is no such run any more");
    return found;
  }

  private gameOf(game: number): Instance {
    const found = this.games.get(game);

    if (!found) throw new Refused("there is no such game any more");
    return found;
  }

  async version(): Promise<string> {
    return (await this.command(["version"])).out.trim().replace("fulcrum ", "");
  }

  async protocols(): Promise<Protocol[]> {
    const instance = this.start();
    const said = instance.ask<SaidProtocol[]>(() => instance.exports.protocols());

    return said.map((p) => ({
      ...p,
      nodesLeast: 2,
      parameters: p.parameters.map(({ form, ...rest }) => ({
        ...rest,
        form,
        words: /^[a-z-]+(\|[a-z-]+)*$/.test(form) ? form.split("|") : [],
      })),
    }));
  }

  async command(words: string[], files: Files = {}): Promise<Answer & { files: Files }> {
    const instance = this.start();

    for (const [name, bytes] of Object.entries(files)) instance.put(name, bytes);
    const code = instance.leave(() => instance.exports.command(...instance.words(["fulcrum", ...words])));
    const written: Files = {};
    for (const word of words) {
      const bytes = instance.get(word);
      if (bytes && !(word in files)) written[word] = bytes;
    }
    return { code, out: instance.out, err: instance.err, files: written };
  }

  /* By pieces: others may ask in between, and the page sees the beginning while
   * the rest is still to come. */
  async record(words: string[], progress?: (r: Recording) => void) {
    const instance = this.start();
    const pieces = new Pieces();
    let said = instance.ask<Said>(() =>
      instance.exports.record_open(...instance.words(["fulcrum", ...words])),
    );

    for (let more = 1; more > 0; ) {
      more = instance.leave(() => instance.exports.record_go(pieces.size));
      if (more < 0) throw new Refused("the run does not fit into the memory of the page; take fewer processors");
      if (more > 0 && (await pieces.next()) && progress) {
        said = instance.ask<Said>(() => instance.exports.record_say());
        progress(recordingOf(instance, said));
      }
    }
    said = instance.ask<Said>(() => instance.exports.record_say());
    const recording = recordingOf(instance, said);
    const run = ++this.last;

    instance.exports.record_report();
    this.runs.set(run, { instance, recording, words });
    return { run, recording, report: JSON.parse(instance.out) as Report };
  }

  async load(name: string, bytes: Uint8Array) {
    const opened = this.open(bytes, name);
    const replayed = await this.command(["sim", "--replay", name, "--json"], { [name]: bytes });
    const report = replayed.code <= 1 && replayed.out ? (JSON.parse(replayed.out) as Report) : null;

    return { ...opened, report };
  }

  private open(trace: Uint8Array, name: string): { run: number; recording: Recording } {
    const instance = this.start();
    const recording = this.read(instance, trace, name);
    const run = ++this.last;

    this.runs.set(run, { instance, recording, trace });
    return { run, recording };
  }

  private read(instance: Instance, trace: Uint8Array, name: string): Recording {
    instance.put(name, trace);
    return recordingOf(
      instance,
      instance.ask<Said>(() => instance.exports.run_load(instance.text(name))),
    );
  }

  async state(run: number, event: number, lane: number): Promise<NodeState> {
    const { instance, recording } = this.runOf(run);
    const { events, head } = recording;
    const said = instance.ask<{ fields: Field[]; insane: string | null }>(() =>
      instance.exports.run_state(event, lane),
    );
    let role = head.firstRole;

    for (let i = event === NONE ? -1 : event; i >= 0; i--)
      if (events.lane[i] === lane && events.role[i] !== 255) {
        role = events.role[i];
        break;
      }
    return { event, lane, role, ...said };
  }

  async hash(run: number, event: number): Promise<string> {
    const { instance } = this.runOf(run);

    return instance.ask<{ hash: string }>(() => instance.exports.run_hash(event)).hash;
  }

  async letters(run: number): Promise<string> {
    const { instance } = this.runOf(run);

    return instance.ask<{ letters: string }>(() => instance.exports.run_letters()).letters;
  }

  /* A run that was made here is written down when somebody wants it. */
  private async traceOf(run: number): Promise<Uint8Array> {
    const r = this.runOf(run);

    if (!r.trace) {
      const answer = await this.command([...r.words!, "--json", "--trace", FILE]);
      r.trace = answer.files[FILE];
    }
    return r.trace;
  }

  async trace(run: number): Promise<string> {
    return new TextDecoder().decode(await this.traceOf(run));
  }

  private async draw(run: number, ...how: string[]): Promise<Answer & { files: Files }> {
    const answer = await this.command(["draw", FILE, ...how], { [FILE]: await this.traceOf(run) });

    if (answer.code) throw new Refused(complaintOf(answer.err));
    return answer;
  }

  async text(run: number): Promise<string> {
    return (await this.draw(run, "--text")).out;
  }

  async svg(run: number): Promise<string> {
    const answer = await this.draw(run, "-o", "run.svg");

    return new TextDecoder().decode(answer.files["run.svg"]);
  }

  async forget(run: number): Promise<void> {
    this.runs.delete(run);
  }

  /* ---- The adversary ---- */

  async browse(words: string[]) {
    const instance = this.start();
    const said = instance.ask<{ initial: number; command: string }>(() =>
      instance.exports.game_open(...instance.words(["fulcrum", ...words])),
    );
    const game = ++this.last;

    this.games.set(game, instance);
    return { game, ...said };
  }

  async look(game: number, state: number): Promise<StateNow> {
    const instance = this.gameOf(game);
    const said = instance.ask<any>(() => instance.exports.game_look(state));

    for (const node of said.nodes) {
      node.words = [node.role, ...node.facts.filter((f: any) => f.number).map((f: any) => `${f.word} ${f.number}`)].join(", ");
      node.role = node.down ? roleOf("down") : node.shared ? roleOf("beside") : roleOf(node.role);
    }
    for (const move of said.moves) {
      const mail = said.mail.find((m: any) => m.link === move.link && m.place === move.place);
      const about = ["read", "miss", "lose", "copy", "delay"].includes(move.kind);

      move.from = about && mail ? mail.from : -1;
    }
    return said as StateNow;
  }

  async explore(game: number, more: number): Promise<Known> {
    const instance = this.gameOf(game);

    return instance.ask<Known>(() => instance.exports.game_explore(more));
  }

  async way(game: number, state: number): Promise<number[]> {
    const instance = this.gameOf(game);

    return instance.ask<number[]>(() => instance.exports.game_way(state));
  }

  async near(game: number, state: number, moves: number, most: number): Promise<Near> {
    const instance = this.gameOf(game);

    return instance.ask<Near>(() => instance.exports.game_near(state, moves, most));
  }

  async follow(game: number, first: number, moves: number[]): Promise<number[]> {
    const instance = this.gameOf(game);

    return instance.ask<number[]>(() =>
      instance.exports.game_follow(first, instance.numbers(moves), moves.length),
    );
  }

  async played(game: number, first: number, moves: number[]) {
    const instance = this.gameOf(game);

    instance.ask<object>(() =>
      instance.exports.game_trace(first, instance.numbers(moves), moves.length, instance.text(FILE)),
    );
    const trace = instance.get(FILE)!;
    return {
      recording: this.read(this.start(), trace, FILE),
      trace: new TextDecoder().decode(trace),
    };
  }

  async match(game: number, bytes: Uint8Array) {
    const instance = this.gameOf(game);

    instance.put(FILE, bytes);
    return instance.ask<{ first: number; moves: number[] }>(() =>
      instance.exports.game_match(instance.text(FILE)),
    );
  }

  async close(game: number): Promise<void> {
    this.games.delete(game);
  }
}
