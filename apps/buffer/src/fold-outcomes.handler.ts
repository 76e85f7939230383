/**
 * Folds outcomes into one shard of the success buffer and commits a version whenever enough problems are complete. The state
 * knows no partitions (near duplicates are sought across them), so one instance works on all of them, one batch at a time.
 *
 * State in memory follows what is committed. A batch that does not begin where the state ends means that a transaction failed.
 * A batch under another claim means that another process may have worked on any partition. Then what is folded is compared
 * with what the group has committed, and restored where they differ.
 */
import type { ConsumedOffset, EventLog } from '@seamstream/event-log';
import { type EventMeta, type EventOf, type OffsetRange, originMeta, type SeamEvent, TOPIC } from '@seamstream/events';
import { Evidence, ProblemContents, withPlace } from '@seamstream/evidence';
import { type Clock, derivedId } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type DeliveredBatch,
  ensureCurrent,
  FoldPosition,
  type RationedLines,
  type ServiceLogger,
} from '@seamstream/service-kit';
import {
  type BufferDecision,
  type BufferState,
  commit,
  type EntryValidator,
  type Shard,
  shardName,
} from '@seamstream/success-buffer';
import { type BufferFold, foldAt, foldedRanges } from './buffer-fold.js';
import { type LastSnapshot, writeResumption } from './buffer-snapshots.js';
import { writeVersion } from './buffer-versions.js';
import { checkedVersions } from './committed-versions.js';
import type { BufferServiceConfig } from './config.js';
import { foldBelieved, type RefusedResult, refusedEvent } from './refused-results.js';
import { restoreFold } from './restore-fold.js';

const SOURCE = 'seam/buffer';

export interface FoldOutcomesDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly validateEntry: EntryValidator;
  readonly clock: Clock;
  readonly logger: ServiceLogger;
  /** For log lines about results that do not count. */
  readonly lines: RationedLines;
  /** `required`: a result counts only if the log bears it out. */
  readonly evidence: 'required' | 'none';
  /** Called once per result that does not count, for a metric. */
  readonly onRefused: (reason: string) => void;
}

interface Held {
  fold: BufferFold;
  /** See checkedVersions. */
  versionsCheckedTo: number;
  lastSnapshot: LastSnapshot | undefined;
  readonly evidence: Evidence | undefined;
  /** Since the last version. */
  refused: readonly OffsetRange[];
  readonly places: FoldPosition;
}

export class FoldOutcomesHandler {
  private held: Held | undefined;
  private readonly contents: ProblemContents;

  constructor(
    private readonly dependencies: FoldOutcomesDependencies,
    private readonly config: BufferServiceConfig['buffer'],
    private readonly shard: Shard,
  ) {
    this.contents = new ProblemContents(dependencies.log);
  }

  /** The events that follow from a batch: what was admitted and rejected, and the versions committed. */
  async handle(batch: DeliveredBatch): Promise<readonly SeamEvent[]> {
    const held = await ensureCurrent(this.dependencies.log, batch, this.held, (consumed) => this.restore(consumed));
    // If this batch fails, its half-folded state must not be continued.
    this.held = undefined;
    const events: SeamEvent[] = [];
    held.fold = await foldBelieved(held.fold, batch.records, {
      evidence: held.evidence,
      contents: this.contents,
      onRefused: (refused) => {
        held.refused = withPlace(held.refused, refused.place);
        events.push(this.refuse(refused));
      },
      onFolded: async (fold, { event }) => {
        held.fold = fold;
        if (fold.completedProblems < this.config.commitEveryProblems) return fold;
        held.versionsCheckedTo = await checkedVersions(this.dependencies.log, held.versionsCheckedTo, this.shard.of);
        const version = await this.commitVersion(held, event.meta);
        held.lastSnapshot = version.lastSnapshot;
        held.refused = [];
        events.push(...version.events);
        return foldAt(version.state, fold.nextOffsets);
      },
    });
    held.places.advance(batch);
    this.held = held;
    return events;
  }

  private refuse(refused: RefusedResult): SeamEvent {
    const { clock, lines, onRefused } = this.dependencies;
    const event = refusedEvent(refused, { source: SOURCE, occurredAt: clock.now() });
    const { topic, partition, offset, source, reason, detail } = event;
    onRefused(reason);
    lines.warn(
      reason,
      { topic, partition, offset, claimedSource: source, reason, detail },
      'result NOT BELIEVED; it does not count',
    );
    return event;
  }

  private async restore(consumed: readonly ConsumedOffset[]): Promise<Held> {
    const { log, objects, validateEntry, logger } = this.dependencies;
    const { fold, versionsCheckedTo, lastSnapshot, evidence, refused } = await restoreFold(log, objects, {
      consumed,
      config: this.config.rules,
      shard: this.shard,
      validateEntry,
      contents: this.contents,
      evidenceFrom: (places) => (this.dependencies.evidence === 'none' ? undefined : new Evidence(log, places)),
    });
    logger.info(
      {
        shard: shardName(this.shard),
        sequence: fold.state.sequence,
        groups: fold.state.groups.size,
        completedProblems: fold.completedProblems,
        snapshot: lastSnapshot?.key ?? null,
      },
      'buffer restored',
    );
    return { fold, versionsCheckedTo, lastSnapshot, evidence, refused, places: new FoldPosition(consumed) };
  }

  private async commitVersion(
    { fold, versionsCheckedTo, lastSnapshot: last, refused, evidence }: Held,
    cause: EventMeta,
  ): Promise<{
    readonly state: BufferState;
    readonly lastSnapshot: LastSnapshot;
    readonly events: readonly SeamEvent[];
  }> {
    const { objects, validateEntry, clock, logger } = this.dependencies;
    const version = commit(fold.state, { validateEntry });
    const inputs = foldedRanges(fold, TOPIC.outcomes);
    const occurredAt = clock.now();
    const { rules, formats, maxSnapshotAgeMs } = this.config;
    const written = await writeVersion(objects, version, { inputs, refused, config: rules, formats });
    const lastSnapshot = await writeResumption(objects, written.manifestKey, {
      last,
      state: version.state,
      inputs,
      now: occurredAt,
      maxAgeMs: maxSnapshotAgeMs,
      versionsCheckedTo,
      refused,
      evidence: evidence?.places() ?? new Map(),
    });
    const { sequence } = version.state;
    const decisions = version.decisions.map((decision) => decisionEvent(decision, { sequence, occurredAt }));
    const committed: EventOf<'BufferCommitted'> = {
      type: 'BufferCommitted',
      attestation: null,
      meta: {
        ...originMeta({
          messageId: derivedId(written.manifestDigest, 'buffer-committed', sequence),
          correlationId: written.manifestKey,
          source: SOURCE,
          occurredAt,
          sourceClass: 'model',
        }),
        causationId: cause.messageId,
      },
      sequence,
      manifestKey: written.manifestKey,
      manifestDigest: written.manifestDigest,
      bufferDigest: version.bufferDigest,
      rows: version.rows.length,
      rowsPerStratum: version.rowsPerStratum,
      inputs,
      shard: this.shard.index,
      shards: this.shard.of,
    };
    logger.info(
      {
        shard: shardName(this.shard),
        sequence,
        rows: version.rows.length,
        decisions: decisions.length,
        bufferDigest: version.bufferDigest,
      },
      'buffer version written',
    );
    return { state: version.state, lastSnapshot, events: [...decisions, committed] };
  }
}

function decisionEvent(
  { subject, ...decision }: BufferDecision,
  { sequence, occurredAt }: { readonly sequence: number; readonly occurredAt: number },
): SeamEvent {
  const { outcomeId, experienceId, problemId } = decision;
  const meta: EventMeta = {
    ...originMeta({
      messageId: derivedId(outcomeId, `buffer:${decision.type}:${experienceId}`, sequence),
      correlationId: problemId,
      source: SOURCE,
      occurredAt,
      sourceClass: 'model',
      subject,
    }),
    causationId: outcomeId,
  };
  return { ...decision, meta };
}
