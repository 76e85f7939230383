import type { z } from 'zod';
import type { RowFault } from './dataset.types.js';

const SHOWN_CHARACTERS = 60;

/** A value as an error shows it: as JSON, cut short; `undefined` reads "nothing". */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const characters = Array.from(jsonOf(value));
  return characters.length <= SHOWN_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, SHOWN_CHARACTERS - 1).join('')}…`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return 'a value in thousands of brackets'; // the stack ends before they do
    throw error;
  }
}

/** What a form's shape found wrong with a row: field, expectation and what it has. */
export function faultsOf(row: number, value: unknown, { issues }: z.ZodError): RowFault[] {
  return issues.flatMap((issue): RowFault[] => {
    const field = issue.path.length === 0 ? 'row' : issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        row,
        field: issue.path.length === 0 ? key : `${field}.${key}`,
        expected: 'no such field (see "seam publish --help" for those that exist)',
        came: shown(at(value, [...issue.path, key])),
      }));
    }
    return [{ row, field, expected: issue.message, came: shown(at(value, issue.path)) }];
  });
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}
