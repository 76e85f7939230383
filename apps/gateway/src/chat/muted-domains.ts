/** The domains that a guard has muted for what is served, as the log says up to now. The gateway draws arms, so it has to know them. */
import type { EventLog } from '@seamstream/event-log';
import { GENERATOR_SLOT, type SeamEvent, TOPIC } from '@seamstream/events';
import {
  controlShareIn,
  evolveGuards,
  evolveServedSlots,
  type GuardInForce,
  guardInForce,
  initialGuards,
  initialServedSlots,
  servedIn,
} from '@seamstream/release';
import { followTopic } from '../follow-topic.js';

export class MutedDomains {
  private guards = initialGuards();
  private slots = initialServedSlots();
  private inForce: GuardInForce | undefined;

  /** Knows all that is stored when it opens. @returns the domains, and the reading, which ends with the signal */
  static async open(log: EventLog, signal: AbortSignal): Promise<[MutedDomains, Promise<void>]> {
    const domains = new MutedDomains();
    const apply = (events: readonly SeamEvent[]): void => domains.apply(events);
    // Runs first: promotions rest on them.
    const runs = await followTopic(log, { topic: TOPIC.training, apply }, signal);
    const adapters = await followTopic(log, { topic: TOPIC.adapters, apply }, signal);
    return [domains, Promise.all([runs.reading, adapters.reading]).then(() => undefined)];
  }

  /** The probability of the control arm for a request of the domain. */
  controlShare(domain: string, unlessMuted: number): number {
    return controlShareIn(this.inForce, domain, unlessMuted);
  }

  private apply(events: readonly SeamEvent[]): void {
    for (const event of events) {
      this.slots = evolveServedSlots(this.slots, event);
      this.guards = evolveGuards(this.guards, event);
    }
    const served = servedIn(this.slots, GENERATOR_SLOT).served?.adapterDigest ?? null;
    this.inForce = guardInForce(this.guards, GENERATOR_SLOT, served);
  }
}
