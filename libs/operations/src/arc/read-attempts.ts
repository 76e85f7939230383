/** The attempts at tasks on grids that a log holds. */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, isGraded, TOPIC } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { type ReadingProgress, readEvents, storedRanges } from '@seamstream/log-reader';
import { changesBy, MemoryCells } from '@seamstream/read-models';
import type { RecordedAttempt } from './grid-report.js';

/** Of several verdicts on a candidate the one that the ledger counts. Attempts whose problem's content is not in the log are left out. */
export async function readGridAttempts(
  log: EventLog,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (total: number) => ReadingProgress },
): Promise<readonly RecordedAttempt[]> {
  const ranges = await storedRanges(log, TOPIC.outcomes);
  const bar = progress(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  const contents = new ProblemContents(log);
  const cells = new MemoryCells();
  const counting = new Map<string, RecordedAttempt>();
  try {
    for await (const { events, records } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      const outcomes = events
        .map(({ event }) => event)
        .filter((event): event is EventOf<'OutcomeRecorded'> => event.type === 'OutcomeRecorded')
        .filter(({ problem }) => problem.verifier?.kind === 'grid');
      const problems = await contents.find(outcomes.map(({ problem }) => problem));
      for (const [index, outcome] of outcomes.entries()) {
        const problem = problems[index];
        if (problem === undefined || !isGraded(problem)) continue;
        const { problemId, metadata, reference } = problem;
        const { entry, response, meta } = outcome;
        for (const [id, by] of changesBy(cells, outcome, meta.messageId)) {
          if (by < 0) counting.delete(id);
          else counting.set(id, { problemId, metadata, reference, entry, response });
        }
      }
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
  return [...counting.values()];
}
