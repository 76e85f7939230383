/** What Kafka refuses for good, seen from a service: the broker says no only once a transaction is open, and each costs its claim. */
import { type Kafka, startKafka } from '@seamstream/dev-servers';
import { KafkaEventLog } from '@seamstream/event-log-kafka';
import { decodeEvent, type EventOf, encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';
import {
  commonConfigSchema,
  createServiceLogger,
  type DeliveredBatch,
  done,
  EventLogStrategy,
  type HandlerResult,
  ServiceMetrics,
} from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';

const COUNT = 12;
const CULPRIT = 'p-7';

let kafka: Kafka;

beforeAll(async () => {
  kafka = await startKafka();
}, 300_000);
afterAll(() => kafka.stop());

const { ProblemPublished } = EXAMPLE_EVENTS;

it('a record whose events the broker finds too large is the only dead letter, and no answer is asked for without end', async () => {
  const log = await KafkaEventLog.open({
    brokers: kafka.bootstrap.split(','),
    sessionTimeoutMs: 6000,
    heartbeatMs: 200,
  });
  await log.applyTopics(
    TOPICS.map(({ name }) => ({
      name,
      partitions: 1,
      config: name === TOPIC.outcomes ? { 'max.message.bytes': '8000' } : {},
    })),
  );
  await log.append(Array.from({ length: COUNT }, (_, index) => encodeEvent(problem(`p-${index}`))));
  let asked = 0;
  const consume = async ({ records }: DeliveredBatch): Promise<readonly HandlerResult[]> => {
    asked += records.length;
    return records.map(({ event }) => {
      if (event.type !== 'ProblemPublished') return done();
      const meta = { ...event.meta, messageId: derivedId(event.meta.messageId, 'expired') };
      return done([{ type: 'ProblemExpired', meta, problem: event.problem, expiredAt: 1 }]);
    });
  };
  const metrics = new ServiceMetrics();
  const service = new EventLogStrategy({
    log,
    source: 'seam/test',
    consuming: commonConfigSchema.parse({ consuming: { firstRetryMs: 20 } }).consuming,
    metrics,
    logger: createServiceLogger('test', 'silent'),
  });
  const consumption = { topic: TOPIC.problems, group: 'seam.test', maxBatchRecords: 100 };
  service.addHandler('seam.test', consume, true, { consumption });
  await service.listen((error) => {
    if (error !== undefined) throw error as Error;
  });
  try {
    const isThrough = async (): Promise<boolean> =>
      (await log.committedOffsets('seam.test')).some(({ nextOffset }) => nextOffset >= COUNT);
    while (!(await isThrough())) await new Promise((resolve) => setTimeout(resolve, 50));
    const found = async (topic: string) => {
      const events = [];
      for await (const chunk of log.read({ topic, partition: 0, from: 0 })) events.push(...chunk.map(decodeEvent));
      return events;
    };
    expect((await found(TOPIC.outcomes)).map(({ meta }) => meta.correlationId).sort()).toEqual(
      Array.from({ length: COUNT }, (_, index) => `p-${index}`)
        .filter((id) => id !== CULPRIT)
        .sort(),
    );
    expect(await found(TOPIC.deadLetters)).toMatchObject([{ key: CULPRIT, code: 'RECORD_TOO_LARGE', attempts: 2 }]);
    expect(asked).toBeLessThan(COUNT * 5);
    expect(await metrics.registry.getSingleMetricAsString('seam_retries_total')).toContain('code="RECORD_TOO_LARGE"');
  } finally {
    await service.close();
    await log.close();
  }
}, 60_000);

function problem(id: string): EventOf<'ProblemPublished'> {
  // Chance, as a compressed batch is what a broker measures.
  const random = Random.of('refused-commits', id);
  const letters = Array.from({ length: id === CULPRIT ? 20_000 : 20 }, () => random.float().toString(36)[5] ?? '-');
  return {
    ...ProblemPublished,
    meta: { ...ProblemPublished.meta, messageId: derivedId(id, 'problem'), correlationId: id },
    problem: { ...ProblemPublished.problem, problemId: id, prompt: letters.join('') },
  };
}
