/** The events of one run. The id of each follows from the run, so an event that is recorded twice is recognised. */

import { examineRun, findingMetrics } from '@seamstream/doctor';
import {
  type AdapterPublished,
  deriveMeta,
  type EngineIdentity,
  type Evaluation,
  type EventMeta,
  type EventOf,
  originMeta,
  type TrainingRunStarted,
} from '@seamstream/events';
import { type Clock, derivedId, isSeamError, messageOf } from '@seamstream/kernel';
import type { Artefact, StoredArtefact } from './artefact.js';
import { manifestsDigest, type RunPlan, startedEvent } from './run-plan.js';
import type { Checkpoint } from './training-run.js';

const SOURCE = 'seam/trainer';

type Figures = Readonly<Record<string, number | undefined>>;

/** The identity of a run's first event under a role: `planned` or `started`. */
export function runMeta(runId: string, role: string, occurredAt: number): EventMeta {
  return originMeta({
    messageId: derivedId(runId, role),
    correlationId: runId,
    source: SOURCE,
    occurredAt,
    sourceClass: 'model',
  });
}

export class RunEvents {
  readonly started: TrainingRunStarted;

  /** @param started as it is recorded; absent: the run begins now */
  constructor(
    private readonly plan: RunPlan,
    private readonly clock: Clock,
    started?: TrainingRunStarted,
  ) {
    this.started = started ?? startedEvent(plan, runMeta(plan.runId, 'started', clock.now()));
  }

  checkpointed({ step, key, digest }: Checkpoint, metrics: Figures): EventOf<'TrainingRunCheckpointed'> {
    return {
      type: 'TrainingRunCheckpointed',
      meta: this.meta('checkpointed', step),
      runId: this.plan.runId,
      step,
      checkpointKey: key,
      checkpointDigest: digest,
      metrics: finite(metrics),
    };
  }

  published(
    { kind, digest, baseModelDigest }: Artefact,
    stored: StoredArtefact,
    {
      fingerprint,
      metrics,
      engine,
    }: { readonly fingerprint: string; readonly metrics: Figures; readonly engine: EngineIdentity | null },
  ): EventOf<'AdapterPublished'> {
    const { runId, method, slot, algorithm, inputs, manifests, parentAdapter } = this.plan;
    return {
      type: 'AdapterPublished',
      method,
      slot,
      artefact: { kind, digest, address: stored.key },
      engine,
      attestation: null,
      meta: this.meta('published'),
      adapterDigest: digest,
      ...stored,
      // Older readers know these two: what is no difference to something else is whole.
      kind: kind === 'lora' ? 'lora' : 'full',
      baseModelDigest,
      parent: parentAdapter,
      runId,
      algorithm,
      inputs,
      manifestDigest: manifestsDigest(manifests),
      fingerprint,
      metrics: finite(metrics),
    };
  }

  completed(
    adapterDigest: string,
    facts: { readonly steps: number; readonly metrics: Figures; readonly durationMs: number },
  ): EventOf<'TrainingRunCompleted'> {
    return {
      type: 'TrainingRunCompleted',
      meta: this.meta('completed'),
      runId: this.plan.runId,
      adapterDigest,
      ...facts,
      metrics: finite(facts.metrics),
    };
  }

  promoted(
    { adapterDigest, key, fingerprint }: AdapterPublished,
    { rule, evaluation }: { readonly rule: string; readonly evaluation: Evaluation },
  ): EventOf<'AdapterPromoted'> {
    return {
      type: 'AdapterPromoted',
      slot: this.plan.slot,
      attestation: null,
      meta: this.meta('promoted'),
      adapterDigest,
      key,
      fingerprint,
      parent: this.plan.parentAdapter,
      runId: this.plan.runId,
      rule,
      evaluation,
      onlyOverParent: true,
      promotedBy: null,
      reason: null,
    };
  }

  rejected(
    facts: Pick<EventOf<'TrainingRunRejected'>, 'adapterDigest' | 'reason' | 'evaluation'> & {
      readonly metrics: Figures;
    },
  ): EventOf<'TrainingRunRejected'> {
    return {
      type: 'TrainingRunRejected',
      meta: this.meta('rejected'),
      runId: this.plan.runId,
      ...facts,
      metrics: finite(facts.metrics),
    };
  }

  failed(error: unknown): EventOf<'TrainingRunFailed'> {
    const code = isSeamError(error) ? error.code : 'INTERNAL';
    const { algorithm, configuration } = this.plan;
    const findings = examineRun({ algorithm, settings: configuration.algorithm, code, metrics: {}, checkpoints: [] });
    return {
      type: 'TrainingRunFailed',
      meta: this.meta('failed'),
      runId: this.plan.runId,
      code,
      reason: messageOf(error),
      metrics: findingMetrics(findings),
    };
  }

  private meta(role: string, index = 0): EventMeta {
    return deriveMeta(this.started.meta, { role, index, source: SOURCE, occurredAt: this.clock.now() });
  }
}

/** Events hold finite figures only. */
export function finite(figures: Figures): Record<string, number> {
  return Object.fromEntries(
    Object.entries(figures).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}
