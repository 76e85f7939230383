/** A candidate while it is written: what was drawn so far, and what the model has not seen of it yet. */
import { Random } from '@seamstream/kernel';
import type { GrammarState, TokenGrammar } from '@seamstream/token-grammar';
import type { GeneratedSequence, GenerationRequest } from './generation.types.js';
import { sampleToken } from './sampler.js';

/** A request as a lane understands it. */
export interface Job {
  readonly request: GenerationRequest;
  /** Place among the requests of its call. */
  readonly index: number;
  readonly grammar: TokenGrammar | undefined;
  readonly start: GrammarState | undefined;
  /** Prompt and the grammar's opening run. */
  readonly prefix: readonly number[];
  readonly opening: readonly number[];
  readonly stops: ReadonlySet<number>;
}

export interface Candidate {
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
  /** Tokens that a listener has received. */
  told: number;
  finishReason: GeneratedSequence['finishReason'] | undefined;
}

export function startCandidate(job: Job, seed: string, seedIndex: number): Candidate {
  const candidate: Candidate = {
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
    told: 0,
    finishReason: undefined,
  };
  for (const id of job.opening) record(candidate, id, 0, 1, true);
  settle(candidate);
  return candidate;
}

/**
 * Draws the next token and everything that it forces.
 * @param logits of the token after the last pending one, [V]
 * @param probabilities their softmax, [V]
 * @throws NON_FINITE
 */
export function choose(candidate: Candidate, logits: Float32Array, probabilities: Float32Array): void {
  const { grammar, request } = candidate.job;
  const { sampling } = request;
  if (!grammar || candidate.state === undefined) {
    const { id, logProb, legalMass } = sampleToken(logits, null, sampling, candidate.random, probabilities);
    record(candidate, id, logProb, legalMass, false);
    candidate.pending = [id];
    settle(candidate);
    return;
  }
  const legal = grammar.allowedWithin(candidate.state, sampling.maxTokens - candidate.tokenIds.length).ids;
  if (legal.length === 1) {
    record(candidate, legal[0]!, 0, 1, true);
  } else {
    const { id, logProb, legalMass } = sampleToken(logits, legal, sampling, candidate.random, probabilities);
    record(candidate, id, logProb, legalMass, false);
  }
  const chosen = candidate.tokenIds.length - 1;
  for (const id of grammar.forcedRun(candidate.state)) {
    if (candidate.tokenIds.length >= sampling.maxTokens) break;
    record(candidate, id, 0, 1, true);
  }
  candidate.pending = candidate.tokenIds.slice(chosen);
  settle(candidate);
}

export function sequenceOf(candidate: Candidate): GeneratedSequence {
  const { tokenIds, logProbs, legalMass, forced } = candidate;
  return { tokenIds, logProbs, legalMass, forced, finishReason: candidate.finishReason ?? 'length' };
}

function record(candidate: Candidate, id: number, logProb: number, legalMass: number, forced: boolean): void {
  candidate.tokenIds.push(id);
  candidate.logProbs.push(logProb);
  candidate.legalMass.push(legalMass);
  candidate.forced.push(forced);
  const { grammar } = candidate.job;
  if (grammar && candidate.state !== undefined) candidate.state = grammar.advance(candidate.state, id);
}

/** Ends a candidate whose text is complete or whose budget is spent. */
function settle(candidate: Candidate): void {
  const { grammar, request, stops } = candidate.job;
  const isComplete =
    grammar && candidate.state !== undefined
      ? grammar.isComplete(candidate.state)
      : stops.has(candidate.tokenIds.at(-1) ?? -1) ||
        request.stopSequences?.some((sequence) => endsWith(candidate.tokenIds, sequence));
  if (isComplete) candidate.finishReason = 'completed';
  else if (candidate.tokenIds.length >= request.sampling.maxTokens) candidate.finishReason = 'length';
}

function endsWith(tokenIds: readonly number[], sequence: readonly number[]): boolean {
  const start = tokenIds.length - sequence.length;
  return sequence.length > 0 && start >= 0 && sequence.every((id, index) => tokenIds[start + index] === id);
}
