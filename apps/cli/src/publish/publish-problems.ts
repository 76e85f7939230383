/** Turns a checked problem file into records of the log, each problem once. */

import type { EventLog, NewRecord } from '@seamstream/event-log';
import { encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import { derivedId, SeamError } from '@seamstream/kernel';
import { count, plural } from '../terminal/text.js';
import { type ProblemDraft, problemIdOf } from './problem-lines.js';

/** Records appended in one transaction: an interrupted publication has published whole steps and can be continued. */
export const APPEND_RECORDS = 500;

/** The event's record. Ids and time are arguments, so the same file gives the same bytes but for the time. */
export function problemRecord(problem: ProblemDraft, nowMs: number): NewRecord {
  return encodeEvent({
    type: 'ProblemPublished',
    meta: originMeta({
      messageId: derivedId(problem.problemId, 'published'),
      correlationId: problem.problemId,
      source: 'seam/cli',
      occurredAt: nowMs,
      sourceClass: 'user',
      subject: problem.subject,
    }),
    problem: {
      problemId: problem.problemId,
      domain: problem.domain,
      prompt: problem.prompt,
      reference: problem.reference,
      verifier: problem.verifier,
      metadata: problem.metadata,
    },
    mode: problem.mode,
    expiresAt: problem.expiresAtMs,
  });
}

/** Ids of all problems in the log. The key of a problem's record is its id: no event is decoded. */
export async function publishedIds(log: EventLog): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { partition, low, high } of await log.watermarks(TOPIC.problems)) {
    for await (const chunk of log.read({ topic: TOPIC.problems, partition, from: low, to: high })) {
      for (const { key } of chunk) if (key !== null) ids.add(key);
    }
  }
  return ids;
}

export interface PublicationPlan {
  /** 0: the file's first publication; n: its n-th repetition. */
  readonly pass: number;
  readonly toPublish: readonly ProblemDraft[];
  /** Problems of the file that this pass has already published. */
  readonly alreadyPublished: number;
}

/**
 * Which problems of a file are still to be published. A file that was published in part is continued. A file that was
 * published in full is a CONFLICT; with `again` its problems get new ids, those of the first pass that is not complete.
 */
export function planPublication(
  problems: readonly ProblemDraft[],
  fileDigest: string,
  published: ReadonlySet<string>,
  again: boolean,
): PublicationPlan {
  if (problems.length === 0) return { pass: 0, toPublish: [], alreadyPublished: 0 };
  for (let pass = again ? 1 : 0; ; pass++) {
    const numbered = problems.map((problem) =>
      problem.ownId || pass === 0 ? problem : { ...problem, problemId: problemIdOf(fileDigest, problem.line, pass) },
    );
    const toPublish = numbered.filter(({ problemId }) => !published.has(problemId));
    const known = numbered.find(({ ownId, problemId }) => ownId && published.has(problemId));
    if (again && known !== undefined) {
      throw new SeamError(
        'CONFLICT',
        `Publishing again: expected problems without an id of their own, which get new ids; line ${known.line} brings the id "${known.problemId}", and the log holds it. Give that line another problemId, or none.`,
        { details: { line: known.line, problemId: known.problemId } },
      );
    }
    if (toPublish.length > 0) return { pass, toPublish, alreadyPublished: problems.length - toPublish.length };
    if (!again) {
      throw new SeamError(
        'CONFLICT',
        `Publishing ${plural(problems.length, 'problem')}: expected a file that is new to this log, but all ${count(problems.length)} are in it already. Nothing was recorded. Use --again to publish them once more under new ids.`,
        { details: { problems: problems.length, fileDigest } },
      );
    }
  }
}
