/**
 * What was refused lately, as seam.usage says: the newest records, kept in memory while the gateway follows the topic. Those of a tenant, and
 * those of no one in particular, are kept apart: a flood of one pushes out none of the others.
 */
import type { PlacedEvent } from '@seamstream/log-reader';
import { type Act, actAt, byTimeAndPlace } from '@seamstream/operations/audit';

const DAY_MS = 86_400_000;
/** Of a tenant, and of requests without a known client. Each is what was counted in a minute. Of more the oldest are forgotten. */
const MOST = 500;
/** Of more, that whose last refusal is the oldest is forgotten. So all take some tens of megabytes at most. */
const MOST_TENANTS = 200;

export class RecentRefusals {
  /** By tenant; those of unknown clients without one. Each the oldest first. */
  private readonly acts = new Map<string | null, readonly Act[]>();

  apply(placed: readonly PlacedEvent[]): void {
    const refused = placed.filter(({ event }) => event.type === 'AccessRefused').map((each) => actAt(each)!);
    for (const [tenant, added] of Map.groupBy(refused, ({ by, tenant: of }) => (by === null ? null : of))) {
      // Partitions are read one after another, and gateways write at their own pace.
      const acts = [...(this.acts.get(tenant) ?? []), ...added].sort(byTimeAndPlace);
      this.acts.set(tenant, acts.slice(-MOST));
    }
    if (this.acts.size > MOST_TENANTS) this.forgetTenants();
  }

  /** Of the last day, the newest first: the acts that `seam audit --act refused` lists. @param tenant whose they are; absent: all */
  at(nowMs: number, tenant?: string): readonly Act[] {
    const kept = tenant === undefined ? [...this.acts.values()] : [this.acts.get(tenant), this.acts.get(null)];
    return kept
      .flatMap((acts) => acts ?? [])
      .filter((act) => act.at > nowMs - DAY_MS && (tenant === undefined || act.tenant === tenant))
      .sort((a, b) => byTimeAndPlace(b, a));
  }

  private forgetTenants(): void {
    const byLast = [...this.acts].sort(([, a], [, b]) => b.at(-1)!.at - a.at(-1)!.at);
    for (const [tenant] of byLast.slice(MOST_TENANTS)) if (tenant !== null) this.acts.delete(tenant);
  }
}
