/** Turns a checked problem file into records of the log, each problem once. */
import type { DatasetProblem, UngradedProblem } from '@seamstream/datasets';
import type { EventLog, NewRecord } from '@seamstream/event-log';
import { clientIn, DEFAULT_TENANT, encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import { count, derivedId, plural, SeamError } from '@seamstream/kernel';
import { readRecords, storedRanges } from '@seamstream/log-reader';
import { type DatasetFile, problemIdOf } from './dataset-file.js';

/** Records appended in one transaction: an interrupted publication has published whole steps and can be continued. */
export const APPEND_RECORDS = 500;

export type PublishMode = 'explore' | 'deploy';

/** Who publishes. */
export interface PublishedFrom {
  /** The program, where it is not the command line. */
  readonly source?: string;
  /** Whose problems they are; the default tenant's where it is absent. */
  readonly tenant?: string;
  /** W3C trace context of the request. */
  readonly traceparent?: string | null;
  /** The person, as they stated. */
  readonly by?: string | null;
}

/**
 * An id that a row brings is its tenant's own word: two tenants that choose the same one have two problems, and neither learns of the other's.
 * The default tenant's ids are as they are written, as they always were.
 */
export function ownIdIn(tenant: string, own: string | undefined): string | undefined {
  return own === undefined || tenant === DEFAULT_TENANT ? own : derivedId(clientIn(tenant, own), 'problem');
}

/** The event's record. Ids and time are arguments, so the same row gives the same bytes but for the time. */
export function problemRecord(
  problem: DatasetProblem | UngradedProblem,
  problemId: string,
  mode: PublishMode,
  nowMs: number,
  { source = 'seam/cli', tenant = DEFAULT_TENANT, traceparent = null, by = null }: PublishedFrom = {},
): NewRecord {
  const { domain, prompt, reference, verifier, metadata, subject, expiresAt } = problem;
  return encodeEvent({
    type: 'ProblemPublished',
    task: problem.task ?? null,
    // A problem with a verifier has a reference as well (DatasetProblem): its answers are judged at once and wait for no feedback.
    feedbackWithinMs: problem.verifier === null ? (problem.feedbackWithinMs ?? null) : null,
    meta: originMeta({
      messageId: derivedId(problemId, 'published'),
      correlationId: problemId,
      source,
      occurredAt: nowMs,
      sourceClass: 'user',
      subject: subject ?? null,
      tenant,
      traceparent,
    }),
    problem: { problemId, domain, prompt, reference, verifier, metadata },
    publishedBy: by,
    mode: problem.mode ?? mode,
    expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
  });
}

/**
 * Those of the given ids that problems in the log have. Every record's key is looked at, as it is the problem's id; what is
 * kept in memory is what was asked for. A million problems take some 2 to 5 s on LMDB (docs/explanation/scale.md).
 */
export async function publishedAmong(log: EventLog, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const published = new Set<string>();
  for await (const { records } of readRecords(log, await storedRanges(log, TOPIC.problems)))
    for (const { key } of records) if (key !== null && ids.has(key)) published.add(key);
  return published;
}

/** A row that is to be published. */
export interface PublishableRow {
  readonly row: number;
  /** The id that the row brings; otherwise it follows from the file's digest and the row. */
  readonly ownId: string | undefined;
  /** By which its question is found in the log. */
  readonly questionKey: string;
  readonly mode: PublishMode;
  readonly answer: string;
  readonly expiresAt: string | undefined;
}

export interface PublicationPlan {
  /** 0: the file's first publication; n: its n-th repetition. */
  readonly pass: number;
  /** Ids of the problems that this pass has not published yet, by row. */
  readonly idOfRow: ReadonlyMap<number, string>;
}

/**
 * Which problems of a file are still to be published. A file that was published in part is continued. A file that was
 * published in full is a CONFLICT; with `again` its problems get new ids, those of the first pass that is not complete.
 * @param publishedOf those of the given ids that the log has; asked once per pass
 */
export async function planPublication(
  rows: readonly Pick<PublishableRow, 'row' | 'ownId'>[],
  { digest, unit }: Pick<DatasetFile, 'digest' | 'unit'>,
  publishedOf: (ids: ReadonlySet<string>) => Promise<ReadonlySet<string>>,
  again: boolean,
): Promise<PublicationPlan> {
  if (rows.length === 0) return { pass: 0, idOfRow: new Map() };
  for (let pass = again ? 1 : 0; ; pass++) {
    const wanted = rows.map(({ row, ownId }) => [row, ownId ?? problemIdOf(digest, row, pass)] as const);
    const published = await publishedOf(new Set(wanted.map(([, problemId]) => problemId)));
    const known = again ? rows.find(({ ownId }) => ownId !== undefined && published.has(ownId)) : undefined;
    if (known?.ownId !== undefined) {
      throw new SeamError(
        'CONFLICT',
        `Cannot publish again: expected problems without an id, which get new ids; got ${unit} ${known.row} with the id "${known.ownId}", which is in the log. Give that ${unit} another problemId, or none.`,
        { details: { row: known.row, problemId: known.ownId } },
      );
    }
    const idOfRow = new Map(wanted.filter(([, problemId]) => !published.has(problemId)));
    if (idOfRow.size > 0) return { pass, idOfRow };
    if (!again) {
      throw new SeamError(
        'CONFLICT',
        `Cannot publish ${plural(rows.length, 'problem')}: expected a file that is new to this log, but all ${count(rows.length)} are in it already. Nothing was recorded. Use --again to publish them once more under new ids.`,
        { details: { problems: rows.length, fileDigest: digest } },
      );
    }
  }
}
