import { consumerLag, type EventLog } from '@seamstream/event-log';
import { messageOf, withDeadline } from '@seamstream/kernel';
import type { EventLogStrategy } from '../transport/event-log.strategy.js';

/** One thing that must be right before a service counts as ready. */
export interface HealthCheck {
  readonly name: string;
  /** Details for the reader; throws when the service is not ready. */
  readonly check: () => Promise<Readonly<Record<string, unknown>>>;
}

/** What a service is asked by /health/ready. */
export class HealthChecks {
  readonly checks: HealthCheck[] = [];

  add(...checks: readonly HealthCheck[]): void {
    this.checks.push(...checks);
  }
}

export interface HealthReport {
  readonly status: 'ok' | 'error';
  readonly checks: Readonly<Record<string, Readonly<Record<string, unknown>> & { readonly status: 'up' | 'down' }>>;
}

/** Longest time that one check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 2_000;

/** Asks all checks side by side; one that throws or hangs makes the report an error and says why. */
export async function checkHealth(checks: readonly HealthCheck[]): Promise<HealthReport> {
  const results = await Promise.all(
    checks.map(async ({ name, check }) => {
      try {
        return [name, { status: 'up' as const, ...(await withDeadline(CHECK_TIMEOUT_MS, check())) }] as const;
      } catch (error) {
        return [name, { status: 'down' as const, reason: messageOf(error) }] as const;
      }
    }),
  );
  return {
    status: results.every(([, { status }]) => status === 'up') ? 'ok' : 'error',
    checks: Object.fromEntries<HealthReport['checks'][string]>(results),
  };
}

/** What every consuming service needs: the log answers, and each subscription runs. The lag is shown, not judged. */
export function transportChecks(log: EventLog, strategy: EventLogStrategy): readonly HealthCheck[] {
  return [
    { name: 'eventLog', check: async () => ({ topics: (await log.topics()).length }) },
    {
      name: 'subscriptions',
      check: async () => {
        const report: Record<string, unknown> = {};
        for (const { group, topic, isRunning, partitions } of strategy.subscriptions()) {
          if (!isRunning) throw new Error(`the subscription of group ${group} to ${topic} has ended`);
          const lag = [...(await consumerLag(log, group, topic)).values()].reduce((sum, each) => sum + each, 0);
          report[group] = { topic, partitions, lag };
        }
        return report;
      },
    },
  ];
}
