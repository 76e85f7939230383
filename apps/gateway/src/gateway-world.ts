import type { Clock } from '@seamstream/kernel';
import type { Drivers, ServiceLogger, ServiceMetrics, Tracing } from '@seamstream/service-kit';
import type { GatewayConfig } from './config.js';
import type { ObservedRequests } from './http/observed-requests.js';
import { RepeatKeys } from './http/repeat-keys.js';
import { SentEvents } from './sent-events.js';

/** What controllers are given of the world. A class, so that it is its own injection token. */
export class GatewayWorld {
  readonly events: SentEvents;
  readonly repeats = new RepeatKeys();

  constructor(
    readonly config: GatewayConfig,
    readonly drivers: Drivers,
    readonly logger: ServiceLogger,
    readonly metrics: ServiceMetrics,
    /** Undefined where nothing is traced. */
    readonly tracing: Tracing | undefined,
    readonly requests: ObservedRequests,
    readonly clock: Clock,
    /** Aborts when the gateway shuts down: streams without an end (events) end then. */
    readonly closing: AbortSignal,
    /** Aborts when the time for answers under way is over. */
    readonly ending: AbortSignal,
  ) {
    this.events = new SentEvents(drivers.log, clock, tracing);
  }
}
