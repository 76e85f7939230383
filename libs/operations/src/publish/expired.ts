/** Rows whose problems cannot be solved: their time is up before they are published. */
import { count, plural, SeamError } from '@seamstream/kernel';
import type { DatasetFile } from './dataset-file.js';

export const EXPIRED_POLICIES = ['report', 'skip', 'refuse'] as const;
/** What becomes of them: published and reported, left out, or the whole file refused. */
export type ExpiredPolicy = (typeof EXPIRED_POLICIES)[number];

export interface ExpiredRow {
  readonly row: number;
  /** As the row has it. */
  readonly expiresAt: string;
}

/** Whether a problem of this time would expire instead of being solved; generators decide the same (arm.decide.ts). */
export function isExpired(expiresAt: string | undefined, nowMs: number): expiresAt is string {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

/**
 * What a person reads about rows that have expired; null where there are none.
 * @param rows that the log does not hold and that were come to
 * @throws INVALID_INPUT where the policy allows none of them
 */
export function tellExpired(
  expired: readonly ExpiredRow[],
  rows: number,
  { name, unit }: Pick<DatasetFile, 'name' | 'unit'>,
  policy: ExpiredPolicy,
): string | null {
  const [first] = expired;
  if (first === undefined) return null;
  const got = `${count(expired.length)} of ${plural(rows, 'problem')} of ${name} ${expired.length === 1 ? 'has' : 'have'} expired already, the first in ${unit} ${first.row} (expiresAt ${first.expiresAt})`;
  if (policy === 'refuse') {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot publish ${name}: expected problems that can still be solved, but ${got}; nothing was recorded. Correct expiresAt, or leave them out (--expired skip).`,
      { details: { file: name, expired: expired.length, firstRow: first.row } },
    );
  }
  return policy === 'skip'
    ? `${got}: left out.`
    : `${got}: no service will solve ${expired.length === 1 ? 'it' : 'them'}, and the ledger will count ${expired.length === 1 ? 'it' : 'them'} as expired. Correct expiresAt, or leave them out (--expired skip, or refuse).`;
}
