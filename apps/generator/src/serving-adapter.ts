/**
 * The adapter that this generator serves. Follows seam.adapters; a promoted adapter is fetched, its digest measured, and
 * the model that carries it must answer the fingerprint probe as the promotion says. One that does not is refused loudly
 * and the one before goes on serving: a wrong swap would poison everything that is learned from here on.
 */

import type { EventLog } from '@seamstream/event-log';
import { decodeEvent, TOPIC } from '@seamstream/events';
import { type ErrorCode, isSeamError, messageOf } from '@seamstream/kernel';
import { type Adapter, decodeAdapter, sameFingerprint } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import { evolveServedAdapter, initialServedAdapter, type ServedAdapter } from '@seamstream/release';
import type { ServiceLogger } from '@seamstream/service-kit';

/** The part of a language model that proves which weights it computes with. */
export type ProvableModel = {
  /** Of the base model. */
  readonly digest: string;
} & (
  | { fingerprint(adapter?: Adapter): Promise<string> }
  /** Of a model that computes elsewhere and to other digits. @throws ADAPTER_INVALID where the adapter is not applied */
  | { prove(adapter: Adapter): Promise<void> }
);

export interface ServingAdapterDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly model: ProvableModel;
  readonly logger: ServiceLogger;
  /** Called once per refusal, for a metric. */
  readonly onRefused: () => void;
}

/** Faults of the adapter, not of the world: trying again brings the same. */
const FAULTS_OF_THE_ADAPTER: readonly ErrorCode[] = [
  'OBJECT_NOT_FOUND',
  'OBJECT_CORRUPT',
  'ADAPTER_INVALID',
  'SHAPE_MISMATCH',
  'NON_FINITE',
  'UNSUPPORTED_MODEL',
];

export class ServingAdapter {
  private told = initialServedAdapter();
  private readonly nextOffsets = new Map<number, number>();
  private serving: Adapter | null = null;
  private refused: { readonly adapterDigest: string; readonly reason: string } | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: ServingAdapterDependencies) {}

  /** What is served and what was refused, for an operator. */
  status(): { readonly serving: string | null; readonly refused: string | null } {
    return { serving: this.serving?.digest ?? null, refused: this.refused?.adapterDigest ?? null };
  }

  /**
   * Reads seam.adapters to its end and returns the adapter to use from now on; null is the bare base model. Callers use
   * what they were given for their whole batch, so no batch mixes two.
   */
  catchUp(): Promise<Adapter | null> {
    const result = this.turn.then(() => this.follow());
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async follow(): Promise<Adapter | null> {
    const { log, logger } = this.dependencies;
    for (const { partition, low, high } of await log.watermarks(TOPIC.adapters)) {
      const from = this.nextOffsets.get(partition) ?? low;
      if (from >= high) continue;
      for await (const records of log.read({ topic: TOPIC.adapters, partition, from, to: high })) {
        for (const record of records) {
          try {
            this.told = evolveServedAdapter(this.told, decodeEvent(record));
          } catch (error) {
            logger.error(
              { topic: TOPIC.adapters, partition, offset: record.offset, reason: messageOf(error) },
              'record about adapters cannot be read and is passed over',
            );
          }
          this.nextOffsets.set(partition, record.offset + 1);
        }
      }
      // What follows the last record may be no record (a transaction's end): it is not asked for again.
      this.nextOffsets.set(partition, high);
    }
    const wanted = this.told.served;
    if (wanted?.adapterDigest === this.refused?.adapterDigest && wanted !== null) return this.serving;
    if ((wanted?.adapterDigest ?? null) !== (this.serving?.digest ?? null)) await this.swap(wanted);
    return this.serving;
  }

  private async swap(wanted: ServedAdapter | null): Promise<void> {
    const { logger } = this.dependencies;
    const from = this.serving?.digest ?? null;
    try {
      this.serving = wanted === null ? null : await this.proven(wanted);
      this.refused = undefined;
      logger.info({ from, to: wanted?.adapterDigest ?? null }, 'adapter swapped');
    } catch (error) {
      if (
        wanted === null ||
        !(error instanceof ProbeMismatch || (isSeamError(error) && FAULTS_OF_THE_ADAPTER.includes(error.code)))
      )
        throw error;
      this.refused = { adapterDigest: wanted.adapterDigest, reason: messageOf(error) };
      this.dependencies.onRefused();
      logger.error(
        { refused: wanted.adapterDigest, serving: from, reason: messageOf(error) },
        'promoted adapter REFUSED; the one before goes on serving',
      );
    }
  }

  private async proven({ adapterDigest, key, fingerprint }: ServedAdapter): Promise<Adapter> {
    const { objects, model } = this.dependencies;
    const adapter = decodeAdapter(await objects.get(key), { digest: adapterDigest, baseModelDigest: model.digest });
    if ('prove' in model) {
      await model.prove(adapter);
      return adapter;
    }
    const measured = await model.fingerprint(adapter);
    if (!sameFingerprint(measured, fingerprint)) {
      throw new ProbeMismatch(
        `Swapping to adapter ${adapterDigest}: its promotion says that the probe is answered with ${fingerprint}, this model answers ${measured}. Compare model folders and processors of trainer and generator.`,
      );
    }
    return adapter;
  }
}

class ProbeMismatch extends Error {}
