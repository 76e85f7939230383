import { originMeta, type SeamEvent } from '@seamstream/events';
import { decide, evolve, initialState, runIdOf, type TrainingRun } from './training-run.js';

const meta = originMeta({
  messageId: 'm',
  correlationId: 'run',
  source: 'seam/trainer',
  occurredAt: 1,
  sourceClass: 'model',
});
const started: SeamEvent = {
  type: 'TrainingRunStarted',
  method: 'seam',
  slot: 'generator',
  meta,
  runId: 'run',
  algorithm: 'grpo',
  configuration: '{}',
  inputs: [],
  manifestKey: null,
  manifestDigest: null,
  baseModelDigest: 'base',
  parentAdapter: null,
  seed: 's',
  codeVersion: '1',
  manifests: [],
};
const checkpointed = (step: number): SeamEvent => ({
  type: 'TrainingRunCheckpointed',
  meta,
  runId: 'run',
  step,
  checkpointKey: `k${step}`,
  checkpointDigest: `d${step}`,
  metrics: {},
});
const published: SeamEvent = {
  type: 'AdapterPublished',
  method: 'seam',
  slot: 'generator',
  artefact: null,
  engine: null,
  attestation: null,
  meta,
  adapterDigest: 'a',
  key: 'k',
  kind: 'full',
  sizeBytes: 1,
  baseModelDigest: 'base',
  parent: null,
  runId: 'run',
  algorithm: 'grpo',
  inputs: [],
  manifestDigest: null,
  fingerprint: 'f',
  metrics: { loss: 1 },
};
const completed: SeamEvent = {
  type: 'TrainingRunCompleted',
  meta,
  runId: 'run',
  adapterDigest: 'a',
  steps: 2,
  metrics: {},
  durationMs: 1,
};
const promoted: SeamEvent = {
  type: 'AdapterPromoted',
  slot: 'generator',
  attestation: null,
  meta,
  adapterDigest: 'a',
  key: 'k',
  fingerprint: 'f',
  parent: null,
  runId: 'run',
  rule: 'r',
  evaluation: null,
  onlyOverParent: false,
  promotedBy: null,
  reason: null,
};
const rejected: SeamEvent = {
  type: 'TrainingRunRejected',
  meta,
  runId: 'run',
  adapterDigest: null,
  reason: 'r',
  evaluation: null,
  metrics: {},
};
const failed: SeamEvent = {
  type: 'TrainingRunFailed',
  meta,
  runId: 'run',
  code: 'NON_FINITE',
  reason: 'r',
  metrics: {},
};

const given = (...events: SeamEvent[]): TrainingRun => events.reduce(evolve, initialState());

describe('a training run that is found in the log', () => {
  it('is trained from the beginning when nothing or only its start is recorded', () => {
    expect(decide(given())).toEqual({ kind: 'train', checkpoints: [] });
    expect(decide(given(started))).toEqual({ kind: 'train', checkpoints: [] });
  });

  it('resumes from its newest checkpoint, older ones in reserve, each once', () => {
    expect(decide(given(started, checkpointed(2), checkpointed(4), checkpointed(2)))).toMatchObject({
      kind: 'train',
      checkpoints: [{ step: 4, key: 'k4', digest: 'd4' }, { step: 2 }],
    });
  });

  it('is only evaluated once its adapter is published', () => {
    for (const run of [given(started, published), given(started, checkpointed(2), published, completed)]) {
      expect(decide(run)).toMatchObject({
        kind: 'evaluate',
        adapter: { adapterDigest: 'a', key: 'k' },
        metrics: { loss: 1 },
      });
    }
  });

  it.each([
    ['promoted', [started, published, completed, promoted]],
    ['rejected without an adapter', [started, rejected]],
    ['rejected after its evaluation', [started, published, rejected]],
    ['failed', [started, checkpointed(2), failed]],
  ] as const)('is left alone when it was %s', (_how, events) => {
    expect(decide(given(...events))).toEqual({ kind: 'none' });
    expect(given(...events, ...events)).toEqual(given(...events));
  });

  it('does not begin again when its start is recorded again after a checkpoint', () => {
    expect(given(started, checkpointed(2), started)).toEqual(given(started, checkpointed(2)));
  });

  it('knows its events, and a promotion by a person is of no run', () => {
    expect([started, checkpointed(1), published, completed, promoted, rejected, failed].map(runIdOf)).toEqual(
      Array.from({ length: 7 }, () => 'run'),
    );
    const byPerson = { ...promoted, runId: null };
    expect(runIdOf(byPerson)).toBeUndefined();
  });
});
