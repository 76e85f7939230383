/** Fields of a JSON file of a model folder, taken out with a check each. */
import { SeamError } from '@seamstream/kernel';

/** A JSON object that was read from a file: nothing about it is certain. */
export type RawConfig = Readonly<Record<string, unknown>>;

/**
 * Several times the largest published: what is beyond is a mistake or an attack, and is refused before anything is computed with
 * it. A size without a row here is bounded by LARGEST_SIZE.
 */
const LARGEST: Readonly<Record<string, number>> = {
  num_hidden_layers: 1024,
  num_attention_heads: 4096,
  num_key_value_heads: 4096,
  head_dim: 16384,
  hidden_size: 2 ** 18,
  intermediate_size: 2 ** 20,
  vocab_size: 2 ** 22,
  max_position_embeddings: 2 ** 25,
};
const LARGEST_SIZE = 2 ** 25;
/** Rotary thetas are up to 10^11; a factor or an exponent beyond this leaves no figure of a float32. */
const LARGEST_NUMBER = 1e18;

/** @throws CHECKPOINT_INVALID */
export function size(raw: RawConfig, key: string, fallback?: number): number {
  const value = raw[key] ?? fallback;
  if (!Number.isInteger(value) || (value as number) < 1)
    throw damaged('config.json', `has ${key} ${shown(value)}: expected a positive integer`);
  const largest = LARGEST[key] ?? LARGEST_SIZE;
  if ((value as number) > largest)
    throw damaged('config.json', `has ${key} ${shown(value)}: expected at most ${largest}`);
  return value as number;
}

/** @throws CHECKPOINT_INVALID */
export function positive(key: string, value: unknown): number {
  if (typeof value !== 'number' || !(value > 0) || value > LARGEST_NUMBER)
    throw damaged('config.json', `has ${key} ${shown(value)}: expected a positive number, at most ${LARGEST_NUMBER}`);
  return value;
}

/** What a file says, in a message: at most some characters of it. */
export function shown(value: unknown): string {
  // JSON has no word for undefined, and null for an infinite number.
  const text = typeof value === 'number' || value === undefined ? String(value) : JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

/** A file of a model folder that is missing, damaged or does not fit the others. */
export function damaged(file: string, problem: string, tensor?: string, cause?: unknown): SeamError {
  return new SeamError('CHECKPOINT_INVALID', `Cannot load a checkpoint: ${file} ${problem}.`, {
    details: { file, ...(tensor === undefined ? {} : { tensor }) },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A model, or a form of one, that is not computed. */
export function unsupported(what: string, expected: string): SeamError {
  return new SeamError(
    'UNSUPPORTED_MODEL',
    `Cannot load a checkpoint: config.json asks for ${what}; this engine computes ${expected}. Choose a model that needs no more.`,
  );
}
