/**
 * Copied problems need no new experiences, copied experiences no new outcomes: the groups that would work on them are moved
 * past those copies whose originals they had committed at the source. An ordinary commit of a member of the group, so that a
 * service which runs all the same keeps its own place.
 */
import type { ConsumedOffset, EventLog, RecordBatch } from '@seamstream/event-log';
import { GROUP, TOPIC } from '@seamstream/events';
import { originOf } from './copy-progress.js';

/** How far a group had come in a topic of the source. */
export interface DoneWork {
  readonly group: string;
  readonly topic: string;
  readonly offsets: readonly ConsumedOffset[];
}

/** What the groups that write source facts have committed. */
export async function doneAtSource(source: EventLog): Promise<readonly DoneWork[]> {
  const of = async (group: string, topic: string): Promise<DoneWork> => ({
    group,
    topic,
    offsets: (await source.committedOffsets(group)).filter((offset) => offset.topic === topic),
  });
  return Promise.all([
    of(GROUP.generator, TOPIC.problems),
    of(GROUP.executor, TOPIC.experiences),
    of(GROUP.settler, TOPIC.answers),
    of(GROUP.judge, TOPIC.feedback),
  ]);
}

/**
 * Moves each group past the copies at the front of what it has not read yet; the first record that is no copy, or whose original
 * was not done, ends it. Doing it twice changes nothing.
 */
export async function commitOffsets(
  target: EventLog,
  {
    origin,
    done,
    signal,
  }: { readonly origin: string; readonly done: readonly DoneWork[]; readonly signal: AbortSignal },
): Promise<readonly { readonly group: string; readonly records: number }[]> {
  const marked: { group: string; records: number }[] = [];
  // A log that an older release began has no answers and no feedback.
  const present = new Set((await target.topics()).map(({ name }) => name));
  for (const work of done.filter(({ topic }) => present.has(topic))) {
    const goals = await goalsOf(target, origin, work);
    await commitGoals(target, work, goals, signal);
    marked.push({ group: work.group, records: [...goals.values()].reduce((sum, { records }) => sum + records, 0) });
  }
  return marked;
}

interface Goal {
  readonly nextOffset: number;
  readonly records: number;
}

async function goalsOf(
  target: EventLog,
  origin: string,
  { group, topic, offsets }: DoneWork,
): Promise<Map<number, Goal>> {
  const committed = (await target.committedOffsets(group)).filter((offset) => offset.topic === topic);
  const goals = new Map<number, Goal>();
  for (const { partition, low } of await target.watermarks(topic)) {
    const upTo = offsets.find((offset) => offset.partition === partition)?.nextOffset ?? 0;
    const from = Math.max(low, committed.find((offset) => offset.partition === partition)?.nextOffset ?? 0);
    const goal = await frontOfCopies(target, { topic, partition, from }, { origin, upTo });
    if (goal.records > 0) goals.set(partition, goal);
  }
  return goals;
}

async function frontOfCopies(
  target: EventLog,
  place: { readonly topic: string; readonly partition: number; readonly from: number },
  { origin, upTo }: { readonly origin: string; readonly upTo: number },
): Promise<Goal> {
  let goal: Goal = { nextOffset: place.from, records: 0 };
  for await (const chunk of target.read(place)) {
    for (const record of chunk) {
      const copied = originOf(record);
      if (copied?.identity !== origin || copied.offset >= upTo) return goal;
      goal = { nextOffset: record.offset + 1, records: goal.records + 1 };
    }
  }
  return goal;
}

/** Joins the group until every goal is committed. */
async function commitGoals(
  target: EventLog,
  { group, topic }: DoneWork,
  goals: ReadonlyMap<number, Goal>,
  signal: AbortSignal,
): Promise<void> {
  if (goals.size === 0) return;
  const open = new Map(goals);
  const ended = Promise.withResolvers<undefined>();
  const subscription = await target.consume({
    group,
    topics: [topic],
    from: 'earliest',
    maxBatchRecords: 1,
    onBatch: async ({ partition, claim, signal: lost }: RecordBatch) => {
      const goal = open.get(partition);
      if (goal !== undefined) {
        const offsets = [{ topic, partition, nextOffset: goal.nextOffset }];
        await target.transact({ records: [], consumed: { claim, offsets } });
        open.delete(partition);
        if (open.size === 0) ended.resolve(undefined);
        return;
      }
      // Not ours to work on: held until the others are committed.
      await new Promise<void>((resolve) => {
        if (lost.aborted) resolve();
        else lost.addEventListener('abort', () => resolve());
      });
    },
  });
  subscription.closed.catch((error: unknown) => ended.reject(error));
  const stop = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await subscription.close();
  }
}
