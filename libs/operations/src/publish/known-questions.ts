/** Questions that the log holds already, under other ids: published from another file, by another client, or by the demonstration. */

import { normalisedQuestion } from '@seamstream/datasets';
import type { EventLog } from '@seamstream/event-log';
import { TOPIC, tenantOf } from '@seamstream/events';
import { count, onOneLine, plural, SeamError, sha256 } from '@seamstream/kernel';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import type { DatasetFile } from './dataset-file.js';
import type { DuplicatePolicy } from './duplicates.js';
import type { PublishMode } from './publication.js';

/** What a question is compared by: equal for those that are the same after normalisation. */
export function questionKey(question: string): string {
  return sha256(normalisedQuestion(question));
}

export interface KnownQuestion {
  readonly row: number;
  /** Of the problem in the log. */
  readonly problemId: string;
  readonly sameAnswer: boolean;
}

interface AskedRow {
  readonly row: number;
  readonly questionKey: string;
  readonly mode: PublishMode;
  readonly answer: string;
}

/**
 * Rows whose question the same tenant published before to the same end, to explore or to deploy, ascending. Every problem of the log is opened; what is
 * kept in memory is what was asked for.
 * @param tenant whose questions they are
 * @param ownIds ids of the file's own problems: what is there under them is this file, published before
 */
export async function knownQuestions(
  log: EventLog,
  rows: readonly AskedRow[],
  tenant: string,
  ownIds: ReadonlySet<string>,
): Promise<readonly KnownQuestion[]> {
  const wanted = Map.groupBy(rows, ({ questionKey: key, mode }) => `${mode} ${key}`);
  const known = new Map<number, KnownQuestion>();
  const ranges = await storedRanges(log, TOPIC.problems);
  for await (const { events } of readEvents(log, ranges, { undecodable: 'skip' })) {
    for (const { event } of events) {
      if (event.type !== 'ProblemPublished' || tenantOf(event.meta) !== tenant) continue;
      const { problem, mode } = event;
      if (ownIds.has(problem.problemId)) continue;
      for (const { row, answer } of wanted.get(`${mode} ${questionKey(problem.prompt)}`) ?? [])
        if (!known.has(row))
          known.set(row, {
            row,
            problemId: problem.problemId,
            sameAnswer: answer === (problem.reference ?? '').trim(),
          });
    }
  }
  return [...known.values()].sort((a, b) => a.row - b.row);
}

/** Most that are named; the rest is counted. */
const LISTED = 10;

export function renderKnown(known: readonly KnownQuestion[], { unit }: Pick<DatasetFile, 'unit'>): string {
  const lines = known
    .slice(0, LISTED)
    .map(
      ({ row, problemId, sameAnswer }) =>
        `  ${unit} ${row}: in the log as ${onOneLine(problemId)}${sameAnswer ? '' : ', with another answer'}`,
    );
  return [...lines, ...(known.length > LISTED ? [`  … and ${count(known.length - LISTED)} more`] : [])].join('\n');
}

/** @throws CONFLICT naming what the log holds, where a file may have none of it or nothing else */
export function assertNewEnough(
  known: readonly KnownQuestion[],
  rows: readonly unknown[],
  { name, unit }: Pick<DatasetFile, 'name' | 'unit'>,
  policy: DuplicatePolicy | undefined,
): void {
  if (known.length === 0 || (policy !== 'refuse' && (policy !== 'skip' || known.length < rows.length))) return;
  throw new SeamError(
    'CONFLICT',
    `Cannot publish ${name}: expected questions that are new to this log, got ${plural(known.length, 'question')} that it holds already. Nothing was recorded. Use --duplicates report to publish them all the same.\n${renderKnown(known, { unit })}`,
    { details: { file: name, known: known.slice(0, 100) } },
  );
}
