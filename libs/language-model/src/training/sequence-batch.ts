/** Training sequences as the tensors that the graphs of training-graph.ts take. */
import { SeamError } from '@seamstream/kernel';
import type { TensorData } from '@seamstream/tensor-graph';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import type { GrammarOf } from '../generation/grammars.js';
import type { ComputePlan } from '../graphs/compute-plan.js';
import { causalMask } from '../graphs/decoder.js';
import type { TrainingSequence } from './training.types.js';

/** A sequence of which only the log-probabilities are wanted. */
export type ScoredSequence = Pick<
  TrainingSequence,
  'tokenIds' | 'targets' | 'schema' | 'allowed' | 'continuationStart' | 'maxTokens'
>;

/** Lengths are padded to multiples of this, so that equal sizes recur and the runtime reuses its memory plan. */
const LENGTH_STEP = 8;

/** Padded tokens of one run: bounds the memory for activations, large enough to fill matrix products. */
const RUN_TOKENS = 2048;
/** Logits of one run, [N, V], for the same reason: 256 MB, of which some five arrays of that size are alive at once. */
const RUN_LOGITS = 2 ** 26;

export function paddedLength(sequence: Pick<TrainingSequence, 'tokenIds'>): number {
  return Math.ceil(sequence.tokenIds.length / LENGTH_STEP) * LENGTH_STEP;
}

/**
 * Padded tokens of one run of training. Those of a large model on processor cores are no more than its longest sequence has, so that its
 * memory does not grow with the batch: its products fill all cores with the tokens of one sequence.
 */
export function trainedRunTokens(
  { isLarge, executionProvider }: Pick<ComputePlan, 'isLarge' | 'executionProvider'>,
  sequences: readonly Pick<TrainingSequence, 'tokenIds'>[],
): number {
  if (!isLarge || executionProvider !== 'cpu') return RUN_TOKENS;
  return Math.min(RUN_TOKENS, Math.max(0, ...sequences.map(paddedLength)));
}

/**
 * Groups of indices into `sequences` that are computed together: longest first, within the memory of a run; a sequence that
 * exceeds it is computed alone.
 * With `sameLength` only equal padded lengths meet, which makes results independent of the grouping.
 */
export function microBatches(
  { vocabularySize }: ModelConfig,
  sequences: readonly ScoredSequence[],
  sameLength: boolean,
  runTokens = RUN_TOKENS,
): number[][] {
  const maxTargets = RUN_LOGITS / vocabularySize;
  const order = sequences.map((_, index) => index);
  order.sort((a, b) => paddedLength(sequences[b]!) - paddedLength(sequences[a]!) || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  let targets = 0;
  for (const index of order) {
    const own = sequences[index]!.targets.length;
    const length = paddedLength(sequences[batch[0] ?? index]!);
    const isFull = (batch.length + 1) * length > runTokens || targets + own > maxTargets;
    const differs = sameLength && length !== paddedLength(sequences[index]!);
    if (batch.length > 0 && (isFull || differs)) {
      batches.push(batch);
      batch = [];
      targets = 0;
    }
    batch.push(index);
    targets += own;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** @throws INVALID_INPUT naming the sequence and what is wrong with it. */
export function checkSequence(config: ModelConfig, sequence: ScoredSequence, index: number): void {
  const { tokenIds, targets } = sequence;
  const refuse = (expected: string, got: string): never => {
    throw new SeamError('INVALID_INPUT', `Cannot train on sequence ${index}: expected ${expected}, got ${got}.`, {
      details: { sequence: index },
    });
  };
  if (tokenIds.length < 2 || tokenIds.length > config.maxPositions) {
    refuse(`2 to ${config.maxPositions} tokens`, `${tokenIds.length}`);
  }
  const bad = tokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= config.vocabularySize);
  if (bad !== undefined) refuse(`token ids below ${config.vocabularySize}`, `${bad}`);
  targets.forEach((target, at) => {
    if (!Number.isInteger(target) || target < 1 || target >= tokenIds.length || target <= (targets[at - 1] ?? 0)) {
      refuse(`ascending targets from 1 to ${tokenIds.length - 1}`, `${target} at ${at}`);
    }
  });
  if (sequence.schema && sequence.continuationStart === undefined)
    refuse('a continuationStart with its schema', 'none');
  if (sequence.allowed === undefined) return;
  if (sequence.schema) refuse('a schema or legal tokens', 'both');
  if (sequence.allowed.length !== targets.length)
    refuse(`legal tokens of its ${targets.length} targets`, `${sequence.allowed.length}`);
  sequence.allowed.forEach((ids, at) => {
    const foreign = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= config.vocabularySize);
    if (foreign !== undefined) refuse(`legal tokens below ${config.vocabularySize}`, `${foreign}`);
    if (!ids.includes(tokenIds[targets[at]!]!))
      refuse('targets among their legal tokens', `another at ${targets[at]!}`);
  });
}

/** Whether not every token was legal everywhere: such sequences take another graph. */
export function isConstrained({ schema, allowed }: Pick<TrainingSequence, 'schema' | 'allowed'>): boolean {
  return schema !== undefined || allowed !== undefined;
}

/** The legal-token mask of each target, one row of V bytes each. */
function fillLegal(
  legal: Uint8Array,
  row: number,
  vocabulary: number,
  sequence: ScoredSequence,
  grammarOf: GrammarOf,
): void {
  if (!isConstrained(sequence)) {
    legal.fill(1, row * vocabulary, (row + sequence.targets.length) * vocabulary);
    return;
  }
  let offset = row * vocabulary;
  for (const ids of legalTokens(sequence, grammarOf)) {
    for (const id of ids) legal[offset + id] = 1;
    offset += vocabulary;
  }
}

/** The tokens that were legal at each target of a constrained sequence. @throws INVALID_INPUT where a target is not among them */
function* legalTokens(
  { schema, targets, tokenIds, allowed, continuationStart, maxTokens }: ScoredSequence,
  grammarOf: GrammarOf,
): Generator<Iterable<number>> {
  if (schema === undefined) {
    yield* allowed ?? [];
    return;
  }
  const grammar = grammarOf(schema);
  const start = continuationStart!;
  let state = grammar.start();
  let position = start;
  for (const target of targets) {
    for (; position < target; position++) state = grammar.advance(state, tokenIds[position]!);
    const { ids } =
      maxTokens === undefined ? grammar.allowed(state) : grammar.allowedWithin(state, maxTokens - (target - start));
    const token = tokenIds[target]!;
    if (ids.includes(token)) yield ids;
    // An earlier grammar may have known a shorter way to the end: what was written is within its budget, and the record says so.
    else if (maxTokens !== undefined && grammar.allowed(state).ids.includes(token)) yield [...ids, token];
    else
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot train on token ${token} at ${target}: expected one that is legal under the sequence's schema. Train on the sampled token ids and the schema they were sampled with.`,
      );
  }
}

/**
 * Sequences with their legal tokens as data, for an engine that has no grammar.
 * @throws INVALID_INPUT where a target is not among its legal tokens
 */
export function withLegalTokens<S extends ScoredSequence>(
  sequence: S,
  grammarOf: GrammarOf,
): Omit<S, 'schema' | 'continuationStart' | 'maxTokens'> {
  const bare = Object.fromEntries(Object.entries(sequence).filter(([name]) => !OF_SCHEMA.has(name))) as S;
  if (sequence.schema === undefined) return bare;
  return { ...bare, allowed: Array.from(legalTokens(sequence, grammarOf), (ids) => [...ids]) };
}

/** What is said by the legal tokens themselves. */
const OF_SCHEMA: ReadonlySet<string> = new Set(['schema', 'continuationStart', 'maxTokens']);

/**
 * The feeds of one run: tokens [B, T], the N targets of all sequences in order, and a mask where any has a schema.
 * @param leastTargets fewer targets than this are filled up with meaningless ones.
 */
export function batchFeeds(
  config: ModelConfig,
  sequences: readonly ScoredSequence[],
  isMasked: boolean,
  grammarOf: GrammarOf,
  leastTargets = 0,
): Record<string, TensorData> {
  const B = sequences.length;
  const T = Math.max(...sequences.map(paddedLength));
  const N = Math.max(
    leastTargets,
    sequences.reduce((count, { targets }) => count + targets.length, 0),
  );
  const V = config.vocabularySize;
  const tokens = new Int32Array(B * T);
  const positions = new Int32Array(B * T);
  const places = new Int32Array(N);
  const targets = new Int32Array(N);
  const legal = new Uint8Array(isMasked ? N * V : 0);
  let n = 0;
  sequences.forEach((sequence, b) => {
    tokens.set(sequence.tokenIds, b * T);
    for (let t = 0; t < T; t++) positions[b * T + t] = Math.min(t, config.maxPositions - 1);
    if (isMasked) fillLegal(legal, n, V, sequence, grammarOf);
    for (const target of sequence.targets) {
      places[n] = b * T + target - 1;
      targets[n] = sequence.tokenIds[target]!;
      n++;
    }
  });
  const repeats = config.heads / config.keyValueHeads;
  return {
    tokens: { data: tokens, dims: [B, T] },
    positions: { data: positions, dims: [B, T] },
    causal: { data: causalMask(config, T), dims: [repeats * T, T] },
    places: { data: places, dims: [N] },
    targets: { data: targets, dims: [N, 1] },
    ...(isMasked ? { legal: { data: legal, dims: [N, V] } } : {}),
  };
}

/**
 * ln π of every target of every sequence, parallel to `targets`. Only sequences of one padded length share a run, so a
 * result does not depend on the other sequences.
 */
export async function scoreSequences(
  config: ModelConfig,
  sequences: readonly ScoredSequence[],
  grammarOf: GrammarOf,
  run: (feeds: Record<string, TensorData>, isMasked: boolean) => Promise<Float32Array>,
): Promise<number[][]> {
  sequences.forEach((sequence, index) => checkSequence(config, sequence, index));
  const results: number[][] = sequences.map(() => []);
  const scored = sequences.flatMap(({ targets }, index) => (targets.length > 0 ? [index] : []));
  const batches = microBatches(
    config,
    scored.map((index) => sequences[index]!),
    true,
  );
  for (const batch of batches) {
    const indices = batch.map((at) => scored[at]!);
    const members = indices.map((index) => sequences[index]!);
    const isMasked = members.some(isConstrained);
    const logProbs = await run(batchFeeds(config, members, isMasked, grammarOf, 2), isMasked);
    let n = 0;
    for (const index of indices) {
      for (let at = 0; at < sequences[index]!.targets.length; at++) results[index]!.push(logProbs[n++]!);
    }
  }
  return results;
}
