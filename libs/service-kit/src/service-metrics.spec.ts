import { InMemoryEventLog, type NewRecord } from '@seamstream/event-log';
import { ManualClock } from '@seamstream/kernel';
import { ServiceMetrics } from './service-metrics.js';

/** A log that answers like a broker in an outage while `outage` says so. */
class FallibleLog extends InMemoryEventLog {
  outage: 'none' | 'fails' | 'hangs' = 'none';
  questions = 0;

  override async watermarks(topic: string): ReturnType<InMemoryEventLog['watermarks']> {
    this.questions += 1;
    if (this.outage === 'fails') throw new Error('no broker');
    if (this.outage === 'hangs') await new Promise(() => undefined);
    return super.watermarks(topic);
  }
}

async function watched(): Promise<{ log: FallibleLog; metrics: ServiceMetrics }> {
  const log = new FallibleLog();
  await log.createTopics([{ name: 'seam.problems', partitions: 1 }]);
  await log.append([{ topic: 'seam.problems', key: 'a', value: Buffer.from('record') }]);
  const metrics = new ServiceMetrics();
  metrics.watchLag('seam.quiet', 'seam.problems', log);
  metrics.retries.inc({ group: 'seam.quiet', code: 'LOG_UNAVAILABLE' });
  return { log, metrics };
}

const record = (partition: number, timestampMs: number): NewRecord => ({
  ...{ topic: 'seam.problems', partition, timestampMs, key: null, value: null },
});

const LAG = 'seam_consumer_lag{group="seam.quiet",topic="seam.problems",partition="0"} 1';
const COUNTER = 'seam_retries_total{group="seam.quiet",code="LOG_UNAVAILABLE"} 1';

describe('the metrics of a service', () => {
  it('show the lag and that the log is up, by one question', async () => {
    const { log, metrics } = await watched();
    const text = await metrics.registry.metrics();
    expect(text).toContain(LAG);
    expect(text).toMatch(/^seam_event_log_up 1$/m);
    expect(log.questions).toBe(1);
  });

  it('keep their counters when the log fails, and show no old lag', async () => {
    const { log, metrics } = await watched();
    await metrics.registry.metrics();
    log.outage = 'fails';
    const text = await metrics.registry.metrics();
    expect(text).toContain(COUNTER);
    expect(text).toMatch(/^seam_event_log_up 0$/m);
    expect(text).not.toContain('seam_consumer_lag{');
    log.outage = 'none';
    const afterwards = await metrics.registry.metrics();
    expect(afterwards).toContain(LAG);
    expect(afterwards).toMatch(/^seam_event_log_up 1$/m);
  });

  it('come within some 2 s from a log that hangs, which is not asked a second time meanwhile', async () => {
    const { log, metrics } = await watched();
    log.outage = 'hangs';
    const begun = performance.now();
    const texts = await Promise.all([metrics.registry.metrics(), metrics.registry.metrics()]);
    expect(performance.now() - begun).toBeLessThan(3_500);
    for (const text of texts) {
      expect(text).toContain(COUNTER);
      expect(text).toMatch(/^seam_event_log_up 0$/m);
      expect(text).not.toContain('seam_consumer_lag{');
    }
    expect(log.questions).toBe(1);
  });

  it('show how long the oldest record has waited of all partitions, and nothing once it is consumed', async () => {
    const clock = new ManualClock(100_000);
    const log = new InMemoryEventLog({ clock });
    await log.createTopics([{ name: 'seam.problems', partitions: 3 }]);
    const metrics = new ServiceMetrics(clock);
    metrics.watchLag('seam.quiet', 'seam.problems', log);
    const seconds = async (): Promise<string | undefined> =>
      /^seam_consumer_lag_seconds\{group="seam.quiet",topic="seam.problems"\} (\S+)$/m.exec(
        await metrics.registry.metrics(),
      )?.[1];
    expect(await seconds()).toBe('0');
    await log.append([record(1, 40_000), record(1, 20_000), record(2, 70_000)]);
    expect(await seconds()).toBe('60');
    clock.advance(5_000);
    expect(await seconds()).toBe('65');
    await log.append([record(0, 30_000)]);
    expect(await seconds()).toBe('75');
  });

  it('show a figure of the service’s own as it is when they are asked for, and none while it cannot be read', async () => {
    const metrics = new ServiceMetrics();
    const answers = [() => Promise.resolve(2), () => Promise.reject(new Error('no broker')), () => Promise.resolve(0)];
    metrics.gauge('seam_waiting', 'What waits.', () => answers.shift()!());
    expect(await metrics.registry.metrics()).toMatch(/^seam_waiting 2$/m);
    expect(await metrics.registry.metrics()).not.toMatch(/^seam_waiting \d/m);
    expect(await metrics.registry.metrics()).toMatch(/^seam_waiting 0$/m);
  });

  it('ask once for gauges that one question answers, and show none of them while it is not answered', async () => {
    const metrics = new ServiceMetrics();
    const samples = (facts: readonly string[]) => facts.map((name) => ({ labels: { name }, value: 1 }));
    const count = (facts: readonly string[]) => [{ labels: {}, value: facts.length }];
    const answers = [
      () => Promise.resolve(['a', 'b']),
      () => Promise.reject(new Error('no broker')),
      () => Promise.resolve(['b']),
    ];
    metrics.gauges<readonly string[]>(
      { name: 'seam_up', help: 'Whether.' },
      [
        { name: 'seam_each', help: 'Each.', labels: ['name'], samples },
        { name: 'seam_all', help: 'All.', labels: [], samples: count },
      ],
      () => answers.shift()!(),
    );
    const figures = async () =>
      (await metrics.registry.metrics()).split('\n').filter((line) => /^seam_(up|each|all)/.test(line));
    expect(await figures()).toEqual(['seam_up 1', 'seam_each{name="a"} 1', 'seam_each{name="b"} 1', 'seam_all 2']);
    expect(await figures()).toEqual(['seam_up 0']);
    expect(await figures()).toEqual(['seam_up 1', 'seam_each{name="b"} 1', 'seam_all 1']);
    expect(answers).toEqual([]);
  });

  it('do not call a log down that nothing was asked of', async () => {
    expect(await new ServiceMetrics().registry.metrics()).not.toMatch(/^seam_event_log_up [01]$/m);
  });
});
