/** The records that lead to a promotion, as trainers and people write them, for tests of their readers. */
import { deriveMeta, type Evaluation, type EventMeta, type EventOf, originMeta } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';

export interface PromotionFacts {
  readonly adapterDigest: string;
  readonly runId?: string;
  readonly parent?: string | null;
  readonly key?: string;
  readonly fingerprint?: string;
  readonly success?: number;
  readonly parentSuccess?: number | null;
  readonly onlyOverParent?: boolean;
  readonly configuration?: string;
  readonly algorithm?: string;
  readonly occurredAt?: number;
  readonly rule?: string;
  readonly slot?: string;
}

export function evaluationOf(success: number, parentSuccess: number | null = null): Evaluation {
  return {
    problemSet: 'v',
    problemSetDigest: 'd',
    problems: 4,
    success,
    parentSuccess,
    perDomain: {},
    parentPerDomain: {},
    rescued: null,
    broken: null,
    asked: {},
    repeated: 0,
  };
}

const derived = (cause: EventMeta, role: string, occurredAt: number): EventMeta =>
  deriveMeta(cause, { role, source: 'seam/trainer', occurredAt });

function runStarted(
  { configuration = '{}', parent = null, algorithm = 'sft', slot = 'generator' }: PromotionFacts,
  meta: EventMeta,
  runId: string,
): EventOf<'TrainingRunStarted'> {
  return {
    type: 'TrainingRunStarted',
    method: 'seam',
    slot,
    meta,
    runId,
    algorithm,
    configuration,
    inputs: [],
    manifestKey: null,
    manifestDigest: null,
    baseModelDigest: 'b',
    parentAdapter: parent,
    seed: 's',
    codeVersion: '0',
    manifests: [],
  };
}

/** A run that starts, publishes, completes and promotes: the four records in their order. */
export function promotedByRun(
  facts: PromotionFacts,
): readonly [
  EventOf<'TrainingRunStarted'>,
  EventOf<'AdapterPublished'>,
  EventOf<'TrainingRunCompleted'>,
  EventOf<'AdapterPromoted'>,
] {
  const { adapterDigest, parent = null, success = 0.5, occurredAt = 5, algorithm = 'sft' } = facts;
  const { runId = `run-${adapterDigest}`, key = `adapters/${adapterDigest}` } = facts;
  const { fingerprint = `f-${adapterDigest}`, slot = 'generator' } = facts;
  const meta = originMeta({
    messageId: derivedId(runId, 'started'),
    correlationId: runId,
    source: 'seam/trainer',
    occurredAt,
    sourceClass: 'model',
  });
  return [
    runStarted(facts, meta, runId),
    {
      type: 'AdapterPublished',
      method: 'seam',
      slot,
      artefact: null,
      engine: null,
      attestation: null,
      meta: derived(meta, 'published', occurredAt),
      adapterDigest,
      key,
      kind: 'full',
      sizeBytes: 1,
      baseModelDigest: 'b',
      parent,
      runId,
      algorithm,
      inputs: [],
      manifestDigest: null,
      fingerprint,
      metrics: {},
    },
    {
      type: 'TrainingRunCompleted',
      meta: derived(meta, 'completed', occurredAt),
      runId,
      adapterDigest,
      steps: 1,
      metrics: {},
      durationMs: 1,
    },
    {
      type: 'AdapterPromoted',
      slot,
      attestation: null,
      meta: derived(meta, 'promoted', occurredAt),
      adapterDigest,
      key,
      fingerprint,
      parent,
      runId,
      rule: facts.rule ?? 'not worse than its parent',
      // Where nothing is said of the parent it did as well as its child: what is measured of a parent is part of an evaluation.
      evaluation: evaluationOf(success, facts.parentSuccess ?? (parent === null ? null : success)),
      onlyOverParent: facts.onlyOverParent ?? false,
      promotedBy: null,
      reason: null,
    },
  ];
}

/** A person's promotion of an adapter that was published before, in place of a run's: it goes before every rule. */
export function promotedByPerson(facts: PromotionFacts & { readonly messageId: string }): EventOf<'AdapterPromoted'> {
  const { messageId, adapterDigest, occurredAt = 5 } = facts;
  const [, , , promotion] = promotedByRun(facts);
  return {
    ...promotion,
    meta: { ...byPerson(messageId, adapterDigest), occurredAt },
    runId: null,
    onlyOverParent: false,
    promotedBy: 'ada',
    reason: 'measured elsewhere',
  };
}

/** The measurement of an adapter, as a person records it. */
export function evaluatedByPerson(
  adapterDigest: string,
  evaluation = evaluationOf(0.5),
  baseModelDigest = 'b',
): EventOf<'AdapterEvaluated'> {
  return {
    type: 'AdapterEvaluated',
    slot: 'generator',
    attestation: null,
    meta: byPerson(`evaluated/${adapterDigest}`, adapterDigest),
    adapterDigest,
    evaluation,
    baseModelDigest,
    executor: { model: 'm', revision: 'r', template: 't', decoding: '{}' },
    evaluatedBy: 'ada',
  };
}

export function pinned(messageId: string, adapterDigest: string | null): EventOf<'AdapterPinned'> {
  const meta = byPerson(messageId, adapterDigest ?? 'base');
  return {
    type: 'AdapterPinned',
    slot: 'generator',
    attestation: null,
    meta,
    adapterDigest,
    pinnedBy: 'ada',
    reason: 'a demonstration',
  };
}

export function unpinned(messageId: string, adapterDigest: string | null): EventOf<'AdapterUnpinned'> {
  const meta = byPerson(messageId, adapterDigest ?? 'base');
  return {
    type: 'AdapterUnpinned',
    slot: 'generator',
    attestation: null,
    meta,
    adapterDigest,
    unpinnedBy: 'ada',
    reason: 'it is over',
  };
}

function byPerson(messageId: string, correlationId: string): EventMeta {
  return originMeta({ messageId, correlationId, source: 'seam/cli', occurredAt: 5, sourceClass: 'user' });
}

export function rolledBack(messageId: string, adapterDigest: string, to: string | null): EventOf<'AdapterRolledBack'> {
  return {
    type: 'AdapterRolledBack',
    slot: 'generator',
    attestation: null,
    meta: byPerson(messageId, adapterDigest),
    adapterDigest,
    to,
    key: to === null ? null : `adapters/${to}`,
    fingerprint: to === null ? null : `f-${to}`,
    reason: 'success fell',
    rolledBackBy: 'ada',
  };
}
