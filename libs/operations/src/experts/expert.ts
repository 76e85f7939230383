/** What an expert is: an adapter with all that it takes to use it, to trust it, and to train it again. Pure. */
import type { Evaluation } from '@seamstream/events';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import { PEFT_FILE, type PeftFiles } from '@seamstream/language-model';
import { z } from 'zod';
import type { ExpertFiles } from './expert-archive.js';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const words = z.string().max(4096);
const figures = z.record(words, z.number());
/** Milliseconds since the Unix epoch. */
const time = z.int().nonnegative();

/** What was measured, without the problems of the validation set on which two adapters differed: an archive goes to others. */
type CarriedEvaluation = Omit<Evaluation, 'differences'>;

/** Every field that an event may have, optional ones too: an archive is refused for one that is not named here. */
const evaluationShape = {
  problemSet: words,
  problemSetDigest: words,
  problems: z.int().nonnegative(),
  success: z.number(),
  parentSuccess: z.number().nullable(),
  perDomain: figures,
  rescued: z.int().nullable(),
  broken: z.int().nullable(),
  parentPerDomain: figures,
  asked: figures,
  repeated: z.int(),
  retained: z
    .strictObject({
      problems: z.int().nonnegative(),
      success: z.number(),
      parentSuccess: z.number(),
      mostCost: z.number(),
    })
    .nullish(),
  judges: z
    .array(z.strictObject({ model: words, revision: words.nullable(), verdicts: z.int().nonnegative() }))
    .optional(),
  judgedApart: z.int().nonnegative().optional(),
  attempts: z.int().nonnegative().nullish(),
  shares: z
    .strictObject({
      candidate: z.number(),
      parent: z.number(),
      differences: z.array(
        z.strictObject({ thousandths: z.int().min(-1000).max(1000), problems: z.int().nonnegative() }),
      ),
    })
    .nullish(),
} satisfies Record<keyof CarriedEvaluation, z.ZodType>;
const evaluationSchema: z.ZodType<CarriedEvaluation> = z.strictObject(evaluationShape);

export const EXPERT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Whether an expert may be called so: it is a segment of a key, and of a path. */
export const isExpertName = (text: string): boolean => EXPERT_NAME.test(text);

/** What expert.json says. */
const descriptionSchema = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(EXPERT_NAME),
  adapterDigest: digest,
  baseModelDigest: digest,
});

/** A version of the adapter's lineage, and the run that made it; what the log does not tell is null. */
const versionSchema = z.strictObject({
  adapterDigest: digest,
  parent: digest.nullable(),
  runId: words,
  algorithm: words,
  publishedAt: time,
  inputs: z.array(z.strictObject({ topic: words, partition: z.int(), from: z.int(), to: z.int() })),
  manifestDigest: words.nullable(),
  metrics: figures,
});

/** How a run was configured, so that it can be done again. */
const runSchema = z.strictObject({
  runId: words,
  algorithm: words,
  seed: words,
  codeVersion: words,
  configuration: z.record(words, z.json()),
});

const measurementSchema = z.strictObject({
  /** A person, or a run. */
  by: words,
  at: time,
  reason: words,
  evaluation: evaluationSchema,
});

/** Something written that helped, and about which problem. */
const editSchema = z.strictObject({
  problemId: words,
  entry: z.string().max(16_384),
  reward: z.number(),
});

/** As `seam publish` reads it. */
const problemSchema = z.strictObject({
  problemId: words,
  domain: words,
  prompt: z.string(),
  reference: z.string(),
  verifier: z.strictObject({ kind: words, version: words, options: z.record(words, z.string()) }),
  metadata: z.record(words, z.string()),
});

type ExpertVersion = z.infer<typeof versionSchema>;
export type ExpertRun = z.infer<typeof runSchema>;
export type ExpertMeasurement = z.infer<typeof measurementSchema>;
export type ExpertEdit = z.infer<typeof editSchema>;
export type ExpertProblem = z.infer<typeof problemSchema>;

export interface Expert {
  readonly description: z.infer<typeof descriptionSchema>;
  readonly adapter: PeftFiles;
  /** Prompts and schemas that its entries are asked for and used with, by file. */
  readonly templates: ReadonlyMap<string, string>;
  /** From the first version to the adapter itself. */
  readonly history: readonly ExpertVersion[];
  readonly runs: readonly ExpertRun[];
  readonly evaluations: readonly ExpertMeasurement[];
  readonly edits: readonly ExpertEdit[];
  readonly problems: readonly ExpertProblem[];
}

const FILE = {
  description: 'expert.json',
  history: 'history.json',
  configuration: 'configuration.json',
  evaluation: 'evaluation.json',
  edits: 'edits.jsonl',
  problems: 'problems.jsonl',
} as const;
const ADAPTER = 'adapter/';
const TEMPLATES = 'templates/';

const json = (value: unknown): Uint8Array => Buffer.from(`${canonicalJson(value)}\n`);
const lines = (values: readonly unknown[]): Uint8Array =>
  Buffer.from(values.map((value) => `${canonicalJson(value)}\n`).join(''));

/** What can be used where the adapter cannot, by file: templates, edits, problems, and what is known of the training. */
export function carriedFiles({
  templates,
  history,
  runs,
  evaluations,
  edits,
  problems,
}: Omit<Expert, 'adapter' | 'description'>): ExpertFiles {
  return new Map([
    [FILE.history, json(history)],
    [FILE.configuration, json(runs)],
    [FILE.evaluation, json(evaluations)],
    [FILE.edits, lines(edits)],
    [FILE.problems, lines(problems)],
    ...[...templates].map(([name, text]) => [`${TEMPLATES}${name}`, Buffer.from(text)] as const),
  ]);
}

export function expertFiles(expert: Expert): ExpertFiles {
  return new Map([
    [FILE.description, json(expert.description)],
    [`${ADAPTER}${PEFT_FILE.config}`, expert.adapter.config],
    [`${ADAPTER}${PEFT_FILE.tensors}`, expert.adapter.tensors],
    ...carriedFiles(expert),
  ]);
}

/** The expert in these files. @throws ADAPTER_INVALID for a file that is missing or unknown, and for a field that is */
export function expertIn(files: ExpertFiles): Expert {
  const left = new Map(files);
  const take = (name: string): Uint8Array => {
    const bytes = left.get(name);
    if (bytes === undefined) throw faulty(name, 'a file', 'none');
    left.delete(name);
    return bytes;
  };
  const expert: Expert = {
    description: read(FILE.description, take(FILE.description), descriptionSchema),
    adapter: { config: take(`${ADAPTER}${PEFT_FILE.config}`), tensors: take(`${ADAPTER}${PEFT_FILE.tensors}`) },
    history: read(FILE.history, take(FILE.history), z.array(versionSchema)),
    runs: read(FILE.configuration, take(FILE.configuration), z.array(runSchema)),
    evaluations: read(FILE.evaluation, take(FILE.evaluation), z.array(measurementSchema)),
    edits: readLines(FILE.edits, take(FILE.edits), editSchema),
    problems: readLines(FILE.problems, take(FILE.problems), problemSchema),
    templates: new Map(
      [...left.keys()]
        .filter((name) => name.startsWith(TEMPLATES))
        .map((name) => [name.slice(TEMPLATES.length), Buffer.from(take(name)).toString()]),
    ),
  };
  const [unknown] = left.keys();
  if (unknown !== undefined) throw faulty(unknown, 'no other file', 'this one');
  return expert;
}

function read<T>(name: string, bytes: Uint8Array, schema: z.ZodType<T>): T {
  return parsed(name, Buffer.from(bytes).toString(), schema);
}

function readLines<T>(name: string, bytes: Uint8Array, schema: z.ZodType<T>): readonly T[] {
  const text = Buffer.from(bytes).toString();
  if (text === '') return [];
  if (!text.endsWith('\n')) throw faulty(name, 'whole lines', 'one without its end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line, at) => parsed(`${name}, line ${at + 1}`, line, schema));
}

function parsed<T>(name: string, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw faulty(name, 'JSON', 'another text', cause);
  }
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const { path, code } = error.issues[0]!;
  throw faulty(name, 'the fields of an expert', `a fault at ${path.map(String).join('.') || 'its top'} (${code})`);
}

function faulty(name: string, expected: string, got: string, cause?: unknown): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot read ${name} of an expert: expected ${expected}, got ${got}. Have it exported again.`,
    { cause },
  );
}
