/**
 * Any JSON Lines or Parquet file by a mapping of its columns, e.g. `prompt=question,reference=answer.value`. A column is named
 * exactly, or by a dotted path into nested columns and lists (`prompt.0.content`).
 */
import { SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import type { DatasetForm } from './dataset.types.js';
import { answerText, asMetadata, domainName, text } from './fields.js';

const TARGETS = ['prompt', 'reference', 'domain', 'problemId', 'subject'] as const;
type Target = (typeof TARGETS)[number];

/** Where each part of a problem is found. */
export interface ColumnMapping {
  readonly columns: Readonly<Partial<Record<Target, string>> & { prompt: string; reference: string }>;
  /** Columns kept as metadata, by the name they get. */
  readonly metadata: Readonly<Record<string, string>>;
}

const METADATA = 'metadata.';

/** Reads `target=column,…`. @throws INVALID_INPUT naming what is unknown, doubled or missing. */
export function parseColumnMapping(given: string): ColumnMapping {
  const refuse = (expected: string): SeamError =>
    new SeamError(
      'INVALID_INPUT',
      `Cannot read --columns: expected ${expected}, got "${given}". Write columns such as prompt=question,reference=answer,metadata.level=level.`,
    );
  const columns = new Map<string, string>();
  const metadata: Record<string, string> = {};
  for (const part of given.split(',')) {
    const at = part.indexOf('=');
    const target = part.slice(0, at).trim();
    const column = part.slice(at + 1).trim();
    if (at < 1 || column === '') throw refuse('target=column, separated by commas');
    if (target.startsWith(METADATA) && target.length > METADATA.length && target !== `${METADATA}__proto__`) {
      metadata[target.slice(METADATA.length)] = column;
      continue;
    }
    if (!TARGETS.some((each) => each === target)) throw refuse(`targets of ${TARGETS.join(', ')}, ${METADATA}NAME`);
    if (columns.has(target)) throw refuse(`each target once (${target} stands twice)`);
    columns.set(target, column);
  }
  const { prompt, reference, ...others } = Object.fromEntries(columns) as Partial<Record<Target, string>>;
  if (prompt === undefined || reference === undefined) throw refuse('a column for prompt and one for reference');
  return { columns: { prompt, reference, ...others }, metadata };
}

/** The value under a column's exact name, else under the dotted path; undefined where there is none. */
function valueAt(row: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path];
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Record<string, unknown>)[key]
          : undefined,
      row,
    );
}

const PARTS: Readonly<Record<Target, z.ZodType<string>>> = {
  prompt: text(),
  reference: answerText('the answer: a text, a number or a truth value'),
  domain: text(),
  problemId: answerText('a text or a number'),
  subject: text(),
};

/** The form that a mapping describes. The verifier is `exact`, the domain `default`, unless the caller or a column says otherwise. */
export function columnsForm({ columns, metadata }: ColumnMapping): DatasetForm {
  const mapped = Object.entries(columns) as [Target, string][];
  const paths = [...mapped.map(([, path]) => path), ...Object.values(metadata)];
  return {
    name: 'columns',
    summary: 'what --columns says',
    example: JSON.stringify(Object.fromEntries(mapped.map(([target, path]) => [path, `the ${target}`]))),
    // A name with a dot may be the column itself or a path into the column before the dot.
    columns: [...new Set(paths.flatMap((path) => [path, path.split('.')[0]!]))],
    recognises: () => false,
    shape: z
      .record(z.string(), z.unknown(), { error: 'one JSON object, or a row with columns' })
      .transform((row, context) => {
        const values: Partial<Record<Target, string>> = {};
        for (const [target, path] of mapped) {
          const value = valueAt(row, path);
          const isOptional = target !== 'prompt' && target !== 'reference';
          if (isOptional && (value === undefined || value === null)) continue;
          const part = PARTS[target].safeParse(value);
          if (part.success) values[target] = part.data;
          else context.addIssue({ code: 'custom', path: [path], message: part.error.issues[0]!.message });
        }
        const { prompt, reference, domain = 'default', problemId, subject } = values;
        if (prompt === undefined || reference === undefined) return z.NEVER;
        return {
          domain: domainName(domain),
          prompt,
          reference,
          verifier: { kind: 'exact' },
          problemId,
          subject,
          metadata: asMetadata(
            Object.fromEntries(Object.entries(metadata).map(([name, path]) => [name, valueAt(row, path)])),
          ),
        };
      }),
  };
}
