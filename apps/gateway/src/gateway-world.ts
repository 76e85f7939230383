import type { Clock } from '@seamstream/kernel';
import type { Drivers, ServiceLogger, ServiceMetrics } from '@seamstream/service-kit';
import type { GatewayConfig } from './config.js';

/** What controllers are given of the world. A class, so that it is its own injection token. */
export class GatewayWorld {
  constructor(
    readonly config: GatewayConfig,
    readonly drivers: Drivers,
    readonly logger: ServiceLogger,
    readonly metrics: ServiceMetrics,
    readonly clock: Clock,
    /** Aborts when the gateway shuts down: streams without an end (events) end then. */
    readonly closing: AbortSignal,
    /** Aborts when the time for answers under way is over. */
    readonly ending: AbortSignal,
  ) {}
}
