/**
 * The part of `consume` that is the same for every embedded driver: which owned partition is served next, one batch of a
 * partition at a time, a bound on how many side by side, and an orderly end. A driver says which partitions the member
 * owns (`grant`, `revoke`, `drop`), that there may be something new (`wake`), and answers the three questions of
 * {@link GroupSeat}.
 *
 * A partition is idle (nothing to read when last looked), queued, or running (its handler has a batch). After the handler
 * returns the partition is read again from its committed offset; that is redelivery and progress in one rule. A partition
 * that was lost and granted again stays queued until the handler that it had before has returned.
 */
import { isSeamError, SeamError } from '@seamstream/kernel';
import type { Claim, ConsumeOptions, LogRecord, Subscription } from './event-log.js';
import { partitionName } from './partition-assignment.js';

/** What a driver knows about its member of the group. */
export interface GroupSeat {
  /** Up to `maxRecords` records from the group's committed offset on; empty when there are none. FENCED when the claim is lost. */
  fetch(topic: string, partition: number, claim: Claim, maxRecords: number): Promise<readonly LogRecord[]>;
  /** The partition is no longer worked on: another member may have it. */
  handBack(topic: string, partition: number, claim: Claim): Promise<void>;
  /** The member leaves the group with all it still owns. Called once, after the last handler returned. */
  leave(): Promise<void>;
}

interface OwnedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly claim: Claim;
  readonly controller: AbortController;
  state: 'idle' | 'queued' | 'running';
  /** Something was appended while the partition was being read: look again. */
  stale: boolean;
  /** `handBack`: another member is to have it. `lost`: another member has it already. */
  fate: 'keep' | 'handBack' | 'lost';
}

export class ConsumerLoop implements Subscription {
  readonly closed: Promise<void>;
  private readonly owned = new Map<string, OwnedPartition>();
  private readonly queue: OwnedPartition[] = [];
  /** Partitions whose handler has not returned, under any claim. */
  private readonly handled = new Set<string>();
  private ending: { error: unknown } | undefined;
  private left = false;
  private settle!: { resolve: () => void; reject: (error: unknown) => void };

  constructor(
    private readonly options: ConsumeOptions,
    private readonly seat: GroupSeat,
  ) {
    this.closed = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
  }

  /** The member owns this partition from now on. */
  grant(topic: string, partition: number, claim: Claim): void {
    if (this.ending) return;
    // It was lost in between, whether or not this member knew: under the claim before, nothing can be committed any more.
    this.drop(topic, partition);
    const entry: OwnedPartition = {
      topic,
      partition,
      claim,
      controller: new AbortController(),
      state: 'idle',
      stale: false,
      fate: 'keep',
    };
    this.owned.set(partitionName(topic, partition), entry);
    this.enqueue(entry);
  }

  /** The partition is wanted elsewhere: its work is stopped and it is handed back once its handler returned. */
  revoke(topic: string, partition: number): void {
    const entry = this.owned.get(partitionName(topic, partition));
    if (entry?.fate !== 'keep') return;
    entry.fate = 'handBack';
    entry.controller.abort(
      aborted(`partition ${topic}/${partition} goes to another member of group ${this.options.group}`),
    );
    if (entry.state !== 'running') void this.finish(entry);
  }

  /** The partition belongs to another member already; any later commit of its handler is FENCED. */
  drop(topic: string, partition: number): void {
    const entry = this.owned.get(partitionName(topic, partition));
    if (!entry || entry.fate === 'lost') return;
    entry.fate = 'lost';
    entry.controller.abort(
      aborted(`partition ${topic}/${partition} was taken over by another member of group ${this.options.group}`),
    );
    if (entry.state !== 'running') void this.finish(entry);
  }

  /** There may be new records, in the given partition or in any. */
  wake(topic?: string, partition?: number): void {
    for (const entry of this.owned.values()) {
      if (topic !== undefined && (entry.topic !== topic || entry.partition !== partition)) continue;
      if (entry.state === 'idle') this.enqueue(entry);
      else entry.stale = true;
    }
  }

  /** Ends the subscription; `closed` rejects with the error. */
  fail(error: unknown): void {
    this.end({ error });
  }

  /** The claim under which a partition is owned, if it is. */
  claimOf(topic: string, partition: number): Claim | undefined {
    return this.owned.get(partitionName(topic, partition))?.claim;
  }

  assignment(): readonly string[] {
    return [...this.owned.keys()].sort();
  }

  async close(): Promise<void> {
    this.end({ error: undefined });
    await this.closed.catch(() => undefined); // the error is for callers that await `closed`
  }

  private end(ending: { error: unknown }): void {
    if (this.ending) return;
    this.ending = ending;
    this.queue.length = 0;
    for (const entry of this.owned.values())
      entry.controller.abort(aborted(`the subscription of group ${this.options.group} closes`));
    void this.leaveWhenQuiet();
  }

  private async leaveWhenQuiet(): Promise<void> {
    if (!this.ending || this.handled.size > 0 || this.left) return;
    this.left = true;
    const { error } = this.ending;
    let leaveError: unknown;
    try {
      await this.seat.leave();
    } catch (thrown) {
      leaveError = thrown;
    }
    this.owned.clear();
    // A member that could not say goodbye (a full disk, say) is replaced when its session runs out: no reason to fail.
    if (error !== undefined) this.settle.reject(error);
    else if (leaveError !== undefined && !isSeamError(leaveError)) this.settle.reject(leaveError);
    else this.settle.resolve();
  }

  private enqueue(entry: OwnedPartition): void {
    entry.state = 'queued';
    this.queue.push(entry);
    this.dispatch();
  }

  private dispatch(): void {
    const most = this.options.maxConcurrentPartitions ?? Number.POSITIVE_INFINITY;
    while (this.handled.size < most && !this.ending) {
      const next = this.queue.findIndex(({ topic, partition }) => !this.handled.has(partitionName(topic, partition)));
      if (next < 0) return;
      const entry = this.queue.splice(next, 1)[0]!;
      if (entry.state !== 'queued') continue; // handed back while it waited
      entry.state = 'running';
      this.handled.add(partitionName(entry.topic, entry.partition));
      void this.serve(entry);
    }
  }

  private async serve(entry: OwnedPartition): Promise<void> {
    const { topic, partition, claim, controller } = entry;
    let found = 0;
    try {
      // A handler that returns at once must not starve timers and sockets of the process.
      await new Promise((resolve) => setImmediate(resolve));
      entry.stale = false;
      if (entry.fate === 'keep' && !this.ending) {
        const records = await this.seat.fetch(topic, partition, claim, this.options.maxBatchRecords);
        found = records.length;
        if (found > 0 && !controller.signal.aborted) {
          await this.options.onBatch({ topic, partition, records, claim, signal: controller.signal });
        }
      }
    } catch (error) {
      // Work that stopped because it was asked to, or whose partition is another's by now, is not a failure.
      const excused = isSeamError(error, 'FENCED') || (controller.signal.aborted && isSeamError(error, 'ABORTED'));
      if (!excused) this.end({ error });
      else if (isSeamError(error, 'FENCED') && entry.fate === 'keep') this.drop(topic, partition);
    }
    this.handled.delete(partitionName(topic, partition));
    if (this.ending) {
      void this.leaveWhenQuiet();
      return;
    }
    if (entry.fate !== 'keep') {
      entry.state = 'idle';
      void this.finish(entry);
    } else if (found > 0 || entry.stale) {
      this.enqueue(entry);
    } else {
      entry.state = 'idle';
    }
    this.dispatch();
  }

  private async finish(entry: OwnedPartition): Promise<void> {
    const name = partitionName(entry.topic, entry.partition);
    if (this.owned.get(name) !== entry) return;
    entry.state = 'idle';
    this.owned.delete(name);
    if (entry.fate !== 'handBack' || this.left) return;
    try {
      await this.seat.handBack(entry.topic, entry.partition, entry.claim);
    } catch (error) {
      if (!isSeamError(error, 'FENCED')) this.end({ error });
    }
  }
}

function aborted(reason: string): SeamError {
  return new SeamError('ABORTED', `Cannot continue: ${reason}. Stop; what was not committed is delivered again.`);
}
