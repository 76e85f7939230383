/**
 * A kind that a user describes: a JSON file, or a folder with the same in files: `template.txt`, where wanted `system.txt`, and
 * `kind.json` with the rest. All faults are named at once.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { DIVISIONS, kindOf, type SelfEditKind, withoutLastLineEnd } from './self-edit-kinds.js';
import { PLACEHOLDER } from './writer-prompt.js';

const text = () => z.string().refine((value) => value.trim() !== '', { error: 'expected a text that is not blank' });

const SHAPE = z.strictObject({
  template: text(),
  documents: z.enum(DIVISIONS).default('lines'),
  system: text().optional(),
  variables: z.record(z.string(), z.string()).default({}),
  examples: z.array(z.strictObject({ title: text().optional(), passage: text(), edit: text() })).default([]),
});

/** Placeholders that every passage fills. */
const OF_PASSAGE = ['title', 'passage'];

/** @param path of a JSON file or a folder. @throws INVALID_CONFIGURATION with every fault */
export function ownSelfEditKind(path: string): SelfEditKind {
  const faulty = (faults: readonly string[], cause?: unknown): SeamError =>
    new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot read the template of self-edits ${path}: ${faults.join('; ')}. Correct the file.`,
      { details: { faults }, ...(cause === undefined ? {} : { cause }) },
    );
  let described: unknown;
  try {
    described = statSync(path).isDirectory() ? inFolder(path) : JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw faulty([`expected a JSON file or a folder with template.txt, got: ${messageOf(cause)}`], cause);
  }
  const parsed = SHAPE.safeParse(described);
  const faults = parsed.success
    ? []
    : parsed.error.issues.map(({ path: at, message }) => `${at.join('.')} ${message}`.trim());
  faults.push(...placeholderFaults(described));
  if (!parsed.success || faults.length > 0) throw faulty(faults);
  const { template, documents, system = null, variables, examples } = parsed.data;
  return kindOf({
    name: basename(path).replace(/\.json$/, ''),
    template: filled(template, variables),
    system: system === null ? null : filled(system, variables),
    examples: examples.map(({ title = null, passage, edit }) => ({ title, passage, edit })),
    division: documents,
  });
}

function inFolder(folder: string): unknown {
  const files = readdirSync(folder);
  const textOf = (name: string, field: string): object =>
    files.includes(name) ? { [field]: withoutLastLineEnd(readFileSync(join(folder, name), 'utf8')) } : {};
  const described: unknown = files.includes('kind.json')
    ? JSON.parse(readFileSync(join(folder, 'kind.json'), 'utf8'))
    : {};
  if (typeof described !== 'object' || described === null || Array.isArray(described)) return described;
  return { ...described, ...textOf('template.txt', 'template'), ...textOf('system.txt', 'system') };
}

function filled(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (placeholder, name: string) => variables[name] ?? placeholder);
}

/** Read of what may have other faults too, so that all are named at once. */
function placeholderFaults(described: unknown): readonly string[] {
  if (typeof described !== 'object' || described === null) return [];
  const { template, system, variables } = described as Readonly<Record<string, unknown>>;
  const names = (value: unknown): readonly string[] =>
    typeof value === 'string' ? [...value.matchAll(PLACEHOLDER)].map((match) => match[1]!) : [];
  const values = typeof variables === 'object' && variables !== null ? Object.entries(variables) : [];
  const own = values.map(([name]) => name);
  const [asked, said] = [names(template), names(system)];
  const count = (name: string): number => asked.filter((each) => each === name).length;
  return [
    ...values
      .filter(([, value]) => names(value).length > 0)
      .map(([name]) => `variables.${name} holds a placeholder, which nothing fills`),
    ...(typeof template === 'string' && count('passage') !== 1
      ? [`template expected {passage} once, got it ${count('passage')} times`]
      : []),
    ...(count('title') > 1 ? [`template expected {title} at most once, got it ${count('title')} times`] : []),
    ...asked
      .filter((name) => ![...OF_PASSAGE, ...own].includes(name))
      .map((name) => `template holds {${name}}, which no variable fills`),
    ...said.filter((name) => !own.includes(name)).map((name) => `system holds {${name}}, which no variable fills`),
    ...own
      .filter((name) => OF_PASSAGE.includes(name))
      .map((name) => `variables.${name} has a name that the passage fills`),
    ...own.filter((name) => ![...asked, ...said].includes(name)).map((name) => `variables.${name} is used nowhere`),
  ];
}
