/** The sessions of one set of weights, each compiled when it is first asked for. */
import { Session } from '@seamstream/tensor-graph';
import { type ComputePlan, sessionSettings } from './compute-plan.js';
import type { WeightSource } from './decoder.js';
import { decodeGraph, prefillGraph } from './generation-graphs.js';
import type { GenerationSessions, PromptSession } from './prefill.js';
import { logProbGraph } from './training-graph.js';

export class CompiledModel implements GenerationSessions {
  readonly #sessions = new Map<string, Promise<Session>>();
  readonly #source: WeightSource;
  readonly #plan: ComputePlan;
  /** Calls under way: nobody closes it beneath them. */
  users = 0;

  constructor(source: WeightSource, plan: ComputePlan) {
    this.#source = source;
    this.#plan = plan;
  }

  /**
   * For a large model of 32-bit floats a session that reads the weights where they are mapped: it is there at once, takes no
   * memory of its own, and prompts have rows enough. Narrow weights are widened when a session is compiled, so there is one.
   */
  async prefill(): Promise<PromptSession> {
    const { isLarge, executionProvider } = this.#plan;
    if (!isLarge) return { session: await this.#session('prefill', true), inChunks: false };
    const { checkpoint, inMemory } = this.#source;
    const isMapped = !inMemory && [...checkpoint.weights.values()].every(({ dtype }) => dtype === 'F32');
    const inPlace = executionProvider === 'cpu' && isMapped;
    return { session: await this.#session('decode', !inPlace), inChunks: true };
  }

  decode(): Promise<Session> {
    return this.#session('decode', true);
  }

  scoring(isMasked: boolean): Promise<Session> {
    return this.#session(isMasked ? 'scoring masked' : 'scoring', !this.#plan.isLarge);
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of await Promise.allSettled(sessions)) {
      if (session.status === 'fulfilled') await session.value.close();
    }
  }

  #session(graph: keyof typeof GRAPHS, repacksWeights: boolean): Promise<Session> {
    const key = `${graph} ${repacksWeights}`;
    let session = this.#sessions.get(key);
    if (!session) {
      session = Session.create(GRAPHS[graph](this.#source).graph, { ...sessionSettings(this.#plan), repacksWeights });
      this.#sessions.set(key, session);
      // What could not be compiled is tried again when it is asked for again.
      session.catch(() => this.#sessions.delete(key));
    }
    return session;
  }
}

const GRAPHS = {
  prefill: prefillGraph,
  decode: decodeGraph,
  scoring: (source: WeightSource) => logProbGraph(source, false),
  'scoring masked': (source: WeightSource) => logProbGraph(source, true),
};
