/**
 * What a model learned and is to keep, as a folder: PEFT's two files with the weights, and a record of what they are. The record names the
 * digests of both files and is written last. So a folder that is not whole, or whose files are of two trainings, is refused.
 */
import { canonicalJson, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, createAdapter, decodePeft, PEFT_FILE } from '@seamstream/language-model';
import { z } from 'zod';
import { innerUpdateSchema } from './inner-update.config.js';

/** In the order in which they are written. */
export const LEARNED_FILE = { tensors: PEFT_FILE.tensors, config: PEFT_FILE.config, record: 'learned.json' } as const;

export type LearnedFiles = Readonly<Record<keyof typeof LEARNED_FILE, Uint8Array>>;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const share = z.number().min(0).max(1);
const difference = z.number().min(-1).max(1);

const recordSchema = z.strictObject({
  format: z.literal('seamstream.learned/1'),
  /** Of the weights. */
  adapterDigest: digest,
  /** Of the model that they change. */
  baseModelDigest: digest,
  /** Weights that training began with; null: the bare model. */
  parent: digest.nullable(),
  /** SHA-256 of PEFT's files. */
  files: z.strictObject({ config: digest, tensors: digest }),
  /** The lines that were learned from. */
  edits: z.strictObject({
    sha256: digest,
    passages: z.int().positive(),
    edits: z.int().nonnegative(),
    documents: z.int().positive(),
  }),
  /** SHA-256 of the documents in the order in which they were given. */
  documentsDigest: digest,
  /** Whether the passages themselves were among the documents. */
  withPassages: z.boolean(),
  /** `together`: one training on all documents. `sequence`: one after the other, a passage each. */
  order: z.enum(['together', 'sequence']),
  seed: z.string(),
  /** How each training went about it. */
  settings: innerUpdateSchema,
  training: z.strictObject({
    trainings: z.int().positive(),
    /** Passages with nothing to learn. */
    refused: z.int().nonnegative(),
    steps: z.int().positive(),
    /** Tokens that carried loss, over all steps. */
    tokens: z.int().positive(),
    /** Nats a token: of the first step, and of the last. */
    firstLoss: z.number(),
    lastLoss: z.number(),
  }),
  /** The same questions before and after, without the passage; null where none were asked. */
  measured: z
    .strictObject({
      /** SHA-256 of the file of questions. */
      sha256: digest,
      measure: z.enum(['exactMatch', 'f1']),
      passages: z.int().positive(),
      questions: z.int().positive(),
      before: share,
      after: share,
      gain: z.strictObject({ value: difference, interval95: z.tuple([difference, difference]).readonly() }),
    })
    .nullable(),
});

export type LearnedRecord = z.infer<typeof recordSchema>;

/** The files of a folder. Equal weights and facts give equal bytes. */
export function encodeLearned(
  facts: Omit<LearnedRecord, 'format' | 'files'>,
  { config, tensors }: Omit<LearnedFiles, 'record'>,
): { readonly record: LearnedRecord; readonly files: LearnedFiles } {
  const files = { config: sha256(config), tensors: sha256(tensors) };
  const record: LearnedRecord = { format: 'seamstream.learned/1', ...facts, files };
  return { record, files: { tensors, config, record: Buffer.from(`${canonicalJson(record)}\n`) } };
}

/**
 * The weights, measured; nothing in the folder is believed.
 * @param folder for what is said
 * @throws ADAPTER_INVALID for files that are not those of the record, and for weights of another model
 */
export function decodeLearned(
  folder: string,
  { record: text, config, tensors }: LearnedFiles,
  base: Parameters<typeof decodePeft>[1],
): { readonly adapter: Adapter; readonly record: LearnedRecord } {
  const record = parseRecord(folder, text);
  const refused = (expected: string, got: string): SeamError =>
    new SeamError(
      'ADAPTER_INVALID',
      `Cannot use the weights in ${folder}: expected ${expected}, got ${got}. Train them again (seam edits train).`,
    );
  for (const [name, bytes] of Object.entries({ config, tensors }) as ['config' | 'tensors', Uint8Array][])
    if (sha256(bytes) !== record.files[name])
      throw refused(`the ${LEARNED_FILE[name]} of ${LEARNED_FILE.record}`, `another, ${sha256(bytes)}`);
  if (record.baseModelDigest !== base.digest)
    throw refused(`weights for the model ${base.digest}`, `those for ${record.baseModelDigest}`);
  const adapter = createAdapter(decodePeft({ config, tensors }, base));
  if (adapter.digest !== record.adapterDigest)
    throw refused(`the weights ${record.adapterDigest}`, `those of ${adapter.digest}`);
  return { adapter, record };
}

function parseRecord(folder: string, text: Uint8Array): LearnedRecord {
  try {
    return recordSchema.parse(JSON.parse(Buffer.from(text).toString()));
  } catch (cause) {
    throw new SeamError(
      'ADAPTER_INVALID',
      `Cannot use the weights in ${folder}: expected a ${LEARNED_FILE.record} as seam edits train writes it, got another (${messageOf(cause)}). Train them again.`,
      { cause },
    );
  }
}
