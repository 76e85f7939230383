/** How far a stage has come: the agents' weights as they are by now, and what their updates came to. Saved after each agent. */
import { SeamError } from '@seamstream/kernel';
import { type Adapter, decodeAdapter, encodeAdapter } from '@seamstream/language-model';
import type { Resumable } from '@seamstream/training-runs';
import { z } from 'zod';
import type { TeamRollout } from './team-rollout.js';
import type { AgentUpdate } from './update-agent.js';

const updateSchema = z.strictObject({
  place: z.int(),
  distance: z.number(),
  /** That it rests on. */
  rollouts: z.int(),
  reward: z.number(),
  backtracks: z.int(),
  isGivenUp: z.boolean(),
});

const headSchema = z.strictObject({
  updates: z.array(updateSchema),
  sampled: z.array(z.tuple([z.int(), z.int()])),
  apart: z.array(z.tuple([z.int(), z.int()])).default([]),
  /** By place: digest, and bytes in what follows the head; null is the bare base model. */
  adapters: z.array(z.strictObject({ digest: z.string(), bytes: z.int() }).nullable()),
});

export type UpdateFigures = z.infer<typeof updateSchema>;

export class StageState implements Resumable {
  /** In the order of the team. */
  adapters: (Adapter | null)[];
  /** In the order in which the agents were updated. */
  updates: UpdateFigures[] = [];
  /** Rollouts, by batch. */
  sampled = new Map<number, number>();
  /** Rollouts that count nowhere, by batch: different revisions of a judge gave the rewards that they would be compared with. */
  apart = new Map<number, number>();
  readonly batches = new Map<number, readonly TeamRollout[]>();
  newestBatch = 0;

  constructor(before: readonly (Adapter | null)[]) {
    this.adapters = [...before];
  }

  /** Agents that are done. */
  get steps(): number {
    return this.updates.length;
  }

  keep(batch: number, rollouts: readonly TeamRollout[]): readonly TeamRollout[] {
    this.batches.set(batch, rollouts);
    this.sampled.set(batch, rollouts.length);
    return rollouts;
  }

  /** @param apart its rollouts that count nowhere */
  note(batch: number, apart: number): void {
    this.newestBatch = batch;
    this.apart.set(batch, apart);
  }

  accept(place: number, update: AgentUpdate, batch: { readonly rollouts: number; readonly reward: number }): void {
    this.adapters[place] = update.adapter;
    this.updates.push({
      ...{ place, distance: update.distance, ...batch },
      backtracks: update.passes.filter(({ decision }) => decision === 'taken back').length,
      isGivenUp: update.passes.some(({ decision }) => decision === 'given up'),
    });
  }

  async saveState(): Promise<Uint8Array> {
    const bodies = this.adapters.map((adapter) => (adapter === null ? null : encodeAdapter(adapter)));
    const head = Buffer.from(
      JSON.stringify({
        updates: this.updates,
        sampled: [...this.sampled],
        apart: [...this.apart],
        adapters: bodies.map((body, place) => body && { digest: this.adapters[place]!.digest, bytes: body.length }),
      }),
    );
    const size = Buffer.alloc(4);
    size.writeUInt32LE(head.length);
    return Buffer.concat([size, head, ...bodies.filter((body) => body !== null)]);
  }

  /** @throws CHECKPOINT_INVALID for what {@link saveState} did not write; the state is as it was */
  async restoreState(bytes: Uint8Array): Promise<void> {
    try {
      const whole = Buffer.from(bytes);
      let at = 4 + whole.readUInt32LE(0);
      const head = headSchema.parse(JSON.parse(whole.subarray(4, at).toString('utf8')));
      const adapters = head.adapters.map((named) => {
        if (named === null) return null;
        const adapter = decodeAdapter(whole.subarray(at, at + named.bytes), { digest: named.digest });
        at += named.bytes;
        return adapter;
      });
      if (adapters.length !== this.adapters.length) throw new Error(`it has ${adapters.length} agents`);
      this.adapters = adapters;
      this.updates = head.updates;
      this.sampled = new Map(head.sampled);
      this.apart = new Map(head.apart);
    } catch (cause) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Cannot restore a stage: expected a state of ${this.adapters.length} agents, got other bytes (${cause instanceof Error ? cause.message : String(cause)}). The stage begins again.`,
        { cause },
      );
    }
  }
}
