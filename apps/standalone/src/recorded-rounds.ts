/** What a log says of rounds that were published before, read before any service touches it. */
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { readTopics } from '@seamstream/log-reader';
import { endedRuns, evolveLoopProgress, initialLoopProgress } from './round-progress.js';
import type { RecordedRounds } from './run-settings.js';
import type { WorkSpan } from './work-spans.js';

export interface RecordedRun extends RecordedRounds {
  /** From the first problem to the end of the last run; null without rounds. For folders that keep no times. */
  readonly span: WorkSpan | null;
}

export async function readRecordedRounds(log: EventLog): Promise<RecordedRun> {
  let progress = initialLoopProgress();
  const topics = [TOPIC.problems, TOPIC.training, TOPIC.adapters];
  for await (const { events } of readTopics(log, topics, { undecodable: 'skip' }))
    for (const { event } of events) progress = evolveLoopProgress(progress, event);
  const rounds = [...progress.rounds.values()];
  const runs = endedRuns(progress);
  const fromMs = Math.min(...rounds.map((row) => row.firstPublishedAtMs));
  return {
    streams: progress.streams,
    roundSize: Math.max(0, ...rounds.map((row) => row.published)),
    algorithms: new Set(runs.map(({ algorithm }) => algorithm).filter((name) => name !== '')),
    span:
      rounds.length === 0
        ? null
        : { fromMs, toMs: Math.max(fromMs, ...runs.map(({ endedAtMs }) => endedAtMs ?? fromMs)) },
  };
}
