/** How a writer is trained on its own attempts, as a person says it: named settings, a file, and what is set besides. */
import { SeamError } from '@seamstream/kernel';
import { algorithms, mergeSettings, type Settings } from '@seamstream/learning';
import { parse } from 'yaml';
import { z } from 'zod';

/** What learns in every iteration. */
export const ALGORITHM = 'rest-em';

/** When a self-training works only while no other problem waits, and what it may spend. */
const idleSchema = z.strictObject({
  /** Attempts in all. It begins with no passage once so many are spent; those of the passage under way are more. */
  maxAttempts: z.int().positive(),
  /** Seconds of work in all: exploring, training and comparing. */
  maxSeconds: z.number().positive(),
  /** Tokens that generator and executor read and wrote in all; null: any number, for models on one's own machines. */
  maxTokens: z.int().positive().nullable().default(null),
  /** The most by which success on old passages may fall. `seam study retention` has the same gate with the same default. */
  mostCost: z.number().min(0).max(1).default(0.1),
  /** Old passages that are asked, drawn from all that promoted writers learned from. Each takes a training with the old and the new writer. */
  oldPassages: z.int().positive().max(1000).default(20),
});

/** What an idle-time self-training may spend and cost. */
export type IdleSettings = z.infer<typeof idleSchema>;

const restEmRunSchema = z.strictObject({
  /** Explorations, each followed by a training. SEAL's authors do two. */
  iterations: z.int().positive().default(2),
  /** Problems that an iteration explores, in the order of the file; after its last comes its first again. SEAL's authors take 50. */
  passages: z.int().positive().default(50),
  /** Iterations in a row without a better writer, after which there are no more; 0: all are done. */
  patience: z.int().min(0).default(0),
  /** Seconds after the last result of an iteration in which people can judge its answers, before it trains. Absent: none. */
  feedbackSeconds: z.number().positive().optional(),
  /** Null: it works at once, next to all other work. */
  idle: idleSchema.nullable().default(null),
  /** Settings of rest-em (docs/explanation/algorithms/rest-em.md) that differ from those of the trainer and of the preset. */
  algorithm: z.record(z.string(), z.unknown()).default({}),
});

/** A configuration with every setting in it. */
export type RestEmRunConfig = z.infer<typeof restEmRunSchema>;

/** What a person has said, in the order in which it counts: the later goes before the earlier. */
export interface RestEmChoice {
  /** Of the trainer, and of its preset. */
  readonly trainer: Settings;
  /** Of the preset of this name. */
  readonly preset?: string | undefined;
  /** Of a file. */
  readonly file?: Settings | undefined;
  /** Of the command line. */
  readonly set?: Settings | undefined;
}

/** Of a preset's iterations; what of a preset learns is in libs/learning, and what services need is in libs/service-kit. */
const PRESETS: Readonly<Record<string, Settings>> = {
  // SEAL (arXiv 2506.10943, section 4.2): two rounds over 50 contexts each.
  'seal-paper-knowledge': { iterations: 2, passages: 50, patience: 0 },
  // Its section 4.1: one round over 11 tasks.
  'seal-paper-arc': { iterations: 1, passages: 11, patience: 0 },
  'knowledge-incorporation-squad': { iterations: 2, passages: 50, patience: 1 },
  'few-shot-learning-arc': { iterations: 2, passages: 11, patience: 1 },
  // Minutes on two cores, with the shipped models.
  test: { iterations: 1, passages: 8, patience: 0 },
};

/** Presets that say how iterations go. */
export const RESTEM_PRESETS: readonly string[] = Object.keys(PRESETS);

/** Everything that was said, laid over each other and checked. @throws INVALID_CONFIGURATION naming what is unknown or wrong */
export function resolveRestEm({ trainer, preset, file = {}, set = {} }: RestEmChoice): RestEmRunConfig {
  const named = preset === undefined ? {} : (PRESETS[preset] ?? {});
  const parsed = restEmRunSchema.safeParse([named, file, set].reduce(mergeSettings));
  if (!parsed.success) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot configure ReST-EM: expected iterations, passages, patience, feedbackSeconds, idle and algorithm, got others: ${z.prettifyError(parsed.error).replaceAll('\n', '; ')}. Correct --config or --set.`,
      { cause: parsed.error },
    );
  }
  const settings = mergeSettings(trainer, parsed.data.algorithm);
  return { ...parsed.data, algorithm: algorithms.get(ALGORITHM)!.resolveConfiguration(settings) };
}

/** The settings of a file, YAML or JSON. @throws INVALID_INPUT for what is neither, and for what is no list of named settings */
export function settingsIn(name: string, bytes: Uint8Array): Settings {
  let settings: unknown;
  try {
    settings = parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw unreadable(name, cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw unreadable(name, settings === null ? 'nothing' : JSON.stringify(settings).slice(0, 80));
  return settings as Settings;
}

function unreadable(name: string, came: string, cause?: unknown): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot read ${name}: expected named settings in YAML or JSON, got ${came.replaceAll('\n', ' ')}. Write e.g. "iterations: 2".`,
    { details: { file: name }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** What a recorded configuration says. @throws DATA_REFUSED where another version wrote it */
export function recordedConfig(selfTrainingId: string, text: string): RestEmRunConfig {
  try {
    return restEmRunSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new SeamError(
      'DATA_REFUSED',
      `Cannot read self-training ${selfTrainingId}: expected the configuration that this version writes, got ${text.slice(0, 200)}. It was started by another version.`,
      { cause },
    );
  }
}
