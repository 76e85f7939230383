/**
 * A domain of problems in one file: how its data are read, how they are judged, and how a model is asked. `seam publish` uses the first
 * two, an executor's template the third.
 */
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, SeamError } from '@seamstream/kernel';
import { parse } from 'yaml';
import { z } from 'zod';
import { ANSWER_FORMS } from './answer-form.js';

/** This library's own domains. */
const DOMAINS = new URL('../domains/', import.meta.url);
const FILE = /\.(?:ya?ml|json)$/;
/** Larger files are no few texts. */
const MOST_BYTES = 262_144;

const text = z.string().min(1);
const promptsSchema = z.strictObject({
  /** Where answers stand. */
  answer: z.enum(ANSWER_FORMS).default('stated'),
  /** The system message. */
  system: text.optional(),
  'with-experience': text,
  'without-experience': text,
  'wrapper-only': text,
});

const schema = z.strictObject({
  /** Domain of every problem; as rows say where it is absent. */
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, ".", "_" or "-"')
    .optional(),
  reader: z.union([
    /** Names of data sets (seam publish --help), of which a file is one. */
    z.strictObject({ datasets: z.array(text).min(1) }),
    /** Any columns, as seam publish --columns has them. */
    z.strictObject({ columns: text }),
  ]),
  /** Who judges; as rows say where it is absent. */
  verifier: z
    .strictObject({ kind: text, version: text.optional(), options: z.record(z.string(), z.string()).optional() })
    .optional(),
  /** Texts, or the name of an executor's template. */
  prompts: z.union([text, promptsSchema]).default('plain'),
});

export type TaskDomain = z.infer<typeof schema>;

/** Whether a name is one of a domain's file. */
export function isDomainFile(name: string): boolean {
  return FILE.test(name);
}

/** The names of this library's own domains. */
export async function domainNames(): Promise<readonly string[]> {
  const files = await readdir(DOMAINS);
  return files.map((file) => file.replace(FILE, '')).sort();
}

/**
 * @param name of a domain of this library, or the path of a domain's file (.yaml, .yml or .json)
 * @throws INVALID_CONFIGURATION naming what is there, or what is wrong with the file
 */
export async function loadTaskDomain(name: string): Promise<TaskDomain> {
  const isFile = isDomainFile(name);
  const known = await domainNames();
  if (!isFile && !known.includes(name))
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot load domain ${JSON.stringify(name)}: expected one of ${known.join(', ')}, or a file of your own (.yaml, .json). Correct the name.`,
    );
  const file = isFile ? pathToFileURL(isAbsolute(name) ? name : resolve(name)) : new URL(`${name}.yaml`, DOMAINS);
  const refuse = (got: string, cause?: unknown): SeamError =>
    new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot load domain ${name}: expected reader, and where wanted name, verifier and prompts (docs/how-to/tools.md, "Domains"), got ${got}. Correct the file.`,
      { cause },
    );
  let value: unknown;
  try {
    const content = await readFile(file, 'utf8');
    if (content.length > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`);
    // No alias may stand for many times its length.
    value = parse(content, { maxAliasCount: 0 });
  } catch (cause) {
    throw refuse(messageOf(cause), cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refuse(
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`).join('; '),
  );
}

/** The texts of a domain's prompts as the files of an executor's template have them; the name of a template where it names one. */
export function templateOfDomain({ prompts }: TaskDomain): ReadonlyMap<string, string> | string {
  if (typeof prompts === 'string') return prompts;
  const { answer, ...texts } = prompts;
  const files = Object.entries(texts).flatMap(([name, words]) =>
    words === undefined ? [] : [[`${name}.txt`, words] as const],
  );
  return new Map([...files, ['template.json', JSON.stringify({ answer })]]);
}
