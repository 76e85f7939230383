/** The embedded world's share of the configuration, as the files that services read in any deployment. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  DOMAINS as ATTRIBUTE_DOMAINS,
  attributeProblems,
  drawWorld,
  LATE_DOMAINS,
  planSchemaFor,
  type Split,
  type World,
} from '@seamstream/attribute-world';
import { DOMAINS, entrySchemaFor, SHIFTED_DOMAINS, worldProblems } from '@seamstream/embedded-world';
import type { Problem } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { passageProblems } from '@seamstream/passage-world';
import { makeFolder } from '@seamstream/service-kit/drivers';
import { ATTRIBUTE_PRESETS } from './demonstrations.js';
import { worldFiles } from './embedded-environment.js';
import { writeWhole } from './kept-file.js';
import { settingsOfFolder, type WorldSettings } from './run-settings.js';

/**
 * Validation problems per domain; those of a domain are asked once it has appeared. Enough that every comparison of a demonstration asks
 * problems that decided nothing before.
 */
const VALIDATION_PER_DOMAIN = 1024;
/** Of passages: fewer, since each comparison trains on every one. */
const VALIDATION_PASSAGES = 512;
/** One set for all seeds: what decides a promotion must not vary with what is trained on. */
const VALIDATION_SEED = 'validation';

/** Problems that decide promotions: unseen in training and in the held-out measurement. */
export function validationProblems(): readonly Problem[] {
  return [
    ...worldProblems({
      seed: VALIDATION_SEED,
      split: 'validation',
      variant: 'base',
      count: VALIDATION_PER_DOMAIN * DOMAINS.length,
    }),
    ...worldProblems({
      seed: VALIDATION_SEED,
      split: 'validation',
      variant: 'shifted',
      count: VALIDATION_PER_DOMAIN * SHIFTED_DOMAINS.length,
    }),
  ];
}

/** Held-out problems: neither trained on nor used in any decision. */
export function heldOutProblems(variant: 'base' | 'shifted', count: number): readonly Problem[] {
  return worldProblems({ seed: 'held-out', split: 'heldOut', variant, count });
}

/** Passages that decide promotions: one set for all seeds, as of the other demonstration. */
function validationPassages(): readonly Problem[] {
  const request = { seed: VALIDATION_SEED, people: 'validation', count: VALIDATION_PASSAGES } as const;
  return passageProblems(request).map(({ problem }) => problem);
}

/** Passages that neither train nor decide. Each seed has its own, so that several seeds say more than one. */
export function heldOutPassages(seed: number, count: number): readonly Problem[] {
  return passageProblems({ seed: `held-out/${seed}`, people: 'heldOut', count }).map(({ problem }) => problem);
}

/** The world of attributes that a method learns on a seed. */
export function attributeWorldOf({ method, seed, lateAttributes }: WorldSettings): World {
  const preset = ATTRIBUTE_PRESETS[method];
  if (preset === undefined)
    throw new SeamError(
      'INTERNAL',
      `Cannot make a world of attributes: expected a method that learns one, got ${method}.`,
    );
  return drawWorld(seed, preset, { hasLateAttributes: lateAttributes === true });
}

/**
 * Problems of a seed's world that training never asks: to decide promotions, or to report on. What is drawn again is left out: it would
 * say nothing new.
 * @param count most problems
 * @param options isLate: of the domains that come with a shift
 */
export function attributeSet(
  world: World,
  split: Exclude<Split, 'train'>,
  count: number,
  { isLate = false }: { readonly isLate?: boolean } = {},
): readonly Problem[] {
  const drawn = attributeProblems({ world, seed: split, split, count, isLate });
  return [...new Map(drawn.map((problem) => [problem.metadata.key, problem])).values()];
}

/** Domains of a world of attributes, those that come late too. */
const attributeDomainsOf = ({ lateAttributes }: WorldSettings): readonly string[] =>
  lateAttributes === true ? [...ATTRIBUTE_DOMAINS, ...LATE_DOMAINS] : ATTRIBUTE_DOMAINS;

/**
 * Writes entry schemas and validation problems where {@link worldFiles} says. Schemas that are there already stay: the masks under which
 * a folder's entries were sampled follow from them, and its adapters are made again from both. Validation problems of the same world
 * stay as well: a planned run names the digest of their file, and another release may write them otherwise.
 * @param settings of the run: seed and late attributes draw the world of attributes
 */
export async function writeWorldFiles(
  dataFolder: string,
  settings: WorldSettings = { method: 'experiences', seed: 1 },
): Promise<void> {
  const { method, seed, lateAttributes } = settings;
  const files = worldFiles(dataFolder);
  const begun = await settingsOfFolder(dataFolder);
  const isSame = begun?.method === method && begun.seed === seed && begun.lateAttributes === lateAttributes;
  const isKept = isSame && existsSync(files.validation);
  const isOfAttributes = ATTRIBUTE_PRESETS[method] !== undefined;
  const schemas = Object.fromEntries(
    isOfAttributes
      ? attributeDomainsOf(settings).map((domain) => [domain, planSchemaFor(domain)])
      : [...DOMAINS, ...SHIFTED_DOMAINS].map((domain) => [domain, entrySchemaFor(domain)]),
  );
  await makeFolder(dirname(resolve(files.entrySchemas)));
  // First: a process that dies from here on leaves no problems of another world under the name of this one.
  if (!isKept) await rm(files.validation, { force: true });
  await writeWhole(files.world, `${JSON.stringify({ method, seed, lateAttributes })}\n`);
  // Those of a world without late attributes lack their domains.
  if (!existsSync(files.entrySchemas) || (lateAttributes === true && !isKept))
    await writeWhole(files.entrySchemas, `${JSON.stringify(schemas, null, 2)}\n`);
  if (isKept) return;
  await writeWhole(
    files.validation,
    validationOf(settings)
      .map((problem) => `${JSON.stringify(problem)}\n`)
      .join(''),
  );
}

/** Problems that decide promotions: unseen in training and in the held-out measurement. */
export function validationOf(settings: WorldSettings): readonly Problem[] {
  const { method, lateAttributes } = settings;
  if (method === 'self-edits') return validationPassages();
  if (ATTRIBUTE_PRESETS[method] === undefined) return validationProblems();
  const world = attributeWorldOf(settings);
  const count = VALIDATION_PER_DOMAIN * ATTRIBUTE_DOMAINS.length;
  const early = attributeSet(world, 'validation', count);
  return lateAttributes === true ? [...early, ...attributeSet(world, 'validation', count, { isLate: true })] : early;
}
