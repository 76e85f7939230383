/** Refused requests on the log: each minute what was counted in it, and the rest at the end. */
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, originMeta } from '@seamstream/events';
import { type Clock, newId } from '@seamstream/kernel';
import type { ServiceLogger } from '@seamstream/service-kit';
import { SOURCE } from '../source.js';
import { type CountedRefusals, RefusalCounts } from './refusal-counts.decide.js';

const EVERY_MS = 60_000;

export interface RefusalsWorld {
  readonly drivers: { readonly log: Pick<EventLog, 'append'> };
  readonly clock: Clock;
  readonly logger: Pick<ServiceLogger, 'warn'>;
}

export class Refusals {
  private readonly counts = new RefusalCounts();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly world: RefusalsWorld,
    everyMs = EVERY_MS,
  ) {
    this.timer = setInterval(() => void this.record(), everyMs).unref();
  }

  add(refused: Omit<CountedRefusals, 'requests' | 'firstAt' | 'lastAt'>): void {
    const nowMs = this.world.clock.now();
    this.counts.add({ ...refused, requests: 1, firstAt: nowMs, lastAt: nowMs });
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.record();
  }

  private async record(): Promise<void> {
    const { drivers, clock, logger } = this.world;
    const counted = this.counts.take();
    if (counted.length === 0) return;
    try {
      await drivers.log.append(counted.map((each) => recordOf(each, clock.now())));
    } catch (error) {
      // They are counted with those of the next minute.
      for (const each of counted) this.counts.add(each);
      logger.warn({ err: error }, 'refused requests could not be recorded');
    }
  }
}

function recordOf({ id, tenant, ...counted }: CountedRefusals, nowMs: number) {
  const messageId = newId();
  return encodeEvent({
    type: 'AccessRefused',
    meta: originMeta({
      ...{ messageId, correlationId: messageId, source: SOURCE, occurredAt: nowMs },
      ...{ sourceClass: 'user', subject: id, tenant },
    }),
    ...{ keyId: id, ...counted },
  });
}
