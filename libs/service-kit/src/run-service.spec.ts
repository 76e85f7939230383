import { Controller, Module } from '@nestjs/common';
import { InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { commonConfigSchema } from './config/common-config.js';
import { type RunningService, startService } from './run-service.js';
import { ConsumeTopic } from './transport/consume-topic.decorator.js';
import { done, type Outcome, stop } from './transport/outcome.js';

const config = commonConfigSchema.parse({ logging: { level: 'silent' } });
let answer: Outcome = done();

@Controller()
class QuietConsumer {
  @ConsumeTopic({ topic: TOPIC.problems, group: 'seam.quiet', maxBatchRecords: 10 })
  async consume(): Promise<Outcome> {
    return answer;
  }
}

@Module({ controllers: [QuietConsumer] })
class QuietModule {}

async function serve(): Promise<{
  log: InMemoryEventLog;
  service: RunningService;
  get: (path: string) => Promise<Response>;
}> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  const service = await startService(
    { name: 'quiet', module: () => ({ module: QuietModule }) },
    { config, drivers: { log, objects: new InMemoryObjectStore() }, serveHttp: true },
  );
  return { log, service, get: (path) => fetch(`${service.url}${path}`) };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const giveUp = Date.now() + 4_000;
  while (!(await condition())) {
    if (Date.now() > giveUp) throw new Error('the awaited condition did not come about within 4 s');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('a running service', () => {
  it('is live and ready on a free port, reports its lag and its metrics, and ends orderly', async () => {
    answer = done();
    const { log, service, get } = await serve();
    try {
      expect(await (await get('/health/live')).json()).toEqual({ status: 'ok' });
      await log.append([{ topic: TOPIC.problems, key: 'a', value: Buffer.from('garbage') }]);
      await until(async () => (await log.committedOffsets('seam.quiet')).length === 1);
      const ready = await get('/health/ready');
      expect(ready.status).toBe(200);
      expect(await ready.json()).toMatchObject({
        status: 'ok',
        checks: {
          eventLog: { status: 'up', topics: TOPICS.length },
          subscriptions: { status: 'up', 'seam.quiet': { lag: 0, topic: TOPIC.problems } },
        },
      });
      const metrics = await (await get('/metrics')).text();
      expect(metrics).toContain('seam_dead_letters_total{group="seam.quiet",code="MALFORMED_RECORD"} 1');
      expect(metrics).toMatch(/seam_consumer_lag\{group="seam.quiet",topic="seam.problems",partition="0"\} 0/);
    } finally {
      await service.close();
    }
    await expect(service.ended).resolves.toBeUndefined();
    await expect(get('/health/live')).rejects.toThrow();
  });

  it('is no longer ready once its subscription has ended, and says why', async () => {
    answer = stop('CONFLICT', 'wrong executor');
    const { log, service, get } = await serve();
    try {
      await log.append([
        encodeEvent({
          type: 'ProblemPublished',
          meta: originMeta({
            messageId: 'm',
            correlationId: 'p',
            source: 'seam/test',
            occurredAt: 1,
            sourceClass: 'trusted',
          }),
          problem: {
            problemId: 'p',
            domain: 'd',
            prompt: 'q',
            reference: 'r',
            verifier: { kind: 'exact', version: '1', options: {} },
            metadata: {},
          },
          mode: 'deploy',
          expiresAt: null,
        }),
      ]);
      await expect(service.ended).rejects.toMatchObject({ code: 'CONFLICT' });
      const ready = await get('/health/ready');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        status: 'error',
        checks: {
          subscriptions: { status: 'down', reason: 'the subscription of group seam.quiet to seam.problems has ended' },
        },
      });
    } finally {
      await service.close();
    }
  });
});
