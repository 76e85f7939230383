/** Dead letters as a person asks about them, and which of them are to be redriven. Pure. */

import type { NewRecord } from '@seamstream/event-log';
import type { EventOf } from '@seamstream/events';
import { compareText, type ErrorCode } from '@seamstream/kernel';

export type DeadLetter = EventOf<'DeadLettered'>;

/** On a redriven record: which record it repeats, as {@link placeOf} writes it. A record with it is never redriven again. */
export const REDRIVE_HEADER = 'seam-redrive-of';

/** Where the record that could not be used stands: "seam.problems/2/41". */
export function placeOf(letter: Pick<DeadLetter, 'topic' | 'partition' | 'offset'>): string {
  return `${letter.topic}/${letter.partition}/${letter.offset}`;
}

export interface DeadLetterFilter {
  readonly code?: string | undefined;
  readonly topic?: string | undefined;
  readonly limit?: number | undefined;
}

/** Letters that fit the filter, in the given order. */
export function selectLetters(letters: readonly DeadLetter[], filter: DeadLetterFilter): readonly DeadLetter[] {
  return letters
    .filter((letter) => filter.code === undefined || letter.code === filter.code)
    .filter((letter) => filter.topic === undefined || letter.topic === filter.topic)
    .slice(0, filter.limit);
}

export interface RedrivePlan {
  readonly records: readonly NewRecord[];
  /** Records that were redriven before. */
  readonly alreadyRedriven: number;
  /** Letters of a record that another consumer group dead-lettered too: the record goes back once. */
  readonly sameRecord: number;
  /** Letters whose topic the log does not have. */
  readonly withoutTopic: number;
  /** Letters of what the log could not show: there is nothing to send again. */
  readonly unreadable: number;
}

/**
 * The records to append: the original key, bytes and headers, each original record once, to the partition it came from.
 * @param redriven places (see {@link placeOf}) of records that were redriven before
 * @param topics topics of the log
 */
export function planRedrive(
  letters: readonly DeadLetter[],
  redriven: ReadonlySet<string>,
  topics: ReadonlySet<string>,
): RedrivePlan {
  const records: NewRecord[] = [];
  const seen = new Set<string>();
  let alreadyRedriven = 0;
  let sameRecord = 0;
  let withoutTopic = 0;
  let unreadable = 0;
  for (const letter of letters) {
    const place = placeOf(letter);
    if (seen.has(place)) {
      sameRecord++;
      continue;
    }
    seen.add(place);
    if (redriven.has(place)) alreadyRedriven++;
    else if (!topics.has(letter.topic)) withoutTopic++;
    else if (letter.code === ('UNREADABLE_BATCH' satisfies ErrorCode)) unreadable++;
    else {
      const { topic, partition, key, value, headers } = letter;
      records.push({ topic, partition, key, value, headers: { ...headers, [REDRIVE_HEADER]: place } });
    }
  }
  return { records, alreadyRedriven, sameRecord, withoutTopic, unreadable };
}

/** How many letters there are of each code, the most frequent first. */
export function countByCode(letters: readonly DeadLetter[]): readonly (readonly [code: string, letters: number])[] {
  const counts = new Map<string, number>();
  for (const { code } of letters) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || compareText(a, b));
}
