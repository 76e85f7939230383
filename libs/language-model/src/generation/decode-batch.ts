/**
 * Candidates that advance together. Groups join while others are under way and leave as they end. Only requests that agree in
 * the sizes that could reach the bits of a result (the padded prompt length P, the chunk columns W) share a wave; see
 * generation-graphs.ts.
 */
import { isSeamError } from '@seamstream/kernel';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import { type Candidate, choose, type Job } from './candidate.js';
import { type Cache, runDecodeStep, storeChunk, type WeightFeeds } from './decode-step.js';
import { computePrompts, type GenerationSessions } from './prefill.js';

/** Candidates of one prompt; a request with many seeds may be several groups. */
export interface Group {
  readonly job: Job;
  readonly candidates: readonly Candidate[];
}

/** Is called with a candidate's group that cannot continue; the others do. */
type OnFailure<Member> = (group: Member, error: unknown) => void;

/** Prompts are padded to multiples of this: few kinds of waves, little padding. */
const PROMPT_STEP = 16;
const SUFFIX_STEP = 16;
/** Longest chunk of a constrained row; longer forced runs take several runs. */
const CHUNK_COLUMNS = 16;

const roundUp = (value: number, step: number): number => Math.max(step, Math.ceil(value / step) * step);

/** P of a job's wave, and whether its candidates feed several tokens at once. */
export function waveKind({ prefix, grammar }: Job): { readonly promptColumns: number; readonly chunkColumns: number } {
  return {
    promptColumns: roundUp(prefix.length, PROMPT_STEP),
    chunkColumns: grammar === undefined ? 1 : CHUNK_COLUMNS,
  };
}

export class DecodeBatch<Member extends Group = Group> {
  readonly #config: ModelConfig;
  readonly #sessions: GenerationSessions;
  readonly #weights: WeightFeeds;
  readonly #promptColumns: number;
  readonly #chunkColumns: number;
  #groups: readonly Member[] = [];
  #capacity = SUFFIX_STEP;
  /** G·K slots, a rectangle; undefined where a group has fewer candidates than the widest. */
  #slots: (Candidate | undefined)[] = [];
  #prompt: Cache = { keys: [], values: [] };
  #suffix: Cache = { keys: [], values: [] };

  constructor(
    config: ModelConfig,
    sessions: GenerationSessions,
    weights: WeightFeeds,
    kind: ReturnType<typeof waveKind>,
  ) {
    this.#config = config;
    this.#sessions = sessions;
    this.#weights = weights;
    this.#promptColumns = kind.promptColumns;
    this.#chunkColumns = kind.chunkColumns;
  }

  /** Groups with a candidate that still runs. */
  get groups(): readonly Member[] {
    return this.#groups.filter(({ candidates }) => candidates.some(isRunning));
  }

  /** Computes the prompts of groups, draws their candidates' first tokens and lets them join. */
  async admit(groups: readonly Member[], onFailure: OnFailure<Member>): Promise<void> {
    const { vocabularySize } = this.#config;
    const prompts = groups.map(({ job }) => job.prefix);
    const computed = await computePrompts(this.#config, this.#sessions, this.#weights, prompts, this.#promptColumns);
    groups.forEach((group, at) => {
      const [from, to] = [at * vocabularySize, (at + 1) * vocabularySize];
      const logits = computed.logits.subarray(from, to);
      const probabilities = computed.probabilities.subarray(from, to);
      for (const candidate of group.candidates) {
        if (isRunning(candidate)) draw(candidate, logits, probabilities, (error) => onFailure(group, error));
      }
    });
    this.#arrange(groups, computed.cache);
  }

  /** Feeds every running candidate its next chunk and draws where a chunk was the last of its pending tokens. */
  async step(onFailure: OnFailure<Member>): Promise<void> {
    const active = this.#slots.reduce((count, candidate) => count + (isRunning(candidate) ? 1 : 0), 0);
    if (active === 0) return;
    if (2 * active < this.#slots.length) this.#arrange();
    const { vocabularySize } = this.#config;
    const W = this.#chunkColumns;
    const slots = this.#slots;
    const groups = this.#groups;
    const pieces = slots.map((candidate) => (isRunning(candidate) ? candidate.pending.slice(0, W) : []));
    const drawing = slots.flatMap((candidate, slot) =>
      isRunning(candidate) && pieces[slot]!.length === candidate.pending.length ? [slot] : [],
    );
    const run = {
      pieces,
      cached: slots.map((candidate) => candidate?.cached ?? 0),
      promptLengths: groups.map(({ job }) => job.prefix.length),
      drawing,
      promptColumns: this.#promptColumns,
      suffixColumns: this.#capacity,
      chunkColumns: W,
      // A product with one column takes another kernel: constrained rows, whose chunks differ, always have two.
      columns: Math.max(W > 1 ? 2 : 1, ...pieces.map((piece) => piece.length)),
      prompt: this.#prompt,
      suffix: this.#suffix,
    };
    const outputs = await runDecodeStep(this.#config, await this.#sessions.decode(), this.#weights, run);
    slots.forEach((candidate, slot) => {
      if (!isRunning(candidate)) return;
      candidate.cached += pieces[slot]!.length;
      candidate.pending = candidate.pending.slice(pieces[slot]!.length);
    });
    drawing.forEach((slot, at) => {
      const [from, to] = [at * vocabularySize, (at + 1) * vocabularySize];
      const [logits, probabilities] = [outputs.logits!.data, outputs.probabilities!.data];
      const group = groups[Math.floor((slot * groups.length) / slots.length)]!;
      draw(slots[slot]!, logits.subarray(from, to), probabilities.subarray(from, to), (error) =>
        onFailure(group, error),
      );
    });
    this.#grow();
    storeChunk(this.#config, this.#suffix, this.#capacity, outputs, run, (slot) => isRunning(slots[slot]));
  }

  /** Lays what still runs out again, without groups and candidates that are done, and moves the caches along. */
  #arrange(joining: readonly Member[] = [], joiningPrompts: Cache = { keys: [], values: [] }): void {
    const { keyValueHeads, headDimension, layers } = this.#config;
    const promptBlock = keyValueHeads * this.#promptColumns * headDimension;
    const before = new Map(this.#slots.map((candidate, slot) => [candidate, slot] as const));
    const kept = [
      ...this.#groups.map((group, at) => ({ group, at, cache: this.#prompt })),
      ...joining.map((group, at) => ({ group, at, cache: joiningPrompts })),
    ].filter(({ group }) => group.candidates.some(isRunning));
    const running = kept.map(({ group }) => group.candidates.filter(isRunning));
    const width = Math.max(0, ...running.map((candidates) => candidates.length));
    const slots = running.flatMap((candidates) => Array.from({ length: width }, (_, at) => candidates[at]));
    const capacity = roundUp(Math.max(0, ...slots.map((candidate) => candidate?.cached ?? 0)), SUFFIX_STEP);
    const movePrompts = (part: keyof Cache, layer: number): Float32Array => {
      const sources = new Set(kept.map(({ cache }) => cache));
      const [only] = sources;
      if (sources.size === 1 && only![part][layer]!.length === kept.length * promptBlock) return only![part][layer]!;
      const fresh = new Float32Array(kept.length * promptBlock);
      kept.forEach(({ at, cache }, to) => {
        fresh.set(cache[part][layer]!.subarray(at * promptBlock, (at + 1) * promptBlock), to * promptBlock);
      });
      return fresh;
    };
    const moveSuffixes = (old: Float32Array | undefined): Float32Array => {
      const fresh = new Float32Array(slots.length * keyValueHeads * capacity * headDimension);
      slots.forEach((candidate, slot) => {
        const from = candidate && before.get(candidate);
        if (!old || from === undefined) return;
        const length = candidate!.cached * headDimension;
        for (let head = 0; head < keyValueHeads; head++) {
          const source = (from * keyValueHeads + head) * this.#capacity * headDimension;
          const target = (slot * keyValueHeads + head) * capacity * headDimension;
          fresh.set(old.subarray(source, source + length), target);
        }
      });
      return fresh;
    };
    const prompt: Cache = { keys: [], values: [] };
    for (const part of ['keys', 'values'] as const) {
      for (let layer = 0; layer < layers; layer++) {
        prompt[part].push(movePrompts(part, layer));
        this.#suffix[part][layer] = moveSuffixes(this.#suffix[part][layer]);
      }
    }
    this.#prompt = prompt;
    this.#groups = kept.map(({ group }) => group);
    this.#slots = slots;
    this.#capacity = capacity;
  }

  /** Makes room for the longest suffix. */
  #grow(): void {
    const cached = Math.max(...this.#slots.map((candidate) => candidate?.cached ?? 0));
    const capacity = roundUp(cached, SUFFIX_STEP);
    if (capacity <= this.#capacity) return;
    const { keyValueHeads, headDimension } = this.#config;
    const widen = (old: Float32Array): Float32Array => {
      const fresh = new Float32Array(this.#slots.length * keyValueHeads * capacity * headDimension);
      const [from, to] = [this.#capacity * headDimension, capacity * headDimension];
      for (let head = 0; head < this.#slots.length * keyValueHeads; head++) {
        fresh.set(old.subarray(head * from, (head + 1) * from), head * to);
      }
      return fresh;
    };
    this.#suffix = { keys: this.#suffix.keys.map(widen), values: this.#suffix.values.map(widen) };
    this.#capacity = capacity;
  }
}

function isRunning(candidate: Candidate | undefined): candidate is Candidate {
  return candidate !== undefined && candidate.finishReason === undefined;
}

/** A candidate whose logits are broken ends; it is its own call that fails. */
function draw(
  candidate: Candidate,
  logits: Float32Array,
  probabilities: Float32Array,
  onFailure: (error: unknown) => void,
): void {
  try {
    choose(candidate, logits, probabilities);
  } catch (error) {
    if (!isSeamError(error, 'NON_FINITE')) throw error;
    candidate.finishReason = 'length';
    onFailure(error);
  }
}
