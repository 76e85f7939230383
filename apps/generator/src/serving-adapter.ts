/**
 * The adapter that this generator serves. Follows seam.adapters, and of seam.training what its decisions
 * rest on; a promoted adapter is fetched, its digest measured, and
 * the model that carries it must answer the fingerprint probe as the promotion says. One that does not is refused loudly
 * and the one before keeps serving: a wrong swap would poison everything that is learned from here on.
 */

import { type EventLog, partitionName } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { isSeamError, messageOf } from '@seamstream/kernel';
import { type Adapter, sameFingerprint, type TrainableSettings } from '@seamstream/language-model';
import { readEvents } from '@seamstream/log-reader';
import type { ObjectStore } from '@seamstream/object-store';
import {
  evolveGuards,
  evolveReleases,
  evolveServedAdapter,
  type GuardInForce,
  type GuardsState,
  guardInForce,
  initialGuards,
  initialReleases,
  initialServedAdapter,
  type ReleasesState,
  runningIn,
  type ServedAdapter,
  type ServedAdapterState,
} from '@seamstream/release';
import { decodeServed, type Served, weightsOf } from '@seamstream/rollout';
import type { RationedLines, ServiceLogger } from '@seamstream/service-kit';
import type { RunningStage } from './release-draw.decide.js';

/** The part of a language model that proves which weights it computes with. */
export type ProvableModel = {
  /** Of the base model. */
  readonly digest: string;
} & (
  | { fingerprint(adapter?: Adapter): Promise<string> }
  /** Of a model that computes elsewhere and to other digits. @throws ADAPTER_INVALID where it answers otherwise than the fingerprint says */
  | { prove(adapter: Adapter, fingerprint: string): Promise<void> }
);

export interface ServingAdapterDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly model: ProvableModel;
  /** Only what is promoted for it is served. */
  readonly slot: string;
  /** What tensors an adapter of given settings must have; undefined of doubles, which have none. */
  readonly shapesFor: ((settings: TrainableSettings) => ReadonlyMap<string, readonly number[]>) | undefined;
  readonly logger: ServiceLogger;
  /** For what is said of records about adapters. */
  readonly lines: RationedLines;
  /** Called once per refusal, for a metric. */
  readonly onRefused: () => void;
  /** Called once per promotion or rollback that the log does not bear out. */
  readonly onUnfounded: () => void;
}

/** The world failed, and may do better later. All else is the adapter's fault: trying again brings the same. */
function isOutage(error: unknown): boolean {
  return (
    isSeamError(error) &&
    error.code !== 'OBJECT_NOT_FOUND' &&
    (error.retryable || error.details.halts === true || /^(LOG|OBJECT_STORE|ENDPOINT)_/.test(error.code))
  );
}

type FollowedTopic = typeof TOPIC.adapters | typeof TOPIC.training;

interface Stretch {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** What writes entries now. */
export interface Serving {
  /** Null is the bare base model. */
  readonly adapter: Served | null;
  /** A release whose candidate may write as well; null where none is tried, or its candidate cannot be served. */
  readonly trial: (RunningStage & { readonly candidate: Served }) | null;
  /** What is muted of the served adapter; undefined where the slot is not guarded. */
  readonly guard: GuardInForce | undefined;
}

export class ServingAdapter {
  private told: ServedAdapterState;
  private releases: ReleasesState = initialReleases();
  private guards: GuardsState = initialGuards();
  /** Of the last release that was tried; refused: null. */
  private candidate: { readonly digest: string; readonly served: Served | null } | undefined;
  /** By topic/partition. */
  private readonly nextOffsets = new Map<string, number>();
  private readonly toldRefused = new WeakSet<object>();
  private serving: Served | null = null;
  private refused: { readonly adapterDigest: string; readonly reason: string } | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: ServingAdapterDependencies) {
    this.told = initialServedAdapter(dependencies.slot);
  }

  /** What is served and what was refused, for an operator. */
  status(): { readonly serving: string | null; readonly refused: string | null } {
    return { serving: this.serving?.digest ?? null, refused: this.refused?.adapterDigest ?? null };
  }

  /**
   * Reads seam.adapters to its end and returns what to use from now on. Callers use what they were given for their whole batch, so that all
   * problems of a batch are drawn by one stage.
   */
  catchUp(): Promise<Serving> {
    const result = this.turn.then(() => this.follow());
    this.turn = result.catch(() => undefined);
    return result;
  }

  /** Logs for an operator that a release's candidate did not write. */
  candidateFailed(digest: string, error: unknown): void {
    const reason = messageOf(error);
    this.dependencies.lines.error(
      'candidate',
      { digest, reason },
      'candidate of a release cannot write; its parent does',
    );
  }

  private async follow(): Promise<Serving> {
    await this.followServed();
    const guard = guardInForce(this.guards, this.told.slot, this.serving?.digest ?? null);
    return { adapter: this.serving, trial: await this.trial(), guard };
  }

  /** The release that is tried, where its parent is what is served and its candidate proves itself as a promoted one would. */
  private async trial(): Promise<Serving['trial']> {
    const release = runningIn(this.releases, this.told.slot);
    const planned = release?.plan.stages[release.stage];
    if (release === undefined || planned === undefined || planned.kind === 'validation') return null;
    const { releaseId, candidate: digest, parent } = release.event;
    // A pin freezes what writes.
    if (parent !== (this.serving?.digest ?? null) || this.told.pin !== null) return null;
    if (this.candidate?.digest !== digest) this.candidate = await this.openCandidate(digest);
    const candidate = this.candidate?.served ?? null;
    return candidate === null ? null : { releaseId, stage: release.stage, planned, candidate };
  }

  /** Undefined where another try may find it: a candidate must not stop its parent. */
  private async openCandidate(digest: string): Promise<typeof this.candidate> {
    const published = this.told.published.findLast(({ adapterDigest }) => adapterDigest === digest);
    try {
      return { digest, served: published === undefined ? null : await this.proven(published) };
    } catch (error) {
      if (isOutage(error) || isSeamError(error, 'OBJECT_NOT_FOUND')) {
        const reason = messageOf(error);
        this.dependencies.lines.warn('candidate', { digest, reason }, 'candidate of a release cannot be opened yet');
        return undefined;
      }
      this.dependencies.onRefused();
      this.dependencies.logger.error(
        { refused: digest, reason: messageOf(error) },
        'candidate of a release REFUSED; its parent writes alone',
      );
      return { digest, served: null };
    }
  }

  private async followServed(): Promise<void> {
    const adapters = await this.unread(TOPIC.adapters);
    if (adapters.length > 0 || this.hasRefused()) {
      // What a promotion rests on was recorded before it: the ends of these are looked up after the ends of those.
      await this.read(TOPIC.training, await this.unread(TOPIC.training));
      await this.read(TOPIC.adapters, adapters);
      this.tellRefused();
    }
    const wanted = this.told.served;
    if (wanted?.adapterDigest === this.refused?.adapterDigest && wanted !== null) return;
    if ((wanted?.adapterDigest ?? null) !== (this.serving?.digest ?? null)) await this.swap(wanted);
  }

  private hasRefused(): boolean {
    return this.told.decisions.some(({ status }) => status === 'refused');
  }

  private async unread(topic: FollowedTopic): Promise<readonly Stretch[]> {
    const watermarks = await this.dependencies.log.watermarks(topic);
    return watermarks
      .map(({ partition, low, high }) => ({
        partition,
        from: this.nextOffsets.get(partitionName(topic, partition)) ?? low,
        to: high,
      }))
      .filter(({ from, to }) => from < to);
  }

  private async read(topic: FollowedTopic, stretches: readonly Stretch[]): Promise<void> {
    const { log } = this.dependencies;
    for (const { partition, from, to } of stretches) {
      const place = partitionName(topic, partition);
      const chunks = readEvents(log, [{ topic, partition, from, to }], {
        undecodable: ({ offset }, { code, message }) =>
          this.dependencies.lines.error(
            code,
            { topic, partition, offset, reason: message },
            'record about adapters cannot be read and is passed over',
          ),
      });
      for await (const { events, records } of chunks) {
        for (const { event } of events) {
          this.told = evolveServedAdapter(this.told, event);
          if (!('slot' in event) || event.slot !== this.told.slot) continue;
          this.releases = evolveReleases(this.releases, event, this.told);
          this.guards = evolveGuards(this.guards, event);
        }
        const last = records.at(-1);
        if (last !== undefined) this.nextOffsets.set(place, last.offset + 1);
      }
      // What follows the last record may be no record (a transaction's end): it is not asked for again.
      this.nextOffsets.set(place, to);
    }
  }

  /** Once each: decisions about adapters that nothing in the log bears out. */
  private tellRefused(): void {
    for (const { event, status, reason } of this.told.decisions) {
      if (status !== 'refused' || this.toldRefused.has(event)) continue;
      this.toldRefused.add(event);
      this.dependencies.onUnfounded();
      const { type, adapterDigest, meta } = event;
      this.dependencies.lines.error(
        type,
        { decision: type, messageId: meta.messageId, source: meta.source, adapterDigest, reason },
        'decision about adapters NOT BELIEVED; the adapter before it keeps serving',
      );
    }
  }

  private async swap(wanted: ServedAdapter | null): Promise<void> {
    const { logger } = this.dependencies;
    const from = this.serving?.digest ?? null;
    try {
      this.serving = wanted === null ? null : await this.proven(wanted);
      this.refused = undefined;
      logger.info({ from, to: wanted?.adapterDigest ?? null }, 'adapter swapped');
    } catch (error) {
      if (wanted === null || isOutage(error)) throw error;
      this.refused = { adapterDigest: wanted.adapterDigest, reason: messageOf(error) };
      this.dependencies.onRefused();
      logger.error(
        { refused: wanted.adapterDigest, serving: from, reason: messageOf(error) },
        'promoted adapter REFUSED; the one before keeps serving',
      );
    }
  }

  private async proven({ adapterDigest, key, fingerprint }: ServedAdapter): Promise<Served> {
    const { objects, model, shapesFor } = this.dependencies;
    const served = decodeServed(key, await objects.get(key), {
      digest: adapterDigest,
      baseModelDigest: model.digest,
      ...(shapesFor === undefined ? {} : { shapesFor }),
    });
    // A library leaves the weights as they are: the bare model answers the probe.
    const weights = weightsOf(served);
    if ('prove' in model) {
      if (weights !== null) await model.prove(weights, fingerprint);
      return served;
    }
    const measured = await model.fingerprint(weights ?? undefined);
    if (!sameFingerprint(measured, fingerprint)) {
      throw new ProbeMismatch(
        `Swapping to adapter ${adapterDigest}: its promotion says that the probe is answered with ${fingerprint}, this model answers ${measured}. Compare model folders and processors of trainer and generator.`,
      );
    }
    return served;
  }
}

class ProbeMismatch extends Error {}
