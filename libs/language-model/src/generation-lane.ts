/**
 * Generation on one thread: prompts are computed once per group, then all candidates of a wave advance together.
 * Tokens that the grammar forces cost no model call of their own: they travel in one chunk with the choice before them.
 *
 * A candidate depends on its own request and seed only. Whatever sizes a run has that could reach the bits of a result
 * (the padded prompt length P, the chunk columns W) are functions of the request, and only requests that agree in
 * them share a wave; see generation-graphs.ts.
 */
import { canonicalJson, Random, SeamError } from '@seamstream/kernel';
import { Session, type TensorData } from '@seamstream/tensor-graph';
import type { Adapter } from './adapter.js';
import type { Checkpoint } from './checkpoint.js';
import type { ComputePlan } from './compute-plan.js';
import { causalMask, MASKED, type WeightSource } from './decoder.js';
import type { GeneratedSequence, GenerationRequest, GenerationResult } from './generation.types.js';
import { decodeGraph, prefillGraph } from './generation-graphs.js';
import { compileGrammar, type GrammarState, type TokenGrammar } from './grammar/token-grammar.js';
import { sampleToken } from './sampler.js';
import { type ScoredSequence, scoreSequences } from './sequence-batch.js';
import type { Tokenizer } from './tokenizer.js';
import { logProbGraph } from './training-graph.js';

/** Prompts are padded to multiples of this: few waves, little padding. */
const PROMPT_STEP = 16;
const SUFFIX_STEP = 16;
/** Longest chunk of a constrained row; longer forced runs take several calls. */
const CHUNK_COLUMNS = 16;
/** Rows of one wave: enough to fill matrix products, few enough that a layer's caches stay near the processor. */
const WAVE_ROWS = 128;

interface Row {
  readonly job: Job;
  readonly seedIndex: number;
  readonly random: Random;
  state: GrammarState | undefined;
  readonly tokenIds: number[];
  readonly logProbs: number[];
  readonly legalMass: number[];
  readonly forced: boolean[];
  /** Tokens that are not in the cache yet; the last one's logits decide the next choice. */
  pending: number[];
  /** Suffix tokens in the cache. */
  cached: number;
  finishReason: GeneratedSequence['finishReason'] | undefined;
}

interface Job {
  readonly request: GenerationRequest;
  readonly index: number;
  readonly grammar: TokenGrammar | undefined;
  readonly start: GrammarState | undefined;
  /** Prompt and the grammar's opening run. */
  readonly prefix: readonly number[];
  readonly opening: readonly number[];
  readonly stops: ReadonlySet<number>;
}

/** One group's candidates in a wave; a request with many seeds may be several groups. */
interface Group {
  readonly job: Job;
  readonly rows: readonly Row[];
}

/** Sessions of one set of weights. */
interface CompiledWeights {
  readonly prefill: Session;
  readonly decode: Session;
  /** Compiled when first asked for. */
  scoring: Session | undefined;
  scoringMasked: Session | undefined;
  readonly source: WeightSource;
}

/** The tensors to feed with an adapter's weights, if these are inputs. */
type WeightFeeds = Readonly<Record<string, TensorData>>;

const roundUp = (value: number, step: number): number => Math.max(step, Math.ceil(value / step) * step);
const ints = (...values: number[]): TensorData => ({ data: BigInt64Array.from(values, BigInt), dims: [values.length] });

export class GenerationLane {
  readonly #checkpoint: Checkpoint;
  readonly #tokenizer: Tokenizer | undefined;
  readonly #plan: ComputePlan;
  readonly #compiled = new Map<string, CompiledWeights>();
  readonly #grammars = new Map<string, TokenGrammar>();

  constructor(checkpoint: Checkpoint, tokenizer: Tokenizer | undefined, plan: ComputePlan) {
    this.#checkpoint = checkpoint;
    this.#tokenizer = tokenizer;
    this.#plan = plan;
  }

  /** Compiles a large model before it is asked for; a small one is compiled fast enough when it is. */
  async prepare(): Promise<void> {
    if (this.#plan.isLarge) await this.#weights(undefined);
  }

  /** @throws PROMPT_TOO_LONG, INVALID_INPUT, UNSUPPORTED_JSON_SCHEMA, NON_FINITE */
  async generate(requests: readonly GenerationRequest[], adapter?: Adapter): Promise<GenerationResult[]> {
    const { compiled, feeds } = await this.#weights(adapter);
    const jobs = requests.map((request, index) => this.#job(request, index));
    const results = jobs.map(({ request }) => new Array<GeneratedSequence>(request.seeds.length));
    for (const groups of wavesOf(jobs)) {
      await new Wave(this.#checkpoint.config, compiled, feeds, groups).run();
      for (const { rows } of groups) {
        for (const row of rows) results[row.job.index]![row.seedIndex] = sequenceOf(row);
      }
    }
    return results;
  }

  /** ln π of the targets of each sequence; see scoreSequences. */
  async logProbabilities(sequences: readonly ScoredSequence[], adapter?: Adapter): Promise<number[][]> {
    const { compiled, feeds } = await this.#weights(adapter);
    const settings = { threads: this.#plan.threadsPerLane, repacksWeights: !this.#plan.isLarge };
    return scoreSequences(
      this.#checkpoint.config,
      sequences,
      (schema) => this.grammar(schema),
      async (batch, isMasked) => {
        const session = isMasked
          ? (compiled.scoringMasked ??= await Session.create(logProbGraph(compiled.source, true).graph, settings))
          : (compiled.scoring ??= await Session.create(logProbGraph(compiled.source, false).graph, settings));
        return (await session.run({ ...feeds, ...batch })).log_probs!.data;
      },
    );
  }

  /** Logits of the last token of each prompt, [V] each, every prompt computed alone. */
  async probe(prompts: readonly (readonly number[])[], adapter?: Adapter): Promise<Float32Array[]> {
    const { compiled, feeds } = await this.#weights(adapter);
    const logits: Float32Array[] = [];
    for (const prompt of prompts) {
      const outputs = await prefill(this.#checkpoint.config, compiled.prefill, feeds, [prompt], prompt.length, [
        'logits',
      ]);
      logits.push(outputs.logits!.data.slice(0, this.#checkpoint.config.vocabularySize));
    }
    return logits;
  }

  async close(): Promise<void> {
    for (const sessions of this.#compiled.values()) await closeSessions(sessions);
    this.#compiled.clear();
  }

  /** LoRA factors are fed to sessions shared by all adapters of one form; a full adapter has sessions of its own. */
  async #weights(adapter: Adapter | undefined): Promise<{ compiled: CompiledWeights; feeds: WeightFeeds }> {
    let key = 'base';
    let source: WeightSource = { checkpoint: this.#checkpoint };
    const feeds: Record<string, TensorData> = {};
    if (adapter?.settings.kind === 'full') {
      key = adapter.digest;
      source = { ...source, replaced: adapter.tensors };
    } else if (adapter) {
      // Adapters that differ in nothing but the seed of their factors have one form.
      key = canonicalJson({ ...adapter.settings, seed: '' });
      source = { ...source, inputs: adapter.settings };
      for (const [name, { data, shape }] of adapter.tensors) feeds[name] = { data, dims: shape };
    }
    const compiled: CompiledWeights = this.#compiled.get(key) ?? {
      prefill: await Session.create(prefillGraph(source).graph, {
        threads: this.#plan.threadsPerLane,
        repacksWeights: !this.#plan.isLarge,
      }),
      decode: await Session.create(decodeGraph(source).graph, { threads: this.#plan.threadsPerLane }),
      scoring: undefined,
      scoringMasked: undefined,
      source,
    };
    // Most recently used last; what is in use, its predecessor and the base stay compiled.
    this.#compiled.delete(key);
    this.#compiled.set(key, compiled);
    for (const [old, sessions] of this.#compiled) {
      if (this.#compiled.size <= 3) break;
      if (old === 'base') continue;
      this.#compiled.delete(old);
      await closeSessions(sessions);
    }
    return { compiled, feeds };
  }

  #job(request: GenerationRequest, index: number): Job {
    const { promptTokenIds, sampling, schema } = request;
    const { maxPositions, vocabularySize } = this.#checkpoint.config;
    const bad = promptTokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabularySize);
    if (promptTokenIds.length === 0 || bad !== undefined || request.seeds.length === 0 || !(sampling.maxTokens >= 1)) {
      throw new SeamError(
        'INVALID_INPUT',
        `A generation request expected a prompt of token ids below ${vocabularySize}, a seed and maxTokens ≥ 1, got ${promptTokenIds.length} ids${bad === undefined ? '' : ` with ${bad} among them`}, ${request.seeds.length} seeds, maxTokens ${sampling.maxTokens}`,
      );
    }
    if (promptTokenIds.length + sampling.maxTokens > maxPositions) {
      throw new SeamError(
        'PROMPT_TOO_LONG',
        `A generation request has a prompt of ${promptTokenIds.length} tokens and may add ${sampling.maxTokens}; the model holds ${maxPositions}: shorten the prompt or lower maxTokens`,
        { details: { promptTokens: promptTokenIds.length, maxTokens: sampling.maxTokens, maxPositions } },
      );
    }
    const grammar = schema ? this.grammar(schema) : undefined;
    const start = grammar?.start();
    if (grammar && start && grammar.minTokensToComplete(start) > sampling.maxTokens) {
      throw new SeamError(
        'INVALID_INPUT',
        `A generation request allows ${sampling.maxTokens} tokens; the shortest valid text under its schema needs ${grammar.minTokensToComplete(start)}: raise maxTokens`,
      );
    }
    const opening = grammar && start ? grammar.forcedRun(start).slice(0, sampling.maxTokens) : [];
    const stops = new Set(request.stopTokenIds ?? this.#checkpoint.generation.eosTokenIds);
    return { request, index, grammar, start, opening, prefix: [...promptTokenIds, ...opening], stops };
  }

  /** The grammar of a schema, compiled once. */
  grammar(schema: NonNullable<GenerationRequest['schema']>): TokenGrammar {
    const key = canonicalJson(schema);
    let grammar = this.#grammars.get(key);
    if (!grammar) {
      const tokenizer = this.#tokenizer;
      if (!tokenizer) {
        throw new SeamError(
          'INVALID_INPUT',
          `Constraining by a schema needs the model's tokenizer; ${this.#checkpoint.folder} has no tokenizer.json`,
        );
      }
      grammar = compileGrammar(schema, tokenizer.vocabulary, (text) => tokenizer.encode(text));
      this.#grammars.set(key, grammar);
    }
    return grammar;
  }
}

async function closeSessions(sessions: CompiledWeights): Promise<void> {
  for (const session of [sessions.prefill, sessions.decode, sessions.scoring, sessions.scoringMasked]) {
    await session?.close();
  }
}

/** Groups that may share a wave, in waves of bounded size; the order of requests is kept within each kind. */
function wavesOf(jobs: readonly Job[]): Group[][] {
  const kinds = new Map<string, Group[]>();
  for (const job of jobs) {
    const key = `${roundUp(job.prefix.length, PROMPT_STEP)} ${job.grammar ? 'constrained' : 'free'}`;
    const groups = kinds.get(key) ?? [];
    kinds.set(key, groups);
    const rows = job.request.seeds.map((seed, seedIndex) => startRow(job, seed, seedIndex));
    for (let at = 0; at < rows.length; at += WAVE_ROWS) groups.push({ job, rows: rows.slice(at, at + WAVE_ROWS) });
  }
  const waves: Group[][] = [];
  for (const groups of kinds.values()) {
    // Groups of like size stand together: a wave is a rectangle of groups and rows.
    groups.sort((a, b) => b.rows.length - a.rows.length);
    let wave: Group[] = [];
    let width = 0;
    for (const group of groups) {
      width = Math.max(width, group.rows.length);
      if (wave.length > 0 && (wave.length + 1) * width > WAVE_ROWS) {
        waves.push(wave);
        wave = [];
        width = group.rows.length;
      }
      wave.push(group);
    }
    if (wave.length > 0) waves.push(wave);
  }
  return waves;
}

function startRow(job: Job, seed: string, seedIndex: number): Row {
  const row: Row = {
    job,
    seedIndex,
    random: Random.of(seed),
    state: job.start,
    tokenIds: [],
    logProbs: [],
    legalMass: [],
    forced: [],
    pending: [],
    cached: 0,
    finishReason: undefined,
  };
  for (const id of job.opening) record(row, id, 0, 1, true);
  settle(row);
  return row;
}

function record(row: Row, id: number, logProb: number, legalMass: number, forced: boolean): void {
  row.tokenIds.push(id);
  row.logProbs.push(logProb);
  row.legalMass.push(legalMass);
  row.forced.push(forced);
  if (row.job.grammar && row.state !== undefined) row.state = row.job.grammar.advance(row.state, id);
}

/** Ends a row whose text is complete or whose budget is spent. */
function settle(row: Row): void {
  const { grammar, request, stops } = row.job;
  const isComplete =
    grammar && row.state !== undefined ? grammar.isComplete(row.state) : stops.has(row.tokenIds.at(-1) ?? -1);
  if (isComplete) row.finishReason = 'completed';
  else if (row.tokenIds.length >= request.sampling.maxTokens) row.finishReason = 'length';
}

/** Draws the next token and everything that it forces. */
function choose(row: Row, logits: Float32Array, probabilities: Float32Array): void {
  const { grammar, request } = row.job;
  const { sampling } = request;
  if (!grammar || row.state === undefined) {
    const { id, logProb, legalMass } = sampleToken(logits, null, sampling, row.random, probabilities);
    record(row, id, logProb, legalMass, false);
    row.pending = [id];
    settle(row);
    return;
  }
  const legal = grammar.allowedWithin(row.state, sampling.maxTokens - row.tokenIds.length).ids;
  if (legal.length === 1) {
    record(row, legal[0]!, 0, 1, true);
  } else {
    const { id, logProb, legalMass } = sampleToken(logits, legal, sampling, row.random, probabilities);
    record(row, id, logProb, legalMass, false);
  }
  const chosen = row.tokenIds.length - 1;
  for (const id of grammar.forcedRun(row.state)) {
    if (row.tokenIds.length >= sampling.maxTokens) break;
    record(row, id, 0, 1, true);
  }
  row.pending = row.tokenIds.slice(chosen);
  settle(row);
}

function sequenceOf(row: Row): GeneratedSequence {
  const { tokenIds, logProbs, legalMass, forced } = row;
  return { tokenIds, logProbs, legalMass, forced, finishReason: row.finishReason ?? 'length' };
}

type Config = Checkpoint['config'];

/** Runs the prefill graph over prompts padded to `length`. */
async function prefill(
  config: Config,
  session: Session,
  feeds: WeightFeeds,
  prompts: readonly (readonly number[])[],
  length: number,
  outputs?: readonly string[],
): Promise<Record<string, { data: Float32Array }>> {
  const count = prompts.length;
  const tokens = new Int32Array(count * length);
  const positions = new Int32Array(count * length);
  // At least two rows of logits, see Wave.#step.
  const last = new Int32Array(Math.max(2, count));
  prompts.forEach((prompt, group) => {
    tokens.set(prompt, group * length);
    for (let at = 0; at < length; at++) positions[group * length + at] = Math.min(at, config.maxPositions - 1);
    last[group] = group * length + prompt.length - 1;
  });
  const repeats = config.heads / config.keyValueHeads;
  return session.run(
    {
      ...feeds,
      tokens: { data: tokens, dims: [count, length] },
      positions: { data: positions, dims: [count, length] },
      causal: { data: causalMask(config, length), dims: [repeats * length, length] },
      last: { data: last, dims: [last.length] },
    },
    outputs,
  );
}

/** Rows that advance together. Slots are a rectangle: group g's rows stand at g·K … g·K + K − 1. */
class Wave {
  readonly #config: Config;
  readonly #compiled: CompiledWeights;
  readonly #feeds: WeightFeeds;
  readonly #isConstrained: boolean;
  readonly #promptLength: number;
  readonly #columns: number;
  #groups: readonly Group[];
  #capacity = SUFFIX_STEP;
  /** Rows per group. */
  #width = 0;
  #slots: (Row | undefined)[] = [];
  #promptKeys: Float32Array[] = [];
  #promptValues: Float32Array[] = [];
  #suffixKeys: Float32Array[] = [];
  #suffixValues: Float32Array[] = [];

  constructor(config: Config, compiled: CompiledWeights, feeds: WeightFeeds, groups: readonly Group[]) {
    this.#config = config;
    this.#compiled = compiled;
    this.#feeds = feeds;
    this.#groups = groups;
    const { job } = groups[0]!;
    this.#isConstrained = job.grammar !== undefined;
    this.#promptLength = roundUp(job.prefix.length, PROMPT_STEP);

    this.#columns = this.#isConstrained ? CHUNK_COLUMNS : 1;
  }

  async run(): Promise<void> {
    if (this.#isDone()) return;
    const prompts = this.#groups.map(({ job }) => job.prefix);
    const outputs = await prefill(this.#config, this.#compiled.prefill, this.#feeds, prompts, this.#promptLength);
    const vocabulary = this.#config.vocabularySize;
    this.#groups.forEach(({ rows }, group) => {
      const [from, to] = [group * vocabulary, (group + 1) * vocabulary];
      const logits = outputs.logits!.data.subarray(from, to);
      const probabilities = outputs.probabilities!.data.subarray(from, to);
      for (const row of rows) if (row.finishReason === undefined) choose(row, logits, probabilities);
    });
    for (let layer = 0; layer < this.#config.layers; layer++) {
      this.#promptKeys.push(outputs[`key_${layer}`]!.data);
      this.#promptValues.push(outputs[`value_${layer}`]!.data);
    }
    this.#arrange();
    while (!this.#isDone()) {
      const active = this.#slots.reduce((count, row) => count + (row && row.finishReason === undefined ? 1 : 0), 0);
      if (2 * active < this.#slots.length) this.#arrange();
      await this.#step();
    }
  }

  #isDone(): boolean {
    return this.#groups.every(({ rows }) => rows.every((row) => row.finishReason !== undefined));
  }

  /** Lays the rows that still run out anew, without groups and rows that are done, and moves their caches along. */
  #arrange(): void {
    const { keyValueHeads, headDimension, layers } = this.#config;
    const running = this.#groups.map(({ rows }) => rows.filter((row) => row.finishReason === undefined));
    const kept = running.flatMap((rows, group) => (rows.length > 0 ? [group] : []));
    const width = Math.max(...running.map((rows) => rows.length));
    const slots = kept.flatMap((group) => Array.from({ length: width }, (_, at) => running[group]![at]));
    const before = new Map(this.#slots.map((row, slot) => [row, slot] as const));
    const block = keyValueHeads * this.#capacity * headDimension;
    const promptBlock = keyValueHeads * this.#promptLength * headDimension;
    const moveSuffix = (old: Float32Array | undefined): Float32Array => {
      const fresh = new Float32Array(slots.length * block);
      slots.forEach((row, slot) => {
        const from = row && before.get(row);
        if (old && from !== undefined) fresh.set(old.subarray(from * block, (from + 1) * block), slot * block);
      });
      return fresh;
    };
    const movePrompt = (old: Float32Array): Float32Array => {
      if (kept.length === this.#groups.length) return old;
      const fresh = new Float32Array(kept.length * promptBlock);
      kept.forEach((from, to) => {
        fresh.set(old.subarray(from * promptBlock, (from + 1) * promptBlock), to * promptBlock);
      });
      return fresh;
    };
    for (let layer = 0; layer < layers; layer++) {
      this.#suffixKeys[layer] = moveSuffix(this.#suffixKeys[layer]);
      this.#suffixValues[layer] = moveSuffix(this.#suffixValues[layer]);
      this.#promptKeys[layer] = movePrompt(this.#promptKeys[layer]!);
      this.#promptValues[layer] = movePrompt(this.#promptValues[layer]!);
    }
    this.#groups = kept.map((group) => this.#groups[group]!);
    this.#width = width;
    this.#slots = slots;
  }

  /** Makes room for the longest suffix. */
  #grow(): void {
    const cached = Math.max(...this.#slots.map((row) => row?.cached ?? 0));
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
    this.#suffixKeys = this.#suffixKeys.map(widen);
    this.#suffixValues = this.#suffixValues.map(widen);
    this.#capacity = capacity;
  }

  /** Feeds every running row its next chunk and draws where a chunk was the last of its pending tokens. */
  async #step(): Promise<void> {
    const { keyValueHeads: KVH, headDimension: hd, heads, layers, vocabularySize } = this.#config;
    const repeats = heads / KVH;
    const [P, S, W, G, K] = [this.#promptLength, this.#capacity, this.#columns, this.#groups.length, this.#width];
    const R = this.#slots.length;
    const pieces = this.#slots.map((row) => (row && row.finishReason === undefined ? row.pending.slice(0, W) : []));
    // A product with one column takes another kernel: constrained rows, whose chunks differ, always have two.
    const C = Math.max(this.#isConstrained ? 2 : 1, ...pieces.map((piece) => piece.length));
    const total = pieces.reduce((count, piece) => count + piece.length, 0);
    // At least two tokens: a product with one row may take another kernel and other bits on some processors.
    const N = Math.max(2, total);
    const tokens = new Int32Array(N);
    const positions = new Int32Array(N);
    const chunks = new Int32Array(R * C);
    const packed = new Int32Array(N);
    const suffixMask = new Float32Array(R * S).fill(MASKED);
    const promptMask = new Float32Array(G * P);
    const drawing: Row[] = [];
    const last: number[] = [];
    let n = 0;
    pieces.forEach((piece, slot) => {
      const row = this.#slots[slot];
      if (!row || piece.length === 0) return;
      const start = row.job.prefix.length + row.cached;
      for (let c = 0; c < piece.length; c++) {
        tokens[n] = piece[c]!;
        positions[n] = start + c;
        chunks[slot * C + c] = n;
        packed[n] = slot * C + c;
        n++;
      }
      suffixMask.fill(0, slot * S, slot * S + row.cached);
      if (piece.length === row.pending.length) {
        drawing.push(row);
        last.push(n - 1);
      }
    });
    this.#groups.forEach(({ job }, group) => {
      promptMask.fill(MASKED, group * P + job.prefix.length, (group + 1) * P);
    });
    const logitRows = Math.max(2, last.length);
    const lastPlaces = new Int32Array(logitRows);
    lastPlaces.set(last);
    const feeds: Record<string, TensorData> = {
      ...this.#feeds,
      tokens: { data: tokens, dims: [N, 1] },
      positions: { data: positions, dims: [N, 1] },
      padded: { data: chunks, dims: [G, K, C] },
      chunks: { data: chunks, dims: [R, C] },
      packed: { data: packed, dims: [N] },
      last: { data: lastPlaces, dims: [logitRows] },
      prompt_mask: { data: promptMask, dims: [G, 1, 1, P] },
      suffix_mask: { data: suffixMask, dims: [R, 1, 1, S] },
      chunk_mask: { data: chunkMask(C, repeats), dims: [C * repeats, C] },
      size_grouped_scores: ints(G, KVH, K, C * repeats, P),
      size_row_scores: ints(R, KVH, C * repeats, P),
      size_separated_scores: ints(G, K, KVH, C * repeats, P),
      size_merged_scores: ints(G, KVH, K * C * repeats, P),
      size_grouped_mix: ints(G, KVH, K, C, repeats, hd),
      size_row_mix: ints(R, KVH, C, repeats, hd),
      chunk_padding: ints(0, 0, 0, 0, 0, 0, 0, W - C),
      bound_0: ints(0),
      bound_1: ints(P),
      bound_2: ints(P + C),
      bound_3: ints(P + W),
      bound_4: ints(P + W + S),
    };
    for (let layer = 0; layer < layers; layer++) {
      feeds[`prompt_key_${layer}`] = { data: this.#promptKeys[layer]!, dims: [G, KVH, P, hd] };
      feeds[`prompt_value_${layer}`] = { data: this.#promptValues[layer]!, dims: [G, KVH, P, hd] };
      feeds[`suffix_key_${layer}`] = { data: this.#suffixKeys[layer]!, dims: [R, KVH, S, hd] };
      feeds[`suffix_value_${layer}`] = { data: this.#suffixValues[layer]!, dims: [R, KVH, S, hd] };
    }
    const outputs = await this.#compiled.decode.run(feeds);
    // 1. Where each row's chunk begins in its cache; then the draws, which make new pending tokens.
    const firsts = this.#slots.map((row) => row?.cached ?? 0);
    this.#slots.forEach((row, slot) => {
      if (!row || row.finishReason !== undefined) return;
      row.cached += pieces[slot]!.length;
      row.pending = row.pending.slice(pieces[slot]!.length);
    });
    drawing.forEach((row, at) => {
      const [from, to] = [at * vocabularySize, (at + 1) * vocabularySize];
      choose(row, outputs.logits!.data.subarray(from, to), outputs.probabilities!.data.subarray(from, to));
    });
    // 2. The chunk's keys and values join the caches of the rows that go on.
    this.#grow();
    for (let layer = 0; layer < layers; layer++) {
      this.#store(this.#suffixKeys[layer]!, outputs[`new_key_${layer}`]!.data, pieces, firsts);
      this.#store(this.#suffixValues[layer]!, outputs[`new_value_${layer}`]!.data, pieces, firsts);
    }
  }

  /** Writes the chunks' fresh keys or values [N, KVH·hd] behind what each row's cache [KVH, S, hd] holds. */
  #store(cache: Float32Array, fresh: Float32Array, pieces: readonly number[][], firsts: readonly number[]): void {
    const { keyValueHeads, headDimension } = this.#config;
    const S = this.#capacity;
    let n = 0;
    pieces.forEach((piece, slot) => {
      const row = this.#slots[slot];
      if (!row || piece.length === 0) return;
      const first = firsts[slot]!;
      // A row that is done needs no cache any more.
      if (row.finishReason !== undefined) {
        n += piece.length;
        return;
      }
      for (let c = 0; c < piece.length; c++, n++) {
        for (let head = 0; head < keyValueHeads; head++) {
          const to = ((slot * keyValueHeads + head) * S + first + c) * headDimension;
          const from = (n * keyValueHeads + head) * headDimension;
          for (let i = 0; i < headDimension; i++) cache[to + i] = fresh[from + i]!;
        }
      }
    });
  }
}

/** Within a chunk a token sees itself and what stands before it: [C·R', C], rows ordered by token, then by head. */
function chunkMask(length: number, repeats: number): Float32Array {
  const mask = new Float32Array(length * repeats * length);
  for (let row = 0; row < length * repeats; row++) {
    mask.fill(MASKED, row * length + Math.floor(row / repeats) + 1, (row + 1) * length);
  }
  return mask;
}
