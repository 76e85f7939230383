/** The sessions of one set of weights, each compiled when it is first asked for. */
import { canonicalJson } from '@seamstream/kernel';
import type { Session, SessionSettings } from '@seamstream/tensor-graph';
import type { GenerationSessions, PromptSession } from '../generation/prefill.js';
import { type ComputePlan, sessionSettings } from './compute-plan.js';
import type { WeightSource } from './decoder.js';
import { decodeGraph, prefillGraph } from './generation-graphs.js';
import { Sessions } from './sessions.js';
import { logProbGraph } from './training-graph.js';

export class CompiledModel implements GenerationSessions {
  readonly #sessions = new Sessions();
  readonly #source: WeightSource;
  readonly #plan: ComputePlan;
  /** Calls under way: it is not closed during them. */
  users = 0;

  constructor(source: WeightSource, plan: ComputePlan) {
    this.#source = source;
    this.#plan = plan;
  }

  /**
   * For a large model of 32-bit floats a session that reads the weights where they are mapped: it is there at once, takes no
   * separate memory, and prompts have rows enough. Narrow weights are widened when a session is compiled, so there is one.
   */
  async prefill(): Promise<PromptSession> {
    const { isLarge, executionProvider } = this.#plan;
    if (!isLarge) return { session: await this.#session('prefill'), inChunks: false };
    const { checkpoint, inMemory } = this.#source;
    const isMapped = !inMemory && [...checkpoint.weights.values()].every(({ dtype }) => dtype === 'F32');
    const inPlace = executionProvider === 'cpu' && isMapped;
    return { session: await this.#session('decode', inPlace ? SOON : {}), inChunks: true };
  }

  decode(): Promise<Session> {
    return this.#session('decode');
  }

  scoring(isMasked: boolean): Promise<Session> {
    return this.#session(isMasked ? 'scoring masked' : 'scoring', { repacksWeights: !this.#plan.isLarge });
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  #session(graph: keyof typeof GRAPHS, layout: Layout = {}): Promise<Session> {
    const settings = { ...sessionSettings(this.#plan), ...layout };
    return this.#sessions.get(`${graph} ${canonicalJson(layout)}`, () => GRAPHS[graph](this.#source), settings);
  }
}

type Layout = Pick<SessionSettings, 'repacksWeights' | 'fusesOperators'>;
/** Fusing takes a third of compiling, and gains nothing compared with the products of a prompt. */
const SOON: Layout = { repacksWeights: false, fusesOperators: false };

const GRAPHS = {
  prefill: prefillGraph,
  decode: decodeGraph,
  scoring: (source: WeightSource) => logProbGraph(source, false),
  'scoring masked': (source: WeightSource) => logProbGraph(source, true),
};
