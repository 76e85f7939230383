/** Settings laid over each other, before an algorithm reads them. */
import { didYouMean, SeamError } from '@seamstream/kernel';
import type { LearningPreset } from './preset.types.js';
import { presets } from './presets.js';

/** Nested settings, as a configuration schema takes them. */
export type Settings = Readonly<Record<string, unknown>>;

/** Names that say which of several forms a level has: with another form the level is replaced as a whole. */
const DISCRIMINATORS = ['unit', 'kind'] as const;

/** The base with the changes laid over it, level by level; an array, a text or a level of another form replaces what was there. */
export function mergeSettings(base: Settings, changes: Settings): Settings {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, change] of Object.entries(changes)) {
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    merged[name] =
      isLevel(before) && isLevel(change) && !isOfAnotherForm(before, change) ? mergeSettings(before, change) : change;
  }
  return merged;
}

/** @throws INVALID_CONFIGURATION for a name that no preset has */
export function presetNamed(name: string): LearningPreset {
  const preset = presets.get(name);
  if (preset !== undefined) return preset;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot choose a preset of learning: expected one of ${[...presets.keys()].join(', ')}, got ${name}${didYouMean(name, [...presets.keys()])}. Correct its name.`,
  );
}

function isLevel(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfAnotherForm(before: Settings, change: Settings): boolean {
  return DISCRIMINATORS.some(
    (name) => change[name] !== undefined && before[name] !== undefined && change[name] !== before[name],
  );
}
