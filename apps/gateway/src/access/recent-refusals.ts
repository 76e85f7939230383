/** What was refused lately, as seam.usage says: the newest records, kept in memory while the gateway follows the topic. */
import type { PlacedEvent } from '@seamstream/log-reader';
import { type Act, actAt } from '@seamstream/operations/audit';

const DAY_MS = 86_400_000;
/** Each is what was counted in a minute. Of more the oldest are forgotten. */
const MOST = 1_000;

export class RecentRefusals {
  private acts: readonly Act[] = [];

  apply(placed: readonly PlacedEvent[]): void {
    const refused = placed.filter(({ event }) => event.type === 'AccessRefused').map((each) => actAt(each)!);
    if (refused.length === 0) return;
    // Partitions are read one after another, and gateways write at their own pace.
    this.acts = [...this.acts, ...refused].sort((a, b) => a.at - b.at).slice(-MOST);
  }

  /** Of the last day, the newest first: the acts that `seam audit --act refused` lists. */
  at(nowMs: number): readonly Act[] {
    return this.acts.filter(({ at }) => at > nowMs - DAY_MS).toReversed();
  }
}
