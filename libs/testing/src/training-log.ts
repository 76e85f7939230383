/** Events of training and adapters for tests. */
import type { Evaluation, SeamEvent } from '@seamstream/events';
import { metaOf } from './log-of.js';

type Metrics = Readonly<Record<string, number>>;

const evaluationOf = (success: number): Evaluation => ({
  problemSet: 'v',
  problemSetDigest: 'd',
  problems: 4,
  success,
  parentSuccess: null,
  parentPerDomain: {},
  rescued: null,
  broken: null,
  asked: {},
  repeated: 0,
  perDomain: {},
});

export const adapterPublished = (digest: string, parent: string | null, runId: string): SeamEvent => ({
  type: 'AdapterPublished',
  method: 'seam',
  slot: 'generator',
  artefact: null,
  engine: null,
  attestation: null,
  meta: metaOf(runId),
  adapterDigest: digest,
  key: `adapters/${digest}`,
  kind: 'full',
  sizeBytes: 1,
  baseModelDigest: 'b',
  parent,
  runId,
  algorithm: 'sft',
  inputs: [],
  manifestDigest: null,
  fingerprint: `f-${digest}`,
  metrics: {},
});

export const adapterPromoted = (digest: string, success: number): SeamEvent => ({
  type: 'AdapterPromoted',
  slot: 'generator',
  attestation: null,
  meta: metaOf('r'),
  adapterDigest: digest,
  key: `adapters/${digest}`,
  fingerprint: `f-${digest}`,
  parent: null,
  runId: null,
  rule: 'not worse',
  evaluation: evaluationOf(success),
  onlyOverParent: false,
  promotedBy: 'ada',
  reason: 'measured elsewhere',
});

export const adapterEvaluated = (digest: string, success: number): SeamEvent => ({
  type: 'AdapterEvaluated',
  slot: 'generator',
  attestation: null,
  meta: metaOf(`evaluated/${digest}`),
  adapterDigest: digest,
  evaluation: evaluationOf(success),
  baseModelDigest: 'b',
  executor: { model: 'm', revision: 'r', template: 't', decoding: '{}' },
  evaluatedBy: 'ada',
});

export const adapterRolledBack = (digest: string, to: string | null): SeamEvent => ({
  type: 'AdapterRolledBack',
  slot: 'generator',
  attestation: null,
  meta: metaOf('r'),
  adapterDigest: digest,
  to,
  key: to && `adapters/${to}`,
  fingerprint: to && `f-${to}`,
  reason: 'success fell',
  rolledBackBy: 'ada',
});

export const runStarted = (runId: string, algorithm: string): SeamEvent => ({
  type: 'TrainingRunStarted',
  method: 'seam',
  slot: 'generator',
  meta: metaOf(runId),
  runId,
  algorithm,
  configuration: '{}',
  inputs: [],
  manifestKey: null,
  manifestDigest: null,
  baseModelDigest: 'b',
  parentAdapter: null,
  seed: 's',
  codeVersion: '0',
  manifests: [],
});

export const runCheckpointed = (runId: string, step: number, metrics: Metrics): SeamEvent => ({
  type: 'TrainingRunCheckpointed',
  meta: metaOf(runId),
  runId,
  step,
  checkpointKey: 'k',
  checkpointDigest: 'd',
  metrics,
});

export const runCompleted = (runId: string, steps: number, metrics: Metrics): SeamEvent => ({
  type: 'TrainingRunCompleted',
  meta: metaOf(runId),
  runId,
  adapterDigest: `made-by-${runId}`,
  steps,
  metrics,
  durationMs: 1,
});

export const runFailed = (runId: string, metrics: Metrics): SeamEvent => ({
  type: 'TrainingRunFailed',
  meta: metaOf(runId),
  runId,
  code: 'NON_FINITE',
  reason: 'the loss is NaN',
  metrics,
});

export const runRejected = (runId: string, adapterDigest: string | null): SeamEvent => ({
  type: 'TrainingRunRejected',
  meta: metaOf(runId),
  runId,
  adapterDigest,
  reason: 'worse than its parent',
  evaluation: evaluationOf(0.25),
  metrics: {},
});

/** Four adapters: served, rejected, promoted and rolled back, undecided. */
export const EXAMPLE_LINEAGE: readonly SeamEvent[] = [
  adapterPublished('a1', null, 'r1'),
  adapterEvaluated('a1', 0.5),
  adapterPromoted('a1', 0.5),
  runStarted('r2', 'grpo'),
  adapterPublished('a2', 'a1', 'r2'),
  runRejected('r2', 'a2'),
  adapterPublished('a3', 'a1', 'r3'),
  adapterEvaluated('a3', 0.75),
  adapterPromoted('a3', 0.75),
  adapterRolledBack('a3', 'a1'),
  adapterPublished('a4', 'a1', 'r4'),
];
