/** Fields of a JSON file of a model folder, taken out with a check each. */
import { SeamError } from '@seamstream/kernel';

/** A JSON object that was read from a file: nothing about it is certain. */
export type RawConfig = Readonly<Record<string, unknown>>;

/** @throws CHECKPOINT_INVALID */
export function size(raw: RawConfig, key: string, fallback?: number): number {
  const value = raw[key] ?? fallback;
  if (!Number.isInteger(value) || (value as number) < 1)
    throw damaged('config.json', `has ${key} ${JSON.stringify(value)}: expected a positive integer`);
  return value as number;
}

/** @throws CHECKPOINT_INVALID */
export function positive(key: string, value: unknown): number {
  if (typeof value !== 'number' || !(value > 0))
    throw damaged('config.json', `has ${key} ${JSON.stringify(value)}: expected a positive number`);
  return value;
}

/** A file of a model folder that is missing, damaged or does not fit the others. */
export function damaged(file: string, problem: string, tensor?: string, cause?: unknown): SeamError {
  return new SeamError('CHECKPOINT_INVALID', `Loading a checkpoint: ${file} ${problem}.`, {
    details: { file, ...(tensor === undefined ? {} : { tensor }) },
    ...(cause === undefined ? {} : { cause }),
  });
}

export function unsupported(what: string, expected: string): SeamError {
  return new SeamError(
    'UNSUPPORTED_MODEL',
    `Loading a checkpoint: config.json asks for ${what}; this engine computes ${expected}. Choose a model that needs no more.`,
  );
}
