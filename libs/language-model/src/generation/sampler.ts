/**
 * One token from a row of logits. Sums are accumulated in 64 bits and in a fixed order, so that equal logits, settings and
 * random streams give the same token on every platform.
 *
 * Two distributions must not be confused: the token is *drawn* after temperature, top-k and top-p; its log-probability is
 * *recorded* under the plain softmax over the legal tokens, because that is what a trainer can form again.
 */
import { type Random, SeamError } from '@seamstream/kernel';
import type { SamplingSettings } from './generation.types.js';

/**
 * From this many legal tokens on, the exponentials are the runtime's (float32, vectorized) and what is e^−36 below the most
 * probable counts as nothing: below it, a token's exponential costs no more than looking it up.
 */
const MANY = 8192;
const NEGLIGIBLE = -36;

export interface SampledToken {
  readonly id: number;
  /** ln p(id) under softmax over the legal tokens (over all of them where `legal` is null), in nats. */
  readonly logProb: number;
  /** Σ p(legal) under softmax over all tokens; exactly 1 where `legal` is null. */
  readonly legalMass: number;
}

/**
 * Draws a token.
 * @param logits one row, [V]; −∞ is allowed, NaN and +∞ are not.
 * @param legal ids that may be drawn, ascending; null: all.
 * @param random consumed once per call, and not at all when greedy or when one token is legal.
 * @param probabilities softmax of the logits, [V], where the caller has it: saves the exponentials over the vocabulary. Its
 *   rounding (float32, about 1e-7 of each figure) is then the recorded one's.
 * @throws NON_FINITE on NaN or +∞ among the logits, or when every legal logit is −∞; INVALID_INPUT when `legal` is empty.
 */
export function sampleToken(
  logits: Float32Array,
  legal: Int32Array | null,
  sampling: Pick<SamplingSettings, 'temperature' | 'topK' | 'topP'>,
  random: Random,
  probabilities?: Float32Array,
): SampledToken {
  if (probabilities && legal === null && isPlain(sampling)) {
    const sampled = drawPlain(probabilities, random);
    if (sampled) return sampled;
  }
  const size = legal === null ? logits.length : legal.length;
  if (probabilities && size >= MANY) {
    const sampled = sampleAmongMany(logits, probabilities, legal, sampling, random);
    if (sampled) return sampled;
  }
  if (size === 0)
    throw new SeamError('INVALID_INPUT', 'Cannot sample a token: no token is legal. Expected at least one.');

  // 1. The most probable legal token: the greedy choice and the offset that keeps exp() in range.
  let best = -1;
  let bestLogit = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < size; i++) {
    const id = legal === null ? i : legal[i]!;
    const logit = logits[id];
    if (logit === undefined)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot sample a token: legal id ${id} has no logit among ${logits.length}.`,
      );
    if (Number.isNaN(logit) || logit === Number.POSITIVE_INFINITY) throw nonFinite(id, logit);
    if (logit > bestLogit) {
      best = id;
      bestLogit = logit;
    }
  }
  if (best < 0) {
    throw new SeamError(
      'NON_FINITE',
      `Cannot sample a token: the logits of all ${size} legal tokens are −Infinity. The model's output is broken.`,
    );
  }

  // 2. Masses under the recorded distributions.
  let legalSum = 0;
  for (let i = 0; i < size; i++) legalSum += Math.exp(logits[legal === null ? i : legal[i]!]! - bestLogit);
  const legalMass = legal === null ? 1 : (massFrom(probabilities, legal) ?? massOf(logits, bestLogit, legalSum));
  const recorded = (id: number): SampledToken => ({
    id,
    logProb: logits[id]! - bestLogit - Math.log(legalSum),
    legalMass,
  });

  if (sampling.temperature === 0 || size === 1) return recorded(best);
  return recorded(draw(logits, legal, size, bestLogit, sampling, random));
}

/** As {@link sampleToken}; undefined where the probabilities are broken or too small to be told apart. */
function sampleAmongMany(
  logits: Float32Array,
  probabilities: Float32Array,
  legal: Int32Array | null,
  sampling: Pick<SamplingSettings, 'temperature' | 'topK' | 'topP'>,
  random: Random,
): SampledToken | undefined {
  const legalMass = massFrom(probabilities, legal);
  if (legalMass === undefined) return undefined;
  if (legal && isPlain(sampling)) {
    const id = drawFrom(probabilities, legal, legalMass, random);
    return { id, logProb: Math.min(0, Math.log(probabilities[id]! / legalMass)), legalMass };
  }
  const best = mostProbable(logits, legal);
  if (probabilities[best] === 0) return undefined;
  const id =
    sampling.temperature === 0
      ? best
      : draw(logits, legal, legal?.length ?? logits.length, logits[best]!, sampling, random);
  // From the largest, since the probability of a rare token has lost its last digits.
  const logProb = logits[id]! - logits[best]! + Math.log(probabilities[best]! / legalMass);
  return { id, logProb: Math.min(0, logProb), legalMass };
}

/** The lowest id among equals. Two loops, because this is done for every token that is written. */
function mostProbable(logits: Float32Array, legal: Int32Array | null): number {
  let best = legal === null ? 0 : legal[0]!;
  let largest = logits[best]!;
  if (legal === null) {
    for (let id = 1; id < logits.length; id++) {
      if (logits[id]! > largest) largest = logits[(best = id)]!;
    }
    return best;
  }
  for (let i = 1; i < legal.length; i++) {
    const id = legal[i]!;
    if (logits[id]! > largest) largest = logits[(best = id)]!;
  }
  return best;
}

/** Drawn from the very distribution that is recorded. */
function isPlain({ temperature, topK, topP }: Pick<SamplingSettings, 'temperature' | 'topK' | 'topP'>): boolean {
  return temperature === 1 && topK === 0 && topP === 1;
}

/** A draw by the inverse distribution function in the order of ids; undefined where the probabilities are broken. */
function drawPlain(probabilities: Float32Array, random: Random): SampledToken | undefined {
  let total = 0;
  for (let id = 0; id < probabilities.length; id++) total += probabilities[id]!;
  if (!(total > 0.5 && total < 2)) return undefined;
  const point = random.float() * total;
  let cumulative = 0;
  let chosen = 0;
  for (let id = 0; id < probabilities.length; id++) {
    const probability = probabilities[id]!;
    if (probability === 0) continue;
    chosen = id;
    cumulative += probability;
    if (point < cumulative) break;
  }
  return { id: chosen, logProb: Math.log(probabilities[chosen]! / total), legalMass: 1 };
}

/** A draw among the legal tokens by their probabilities, in the order of ids. */
function drawFrom(probabilities: Float32Array, legal: Int32Array, mass: number, random: Random): number {
  const point = random.float() * mass;
  let cumulative = 0;
  let chosen = -1;
  for (let i = 0; i < legal.length; i++) {
    const id = legal[i]!;
    const probability = probabilities[id]!;
    if (probability === 0) continue;
    chosen = id;
    cumulative += probability;
    if (point < cumulative) break;
  }
  return chosen;
}

/** Σ p(legal), 1 where all are; undefined where it is not known, not a number, or so small that float32 has lost it. */
function massFrom(probabilities: Float32Array | undefined, legal: Int32Array | null): number | undefined {
  if (!probabilities) return undefined;
  let mass = 0;
  if (legal === null) for (let id = 0; id < probabilities.length; id++) mass += probabilities[id]!;
  else for (let i = 0; i < legal.length; i++) mass += probabilities[legal[i]!]!;
  if (!(mass > 1e-30)) return undefined;
  return legal === null ? 1 : Math.min(1, mass);
}

function nonFinite(id: number, logit: number): SeamError {
  return new SeamError(
    'NON_FINITE',
    `Cannot sample a token: the logit of token ${id} is ${logit}. The weights or the adapter are broken.`,
    {
      details: { id },
    },
  );
}

/** legalSum · e^bestLogit over the same sum over all tokens, shifted by the largest logit of all so that nothing overflows. */
function massOf(logits: Float32Array, bestLegal: number, legalSum: number): number {
  let largest = bestLegal;
  for (let id = 0; id < logits.length; id++) {
    const logit = logits[id]!;
    if (Number.isNaN(logit) || logit === Number.POSITIVE_INFINITY) throw nonFinite(id, logit);
    if (logit > largest) largest = logit;
  }
  let sum = 0;
  for (let id = 0; id < logits.length; id++) sum += Math.exp(logits[id]! - largest);
  // The two sums add the same numbers in different orders: rounding may carry their ratio past 1 by an ulp.
  return Math.min(1, (legalSum * Math.exp(bestLegal - largest)) / sum);
}

/** Temperature, then top-k, then top-p: the order of transformers' logits warpers. */
function draw(
  logits: Float32Array,
  legal: Int32Array | null,
  size: number,
  bestLogit: number,
  { temperature, topK, topP }: Pick<SamplingSettings, 'temperature' | 'topK' | 'topP'>,
  random: Random,
): number {
  const ids = new Int32Array(size);
  const weights = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const id = legal === null ? i : legal[i]!;
    ids[i] = id;
    const exponent = (logits[id]! - bestLogit) / temperature;
    weights[i] = size >= MANY && exponent < NEGLIGIBLE ? 0 : Math.exp(exponent);
  }
  let kept: Uint32Array | null = null;
  if ((topK > 0 && topK < size) || topP < 1) {
    // Most probable first, the lower id among equals.
    kept = candidatesFor(weights, topK, topP).sort((a, b) => weights[b]! - weights[a]! || ids[a]! - ids[b]!);
    if (topK > 0) kept = kept.subarray(0, topK);
    if (topP < 1) kept = nucleus(kept, weights, topP, topK > 0 ? 0 : massOutside(kept, weights));
  }
  const count = kept === null ? size : kept.length;
  let total = 0;
  for (let n = 0; n < count; n++) total += weights[kept === null ? n : kept[n]!]!;
  const point = random.float() * total;
  let cumulative = 0;
  let chosen = -1;
  for (let n = 0; n < count; n++) {
    const i = kept === null ? n : kept[n]!;
    if (weights[i] === 0) continue;
    chosen = i;
    cumulative += weights[i]!;
    if (point < cumulative) break;
  }
  return ids[chosen]!;
}

/**
 * Indices that hold the k most probable tokens, or the nucleus: all of them where they are few. Of many, sorting is spared
 * what is lighter than a bound that k tokens reach, or what is so light that all of its kind weigh less than 1 − p.
 */
function candidatesFor(weights: Float64Array, topK: number, topP: number): Uint32Array {
  const size = weights.length;
  let least = 0;
  if (size >= MANY && topK > 0 && topK < size) {
    // A bound guessed from every 64th weight, generously.
    const sample = Float64Array.from({ length: Math.ceil(size / 64) }, (_, i) => weights[i * 64]!).sort();
    least = sample[Math.max(0, sample.length - 2 * Math.ceil(topK / 64) - 8)]!;
    let heavy = 0;
    for (const weight of weights) if (weight >= least) heavy++;
    if (heavy < topK) least = 0;
  } else if (size >= MANY && topK === 0) {
    let total = 0;
    for (const weight of weights) total += weight;
    least = ((1 - topP) * total) / size;
  }
  const found = new Uint32Array(size);
  let count = 0;
  for (let i = 0; i < size; i++) if (weights[i]! >= least) found[count++] = i;
  return found.subarray(0, count);
}

/** What the weights that were left out before sorting weigh. */
function massOutside(kept: Uint32Array, weights: Float64Array): number {
  if (kept.length === weights.length) return 0;
  let mass = 0;
  for (const weight of weights) mass += weight;
  for (const i of kept) mass -= weights[i]!;
  return Math.max(0, mass);
}

/**
 * The shortest prefix whose mass reaches `topP` of the whole; at least one token.
 * @param outside mass that belongs to the whole and not to `sorted`
 */
function nucleus(sorted: Uint32Array, weights: Float64Array, topP: number, outside: number): Uint32Array {
  let total = outside;
  for (const i of sorted) total += weights[i]!;
  let mass = 0;
  for (let n = 0; n < sorted.length; n++) {
    mass += weights[sorted[n]!]!;
    if (mass >= topP * total) return sorted.subarray(0, n + 1);
  }
  return sorted;
}
