/** A library of experiences, by the texts that helped frozen weights: nothing is trained. `contrast` is a recipe of it. */
import { GENERATOR_SLOT, LIBRARY_METHOD } from '@seamstream/events';
import { DEFAULT_LIMITS, type LibraryLimits, type TracedAttempt } from '@seamstream/experience-library';
import { compareText, Random, SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { z } from 'zod';
import { hasBoth, judgedGroups, whyNoGroup } from './judged-groups.js';
import type { JobFacts, LearningMethod, PlannedJob, Recipe } from './learning-method.js';

export interface LibraryJob {
  readonly kind: 'library';
  /** By the name of what reads proposals out of a batch; its settings. */
  readonly extractor: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly limits: LibraryLimits;
  readonly emptyTexts: EmptyTexts;
  readonly revision: number;
  readonly mostRetrieved: number | null;
  /** One a step. */
  readonly batches: readonly (readonly TracedAttempt[])[];
  /** Of the entries, by domain. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

type EmptyTexts = 'kept' | 'refused' | 'refusedByContent';

/** Of new runs. */
const LIBRARY_REVISION = 2;

const limitsShape = {
  maxItems: z.int().min(1).max(1000).default(DEFAULT_LIMITS.maxItems),
  maxWords: z.int().min(1).max(150).default(DEFAULT_LIMITS.maxWords),
  nearDuplicate: z.number().gt(0).max(1).default(DEFAULT_LIMITS.nearDuplicate),
  /** Most items that one problem gets; null: all. */
  mostRetrieved: z.int().positive().nullable().default(null),
  /**
   * What becomes of texts that say nothing. New runs refuse them by what they talk of. Runs of earlier releases are made again as they
   * were: the first names no rule and kept all but blank ones, `refused` knows fewer texts.
   */
  emptyTexts: z.enum(['kept', 'refused', 'refusedByContent']).default('kept'),
  /**
   * Of the rules and prompts. 2: figures count where texts are judged and compared, and the consolidation is offered `keep`. Runs of
   * earlier releases name none, and are made again as they were.
   */
  revision: z.int().min(1).max(LIBRARY_REVISION).default(1),
};

/** Settings of the recipe `contrast`. */
export const contrastSettingsSchema = z.strictObject({
  ...limitsShape,
  /** Probability of one wrong text or more in a run, where none of the tested ones means anything. */
  level: z.number().gt(0).lt(1).default(0.05),
  maxOperations: z.int().positive().nullable().default(null),
  /** Most recent rounds of problems that texts are tested on. */
  rounds: z.int().min(1).max(64).default(8),
});

/** Settings of the recipe `llm`. */
export const distillationSettingsSchema = z.strictObject({
  ...limitsShape,
  /** Whether the model sees verdicts and references. Then only groups with both verdicts are used. */
  groundTruth: z.boolean().default(true),
  /**
   * What it reads. `groups`: the attempts at a problem, compared. Controls: `attempts`: one of each group, and every group counts (G = 1);
   * `problems`: what was asked, and no attempt at it, so that the texts are written directly.
   */
  evidence: z.enum(['groups', 'attempts', 'problems']).default('groups'),
  /** Of one group. */
  maxOperations: z.int().min(1).max(20).default(3),
  /** Groups of one step. */
  batchSize: z.int().positive().default(64),
  /** Passes over the groups. */
  epochs: z.int().min(1).max(20).default(1),
  /** Most recent rounds of problems whose groups are used. */
  rounds: z.int().min(1).max(64).default(1),
  /**
   * What a text of the consolidation rests on that names no proposal: on those of the same target or text, or else on none (`least`). Runs
   * of earlier releases name no rule: it rests on all of them.
   */
  ungrounded: z.enum(['all', 'least']).default('all'),
  /** Of the model's replies; 0 is greedy. */
  temperature: z.number().min(0).max(2).default(0),
  /** Most tokens of a reply. */
  maxTokens: z.int().positive().default(1024),
  /** Tries of a reply that cannot be read. */
  attempts: z.int().min(1).max(10).default(3),
});

function settingsOf<T extends z.ZodType>(schema: T, given: unknown): z.infer<T> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`);
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot read settings of a library: ${faults.join('; ')}. Correct them.`,
  );
}

/** What is planned from now on, unless a person says otherwise. */
function ofNewRun(given: unknown, own: Readonly<Record<string, unknown>> = {}): unknown {
  const settings = given ?? {};
  return typeof settings === 'object'
    ? { emptyTexts: 'refusedByContent', revision: LIBRARY_REVISION, ...own, ...settings }
    : settings;
}

const contrastRecipe: Recipe = {
  reads: 'log',
  resolveConfiguration: (given) => settingsOf(contrastSettingsSchema, ofNewRun(given)),
  replayedRounds: (configuration) => {
    const { rounds } = settingsOf(contrastSettingsSchema, configuration);
    return { least: rounds, most: rounds };
  },
  hasEnoughSignal: () => true,
};

const distillationRecipe: Recipe = {
  ...contrastRecipe,
  resolveConfiguration: (given) => settingsOf(distillationSettingsSchema, ofNewRun(given, { ungrounded: 'least' })),
  replayedRounds: (configuration) => {
    const { rounds } = settingsOf(distillationSettingsSchema, configuration);
    return { least: rounds, most: rounds };
  },
};

export const LIBRARY_RECIPES: ReadonlyMap<string, Recipe> = new Map([
  ['contrast', contrastRecipe],
  ['llm', distillationRecipe],
]);

export class LibraryMethod implements LearningMethod<LibraryJob> {
  readonly name = LIBRARY_METHOD;
  readonly slot = GENERATOR_SLOT;
  readonly recipes = LIBRARY_RECIPES;

  plan({ plan, input, schemaFor }: JobFacts): PlannedJob<LibraryJob> {
    if (input.reads !== 'log')
      throw new SeamError(
        'INTERNAL',
        'Cannot plan a library: expected input from the log, which its recipes read, got another.',
      );
    const isContrast = plan.algorithm === 'contrast';
    const settings = isContrast
      ? settingsOf(contrastSettingsSchema, plan.configuration.algorithm)
      : settingsOf(distillationSettingsSchema, plan.configuration.algorithm);
    const { maxItems, maxWords, nearDuplicate, mostRetrieved, emptyTexts, revision, ...extraction } = settings;
    const evidence = 'evidence' in settings ? settings.evidence : 'groups';
    const isCompared = evidence === 'groups';
    const { groups, leftOut } = judgedGroups(input, plan.baseModelDigest, isCompared ? 2 : 1);
    const usesVerdicts = isCompared && (!('groundTruth' in settings) || settings.groundTruth);
    const alike = usesVerdicts ? groups.filter(({ isAlike }) => isAlike) : groups;
    const members = alike.map(({ attempts }) => attempts);
    const live = usesVerdicts ? members.filter(hasBoth) : members.map((each) => shownOf(each, evidence, plan.seed));
    const judgedApartGroups = groups.length - alike.length;
    const liveAttempts = live.flat().length;
    const metrics = { groups: groups.length, liveGroups: live.length, liveAttempts, judgedApartGroups };
    if (live.length === 0) return { status: 'refused', reason: whyNoGroup(groups, leftOut, usesVerdicts), metrics };
    const domains = [...new Set(live.flat().map(({ domain }) => domain))].sort(compareText);
    return {
      ...{ status: 'ready', metrics },
      job: {
        kind: 'library',
        extractor: plan.algorithm,
        settings: extraction,
        limits: { maxItems, maxWords, nearDuplicate },
        ...{ emptyTexts, revision, mostRetrieved },
        batches: 'batchSize' in settings ? batchesOf(live, settings, plan.seed) : [live.flat()],
        schemas: Object.fromEntries(domains.map((domain) => [domain, schemaFor(domain)])),
      },
    };
  }
}

/** What of a group is read where its members are not compared by their verdicts. */
function shownOf(
  group: readonly TracedAttempt[],
  evidence: 'groups' | 'attempts' | 'problems',
  seed: string,
): readonly TracedAttempt[] {
  if (evidence === 'groups') return group;
  const single = Random.of(seed, 'single attempts', group[0]!.groupId).pick(group);
  return evidence === 'attempts' ? [single] : [{ ...single, entry: '', trace: { ...single.trace, response: '' } }];
}

/** So many groups a step. The seed decides a new order for each pass. */
function batchesOf(
  groups: readonly (readonly TracedAttempt[])[],
  { batchSize, epochs }: { readonly batchSize: number; readonly epochs: number },
  seed: string,
): readonly (readonly TracedAttempt[])[] {
  return Array.from({ length: epochs }, (_, epoch) => {
    const order = Random.of(seed, 'batches of groups', epoch).shuffled(groups);
    const starts = Array.from({ length: Math.ceil(order.length / batchSize) }, (_unused, step) => step * batchSize);
    return starts.map((at) => order.slice(at, at + batchSize).flat());
  }).flat();
}
