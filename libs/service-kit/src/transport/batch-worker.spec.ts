/** What is known of a partition goes with the claim on it, unless a failure is under way. */
import { InMemoryEventLog, type RecordBatch } from '@seamstream/event-log';
import { encodeEvent, TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { BatchWorker } from './batch-worker.js';
import { done } from './handler-result.js';

class RefusingLog extends InMemoryEventLog {
  isRefusing = false;
  commits = 0;

  override async transact(): ReturnType<InMemoryEventLog['transact']> {
    if (this.isRefusing) throw new SeamError('LOG_UNAVAILABLE', 'the commit got lost');
    this.commits++;
    return [];
  }
}

it('of partitions that were taken away nothing is kept, whether they were at work or idle', async () => {
  const worker = workerOf(await logOf());
  const kept = new AbortController();
  await worker.work(batchOf(0, kept), kept.signal);
  for (let partition = 1; partition < 64; partition++) {
    const claim = new AbortController();
    const batch = batchOf(partition, claim);
    if (partition % 2 === 0) await worker.work(batch, claim.signal);
    const working = partition % 2 === 0 ? undefined : worker.work(batch, claim.signal);
    claim.abort();
    await working;
  }
  expect(worker.places).toEqual([`${TOPIC.problems}/0`]);
});

it('a commit that cost its claim is known under the next claim, and forgotten once it succeeds', async () => {
  const log = await logOf();
  const worker = workerOf(log);
  const [first, second] = [new AbortController(), new AbortController()];
  log.isRefusing = true;
  const working = worker.work(batchOf(3, first), first.signal);
  await new Promise((resolve) => setTimeout(resolve, 20));
  first.abort();
  await working;
  expect(worker.places).toEqual([`${TOPIC.problems}/3`]);
  log.isRefusing = false;
  await worker.work(batchOf(3, second), second.signal);
  expect(log.commits).toBe(1);
  second.abort();
  expect(worker.places).toEqual([]);
});

function workerOf(log: RefusingLog): BatchWorker {
  const nothing = (): void => undefined;
  return new BatchWorker(
    {
      log,
      group: 'g',
      source: 'seam/test',
      maxAttempts: 5,
      firstRetryMs: 1,
      maxRetryMs: 1,
      answersIn: { topics: [], recognise: () => () => true },
      clock: { now: () => 0 },
      observer: {
        committed: nothing,
        deadLettered: nothing,
        retried: nothing,
        fenced: nothing,
        passedOver: nothing,
        notBelieved: nothing,
        underWay: nothing,
      },
    },
    async ({ records }) => records.map(() => done()),
  );
}

function batchOf(partition: number, claim: AbortController): RecordBatch {
  const record = { ...encodeEvent(EXAMPLE_EVENTS.ProblemPublished), partition, offset: 0, headers: {}, timestampMs: 0 };
  return {
    topic: TOPIC.problems,
    partition,
    records: [record],
    claim: { group: 'g', memberId: 'm', token: claim },
    signal: claim.signal,
  };
}

async function logOf(): Promise<RefusingLog> {
  const log = new RefusingLog();
  await log.createTopics([{ name: TOPIC.problems, partitions: 64 }]);
  return log;
}
