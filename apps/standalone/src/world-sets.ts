/** The sets of problems that a world has, for commands that measure on them without a file. */
import type { Problem } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { ATTRIBUTE_PRESETS, DEMONSTRATION_DEFAULTS } from './demonstrations.js';
import type { WorldSettings } from './run-settings.js';
import { attributeSet, attributeWorldOf, heldOutPassages, heldOutProblems, validationOf } from './world-files.js';

/**
 * held-out: unseen in training and in every decision; new-words: about things that training never names; shifted: of domains that come
 * late, where some do; validation: what promotions are decided on.
 */
type WorldSet = 'held-out' | 'new-words' | 'shifted' | 'validation';

type Sets = Readonly<Partial<Record<WorldSet, () => readonly Problem[]>>>;

/**
 * The problems of a set, as many as a report is measured on.
 * @throws INVALID_INPUT for a set that the method's world does not have
 */
export function problemsOfSet(set: WorldSet, settings: WorldSettings): readonly Problem[] {
  const sets = setsOf(settings);
  const problems = sets[set];
  if (problems !== undefined) return problems();
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot choose problems: expected a set that the world of --method ${settings.method} has (${Object.keys(sets).join(', ')}), got --set ${set}. Name one of these, or another folder (--data-dir).`,
  );
}

function setsOf(settings: WorldSettings): Sets {
  const { method, seed, lateAttributes } = settings;
  const { heldOut } = DEMONSTRATION_DEFAULTS[method];
  const validation = (): readonly Problem[] => validationOf(settings);
  if (method === 'self-edits') return { 'held-out': () => heldOutPassages(seed, heldOut), validation };
  if (ATTRIBUTE_PRESETS[method] === undefined)
    return {
      'held-out': () => heldOutProblems('base', heldOut),
      shifted: () => heldOutProblems('shifted', heldOut),
      validation,
    };
  const world = attributeWorldOf(settings);
  return {
    'held-out': () => attributeSet(world, 'heldOut', heldOut),
    'new-words': () => attributeSet(world, 'newWords', heldOut),
    ...(lateAttributes === true ? { shifted: () => attributeSet(world, 'heldOut', heldOut, { isLate: true }) } : {}),
    validation,
  };
}
