/**
 * What weights answer to fixed prompts, small enough for an event: a generator that claims to serve an adapter shows that it
 * computes with it. The adapter's identity is its digest; this proves its application, so it is compared within what processors and numbers
 * of threads make of one sum.
 *
 *   fingerprint = 'logits-1:' + base64 of PROBES · PROBED_TOKENS little-endian float32
 */
import { Random } from '@seamstream/kernel';

const PREFIX = 'logits-1:';
const PROBES = 4;
const PROBE_LENGTH = 16;
const PROBED_TOKENS = 32;
/**
 * Of the largest logit. One model on one to eight threads differed by 5e-7 of it, graphics processors differ by some 1e-4; one
 * training step of the shipped generator changes 1e-2.
 */
const TOLERANCE = 1e-3;

/** The prompts that are asked, fixed for a vocabulary. */
export function probePrompts(vocabularySize: number): number[][] {
  const random = Random.of('fingerprint probes');
  return Array.from({ length: PROBES }, () => Array.from({ length: PROBE_LENGTH }, () => random.int(vocabularySize)));
}

/** @param logits of each prompt's last token, [V] each. */
export function fingerprintOf(logits: readonly Float32Array[]): string {
  const figures = new Float32Array(logits.length * PROBED_TOKENS);
  logits.forEach((row, probe) => {
    const random = Random.of('fingerprint tokens', probe);
    for (let token = 0; token < PROBED_TOKENS; token++)
      figures[probe * PROBED_TOKENS + token] = row[random.int(row.length)]!;
  });
  return PREFIX + Buffer.from(figures.buffer).toString('base64');
}

/**
 * What a fingerprint says in full, for those who see a model from outside only: the logits of some tokens behind each probe.
 * @returns undefined for one of another form
 */
export function fingerprintFigures(
  fingerprint: string,
  vocabularySize: number,
): readonly { readonly prompt: readonly number[]; readonly logits: ReadonlyMap<number, number> }[] | undefined {
  const figures = figuresOf(fingerprint);
  if (figures?.length !== PROBES * PROBED_TOKENS || !figures.every(Number.isFinite)) return undefined;
  return probePrompts(vocabularySize).map((prompt, probe) => {
    const random = Random.of('fingerprint tokens', probe);
    const own = figures.subarray(probe * PROBED_TOKENS, (probe + 1) * PROBED_TOKENS);
    return { prompt, logits: new Map([...own].map((logit) => [random.int(vocabularySize), logit])) };
  });
}

/** Whether two fingerprints are of the same computation. */
export function sameFingerprint(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [figuresOf(one), figuresOf(other)];
  if (!a || a.length !== b?.length) return false;
  const largest = a.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return a.every((value, at) => Math.abs(value - b[at]!) <= TOLERANCE * largest);
}

function figuresOf(fingerprint: string): Float32Array | undefined {
  if (!fingerprint.startsWith(PREFIX)) return undefined;
  const bytes = Buffer.from(fingerprint.slice(PREFIX.length), 'base64');
  return new Float32Array(Uint8Array.from(bytes).buffer, 0, Math.floor(bytes.length / 4));
}
