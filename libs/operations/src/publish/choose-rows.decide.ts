/** Which rows of a file are published now. Every row that was read ends in exactly one class, so the reported counts add up. */
import type { ExpiredPolicy, ExpiredRow } from './expired.js';
import { isExpired } from './expired.js';
import type { PublishableRow } from './publication.js';

export interface RowsKnown {
  /** Rows that are left out because their question is in the file twice, or in one that is kept for testing. */
  readonly duplicates: ReadonlySet<number>;
  /** Rows that are left out as the log holds their question from elsewhere. */
  readonly elsewhere: ReadonlySet<number>;
  /** Ids of the rows that the log does not hold as this file's. */
  readonly idOfRow: ReadonlyMap<number, string>;
}

/** Rows by what becomes of them; together they are the rows that were read. */
export interface RowCounts {
  readonly read: number;
  readonly published: number;
  /** Published before, from this file. */
  readonly inLog: number;
  readonly elsewhere: number;
  readonly duplicates: number;
  /** Left out for their time; expired rows that are published all the same are published. */
  readonly expired: number;
  /** Not reached: the limit was reached before, or a person stopped the publication. */
  readonly leftOver: number;
}

export interface ChosenRows {
  /** Ids of the problems to publish, by row, in the file's order. */
  readonly idOfRow: ReadonlyMap<number, string>;
  /** Those of the reached rows that the log does not hold and whose time is up, regardless of what becomes of them. */
  readonly expired: readonly ExpiredRow[];
  /** As if all that is chosen is published. */
  readonly counts: RowCounts;
}

/**
 * Goes through the rows in their order: what is left out is dropped first, then what the log holds, then what has expired where that is
 * skipped; the limit counts what remains.
 */
export function chooseRows(
  rows: readonly Pick<PublishableRow, 'row' | 'expiresAt'>[],
  { duplicates, elsewhere, idOfRow }: RowsKnown,
  { policy, limit = Number.POSITIVE_INFINITY, nowMs }: ChoiceSettings,
): ChosenRows {
  const chosen = new Map<number, string>();
  const expired: ExpiredRow[] = [];
  const counts = { duplicates: 0, elsewhere: 0, inLog: 0, expired: 0, leftOver: 0 };
  for (const { row, expiresAt } of rows) {
    const id = idOfRow.get(row);
    if (chosen.size >= limit) counts.leftOver++;
    else if (duplicates.has(row)) counts.duplicates++;
    else if (elsewhere.has(row)) counts.elsewhere++;
    else if (id === undefined) counts.inLog++;
    else {
      const isLate = isExpired(expiresAt, nowMs);
      if (isLate) expired.push({ row, expiresAt });
      if (isLate && policy === 'skip') counts.expired++;
      else chosen.set(row, id);
    }
  }
  return { idOfRow: chosen, expired, counts: { read: rows.length, published: chosen.size, ...counts } };
}

export interface ChoiceSettings {
  readonly policy: ExpiredPolicy;
  /** Most problems to publish. */
  readonly limit?: number | undefined;
  readonly nowMs: number;
}

/** The counts after a person stopped the publication at so many. */
export function stoppedAfter(published: number, counts: RowCounts): RowCounts {
  return { ...counts, published, leftOver: counts.leftOver + counts.published - published };
}
