/** Adapters are promoted by hand, one after the other, while generator and executor have more to do than they can work off. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import { allEventsOf, ofType } from './recorded-run.js';
import { ServiceProcesses } from './service-processes.js';
import { toyPublication } from './toy-world.js';

/** Problems in flight at least. */
const LOAD = 60;

export interface HotSwaps {
  readonly published: number;
  /** From each promotion but the first, which waits for the services' start, to the end of the first experience with it, ms. */
  readonly firstUseMs: readonly number[];
  /** Groups whose candidates are of more than one adapter. */
  readonly mixedGroups: number;
  /** DeadLettered and ExecutionFailed, of the whole log. */
  readonly failures: readonly SeamEvent[];
  readonly complaints: readonly string[];
}

/** The log has at least two promoted adapters, their objects are there, and no service is at work on it. */
export async function swapUnderLoad(log: EventLog, environment: Environment, swaps: number): Promise<HotSwaps> {
  const promotions = ofType(await allEventsOf(log, [TOPIC.adapters]), 'AdapterPromoted');
  const distinct = [...new Map(promotions.map((each) => [each.adapterDigest, each])).values()];
  if (distinct.length < 2) throw new Error(`expected two promoted adapters, got ${distinct.length}`);

  const written: EventOf<'ExperienceGenerated'>[] = [];
  const ended = new Set<string>();
  const watch = new AbortController();
  const watching = (async () => {
    const topics = [TOPIC.experiences, TOPIC.outcomes];
    for await (const records of log.follow({ topics, from: 'latest', signal: watch.signal })) {
      const events = records.map(decodeEvent);
      written.push(...ofType(events, 'ExperienceGenerated'));
      for (const { problem } of ofType(events, 'OutcomeRecorded')) ended.add(problem.problemId);
    }
  })();
  const services = new ServiceProcesses(environment, { instances: ['generator', 'executor'] });
  const firstUseMs: number[] = [];
  let published = 0;
  try {
    services.startAll();
    for (let swap = 0; swap < swaps; swap++) {
      const { adapterDigest, ...promotion } = distinct[swap % distinct.length]!;
      const meta = originMeta({
        messageId: derivedId(adapterDigest, 'promoted by hand', swap),
        correlationId: adapterDigest,
        source: 'seam/test',
        occurredAt: Date.now(),
        sourceClass: 'trusted',
      });
      const before = written.length;
      await log.append([
        encodeEvent({
          ...promotion,
          adapterDigest,
          meta,
          runId: null,
          onlyOverParent: false,
          promotedBy: 'ada',
          reason: 'swapping under load',
        }),
      ]);
      for (;;) {
        const first = written.slice(before).find((experience) => experience.adapterDigest === adapterDigest);
        if (first !== undefined) {
          firstUseMs.push(first.meta.occurredAt + first.latencyMs - meta.occurredAt);
          break;
        }
        if (published < ended.size + LOAD)
          await log.append(Array.from({ length: 8 }, () => encodeEvent(toyPublication('load', published++))));
        await pause(20);
      }
    }
    while (ended.size < published) await pause(50);
  } finally {
    watch.abort();
    await watching;
    await services.end();
  }
  const groups = [...Map.groupBy(written, ({ groupId }) => groupId).values()];
  return {
    published,
    firstUseMs: firstUseMs.slice(1),
    mixedGroups: groups.filter((group) => new Set(group.map((each) => each.adapterDigest)).size > 1).length,
    failures: ofType(await allEventsOf(log), 'DeadLettered', 'ExecutionFailed'),
    complaints: services.complaints(),
  };
}

/** Nothing failed, nothing mixed, each adapter came to its first use; the figures go to standard error. */
export function expectSwaps({ firstUseMs, published, ...faults }: HotSwaps): void {
  expect(faults).toEqual({ mixedGroups: 0, failures: [], complaints: [] });
  // The bar of one second is for an otherwise idle machine (docs/explanation/resilience.md).
  expect(Math.max(...firstUseMs)).toBeLessThan(10_000);
  process.stderr.write(`R29: from promotion to first use ${firstUseMs.join(', ')} ms; ${published} problems\n`);
}
