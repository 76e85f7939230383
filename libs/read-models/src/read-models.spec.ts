import { answerOf, interleaved, placed, recorded } from '@seamstream/testing/log-of';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import {
  adapterEvaluated,
  adapterPromoted,
  adapterPublished,
  adapterRolledBack,
  EXAMPLE_LINEAGE,
  runCheckpointed,
  runCompleted,
  runFailed,
  runRejected,
  runStarted,
} from '@seamstream/testing/training-log';
import { adapterLineageProjection } from './adapter-lineage.projection.js';
import { faithfulEntriesProjection } from './faithful-entries.projection.js';
import { learnedFactsProjection } from './learned-facts.projection.js';
import { successByArmProjection } from './success-by-arm.projection.js';
import { trainingProgressProjection } from './training-progress.projection.js';

describe('faithful entries', () => {
  const events = [
    recorded('a', true, { index: 0, size: 3, adapterDigest: 'd1', faithful: true }),
    recorded('a', false, { index: 1, size: 3, adapterDigest: 'd1', faithful: false }),
    // Its schema names no quotes.
    recorded('a', true, { index: 2, size: 3, adapterDigest: 'd2' }),
    recorded('b', true, { faithful: true }),
    recorded('c', false, { arm: 'control' }),
  ];

  it('are counted per adapter that wrote them, among those that were to quote', () => {
    expect(answerOf(faithfulEntriesProjection, placed(events))).toEqual({
      all: { quoting: 3, faithful: 2 },
      adapters: [
        { adapterDigest: null, quoting: 1, faithful: 1 },
        { adapterDigest: 'd1', quoting: 2, faithful: 1 },
      ],
    });
    expect(answerOf(faithfulEntriesProjection, [])).toEqual({ all: { quoting: 0, faithful: 0 }, adapters: [] });
  });

  it('are counted once however often they are repeated', () => {
    expect(answerOf(faithfulEntriesProjection, placed([...events, ...events]))).toEqual(
      answerOf(faithfulEntriesProjection, placed(events)),
    );
  });
});

describe('learned facts', () => {
  const events = [
    recorded('a', true, { index: 0, size: 2, adapterDigest: 'd1', facts: 'cue cow, phrase left' }),
    recorded('a', false, { index: 1, size: 2, adapterDigest: 'd1', facts: 'cue cow, phrase left' }),
    recorded('b', false, { facts: 'cue cow,cue cow, ,' }),
    recorded('c', false, { arm: 'control', facts: 'cue cow' }),
    recorded('d', true, { domain: 'words', adapterDigest: 'd1', facts: `cue cow, ${'x'.repeat(65)}` }),
    recorded('e', true),
  ];
  const none = { outcomes: 0, successes: 0 };

  it('are counted per domain, fact and adapter, as the metadata of problems names them', () => {
    expect(answerOf(learnedFactsProjection, placed([...events, ...events]))).toEqual({
      facts: [
        {
          domain: 'arithmetic',
          fact: 'cue cow',
          without: { outcomes: 1, successes: 0 },
          adapters: [
            { adapterDigest: null, outcomes: 1, successes: 0 },
            { adapterDigest: 'd1', outcomes: 2, successes: 1 },
          ],
        },
        {
          domain: 'arithmetic',
          fact: 'phrase left',
          without: none,
          adapters: [{ adapterDigest: 'd1', outcomes: 2, successes: 1 }],
        },
        {
          domain: 'words',
          fact: 'cue cow',
          without: none,
          adapters: [{ adapterDigest: 'd1', outcomes: 1, successes: 1 }],
        },
      ],
      leftOut: 0,
    });
  });

  it('do not grow with what a publisher writes or with the number of adapters', () => {
    const many = Array.from({ length: 600 }, (_, index) =>
      recorded(`p${index}`, true, { adapterDigest: `d${index}`, facts: `all, f${index}` }),
    );
    const { facts, leftOut } = answerOf(learnedFactsProjection, placed(many));
    expect([facts.length, leftOut]).toEqual([500, 101]);
    expect(facts.find(({ fact }) => fact === 'all')!.adapters).toHaveLength(16);
  });

  it('keep an adapter that is served again, however old it is', () => {
    const served = (index: number, adapterDigest: string) =>
      recorded(`p${index}`, true, { adapterDigest, facts: 'all' });
    const later = Array.from({ length: 15 }, (_, index) => served(index, `d${index}`));
    const log = placed([served(100, 'old'), ...later, served(101, 'old'), served(102, 'new'), served(103, 'old')]);
    const [fact] = answerOf(learnedFactsProjection, log).facts;
    expect(fact!.adapters.find(({ adapterDigest }) => adapterDigest === 'old')).toMatchObject({ outcomes: 3 });
  });
});

describe('success by arm', () => {
  const events = [
    recorded('a', true, { index: 0, size: 2, adapterDigest: 'd1' }),
    recorded('a', false, { index: 1, size: 2, adapterDigest: 'd1' }),
    recorded('b', true, { arm: 'deploy', domain: 'words', adapterDigest: 'd1' }),
    recorded('c', false, { arm: 'control' }),
    recorded('d', false, { arm: 'deploy' }),
  ];
  const none = { outcomes: 0, successes: 0, rate: null };

  it('is counted per arm, domain and adapter', () => {
    expect(answerOf(successByArmProjection, placed(events))).toEqual({
      arms: {
        explore: { outcomes: 2, successes: 1, rate: 0.5 },
        deploy: { outcomes: 2, successes: 1, rate: 0.5 },
        control: { outcomes: 1, successes: 0, rate: 0 },
      },
      domains: [
        {
          domain: 'arithmetic',
          arms: {
            explore: { outcomes: 2, successes: 1, rate: 0.5 },
            deploy: { outcomes: 1, successes: 0, rate: 0 },
            control: { outcomes: 1, successes: 0, rate: 0 },
          },
        },
        { domain: 'words', arms: { explore: none, deploy: { outcomes: 1, successes: 1, rate: 1 }, control: none } },
      ],
      adapters: [
        { adapterDigest: null, explore: none, deploy: { outcomes: 1, successes: 0, rate: 0 } },
        {
          adapterDigest: 'd1',
          explore: { outcomes: 2, successes: 1, rate: 0.5 },
          deploy: { outcomes: 1, successes: 1, rate: 1 },
        },
      ],
    });
  });

  it('counts a candidate once however often it is repeated', () => {
    expect(answerOf(successByArmProjection, placed([...events, ...events, ...events]))).toEqual(
      answerOf(successByArmProjection, placed(events)),
    );
  });
});

describe('the adapters', () => {
  it('have versions in the order of publication, with parent, measurement and standing', () => {
    const { served, versions } = answerOf(adapterLineageProjection, placed(EXAMPLE_LINEAGE));
    expect(served).toBe('a1');
    expect(
      versions.map(({ version, adapterDigest, parent, status, reason, evaluation }) => [
        version,
        adapterDigest,
        parent,
        status,
        reason,
        evaluation?.success ?? null,
      ]),
    ).toEqual([
      [1, 'a1', null, 'served', 'ada: measured elsewhere', 0.5],
      [2, 'a2', 'a1', 'rejected', 'worse than its parent', 0.25],
      [3, 'a3', 'a1', 'rolledBack', 'ada: success fell', 0.75],
      [4, 'a4', 'a1', 'published', null, null],
    ]);
  });

  it('keep their version and origin when they are published again', () => {
    const log = placed([
      adapterPublished('a1', null, 'r1'),
      adapterPublished('a2', 'a1', 'r2'),
      adapterPublished('a1', 'a2', 'r3'),
    ]);
    expect(
      answerOf(adapterLineageProjection, log).versions.map(({ version, adapterDigest, runId }) => [
        version,
        adapterDigest,
        runId,
      ]),
    ).toEqual([
      [1, 'a1', 'r1'],
      [2, 'a2', 'r2'],
    ]);
  });

  it('that were promoted and replaced stay promoted', () => {
    const log = placed([
      adapterPublished('a1', null, 'r1'),
      adapterPublished('a2', 'a1', 'r2'),
      adapterEvaluated('a1', 0.5),
      adapterEvaluated('a2', 0.6),
      adapterPromoted('a1', 0.5),
      adapterRolledBack('a1', null),
      adapterPromoted('a1', 0.5),
      adapterPromoted('a2', 0.6),
    ]);
    expect(answerOf(adapterLineageProjection, log).versions.map(({ status }) => status)).toEqual([
      'promoted',
      'served',
    ]);
  });

  it('that were overtaken by another promotion are rejected, and say so', () => {
    const log = placed([
      ...promotedByRun({ adapterDigest: 'a1', runId: 'r1', rule: 'not worse', onlyOverParent: true }),
      ...promotedByRun({ adapterDigest: 'a2', runId: 'r2', rule: 'not worse', onlyOverParent: true }),
    ]);
    const { served, versions } = answerOf(adapterLineageProjection, log);
    expect(served).toBe('a1');
    expect(versions.map(({ status, reason, evaluation }) => [status, reason, evaluation?.success])).toEqual([
      ['served', 'not worse', 0.5],
      [
        'rejected',
        expect.stringContaining('overtaken: it was compared with the base model, and meanwhile adapter a1'),
        0.5,
      ],
    ]);
  });
});

describe('training', () => {
  it('shows every run with its newest figures and sums up dead groups', () => {
    const log = placed([
      runStarted('r1', 'sft'),
      runCheckpointed('r1', 10, { loss: 2 }),
      runCheckpointed('r1', 20, { loss: 1 }),
      runCompleted('r1', 30, { loss: 0.5, deadGroups: 3 }),
      runStarted('r2', 'grpo'),
      runCheckpointed('r2', 5, { loss: 4, deadGroups: 4 }),
      runStarted('r3', 'grpo'),
      runCheckpointed('r3', 5, { loss: 4 }),
      runFailed('r3', { loss: Number.NaN }),
      runStarted('r4', 'grpo'),
      runCompleted('r4', 9, { deadGroups: 1 }),
      runRejected('r4', 'a4'),
    ]);
    const { runs, deadGroups } = answerOf(trainingProgressProjection, log);
    expect(
      runs.map(({ runId, algorithm, status, steps, metrics, adapterDigest, code, reason }) => ({
        runId,
        algorithm,
        status,
        steps,
        metrics,
        adapterDigest,
        code,
        reason,
      })),
    ).toEqual([
      {
        runId: 'r1',
        algorithm: 'sft',
        status: 'completed',
        steps: 30,
        metrics: { loss: 0.5, deadGroups: 3 },
        adapterDigest: 'made-by-r1',
        code: null,
        reason: null,
      },
      {
        runId: 'r2',
        algorithm: 'grpo',
        status: 'running',
        steps: 5,
        metrics: { loss: 4, deadGroups: 4 },
        adapterDigest: null,
        code: null,
        reason: null,
      },
      {
        runId: 'r3',
        algorithm: 'grpo',
        status: 'failed',
        steps: 5,
        metrics: { loss: Number.NaN },
        adapterDigest: null,
        code: 'NON_FINITE',
        reason: 'the loss is NaN',
      },
      {
        runId: 'r4',
        algorithm: 'grpo',
        status: 'rejected',
        steps: 9,
        metrics: { deadGroups: 1 },
        adapterDigest: 'a4',
        code: null,
        reason: 'worse than its parent',
      },
    ]);
    expect(runs[0]?.checkpoints).toEqual([
      { step: 10, metrics: { loss: 2 } },
      { step: 20, metrics: { loss: 1 } },
    ]);
    expect(deadGroups).toBe(8);
  });

  it('continues where it was when a killed trainer starts the run again', () => {
    const log = placed([
      runStarted('r1', 'sft'),
      runCheckpointed('r1', 10, { loss: 2 }),
      runStarted('r1', 'sft'),
      runCheckpointed('r1', 10, { loss: 2 }),
      runCheckpointed('r1', 20, { loss: 1 }),
    ]);
    const { runs } = answerOf(trainingProgressProjection, log);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ status: 'running', steps: 20, endedAt: null });
    expect(runs[0]?.checkpoints.map(({ step }) => step)).toEqual([10, 20]);
  });
});

describe('every answer', () => {
  const events = [
    ...EXAMPLE_LINEAGE,
    ...Array.from({ length: 12 }, (_, i) => [
      runStarted(`s${i}`, 'sft'),
      runCheckpointed(`s${i}`, 3, { loss: i }),
      runRejected(`s${i}`, `a${i % 5}`),
    ]).flat(),
    ...Array.from({ length: 40 }, (_, i) =>
      recorded(`p${i % 9}`, i % 3 === 0, {
        index: i % 4,
        size: 4,
        domain: `d${i % 9}`,
        adapterDigest: `a${i % 2}`,
        faithful: i % 5 !== 0,
        facts: `f${i % 7}, all`,
      }),
    ),
  ];
  const log = placed(events);

  it.each([
    ['success by arm', successByArmProjection],
    ['faithful entries', faithfulEntriesProjection],
    ['learned facts', learnedFactsProjection],
    ['lineage', adapterLineageProjection],
    ['training', trainingProgressProjection],
  ] as const)('is the same in any order of reading partitions: %s', (_, projection) => {
    const fold = (records: typeof log): unknown => answerOf<never, unknown>(projection as never, records);
    const expected = fold(log);
    for (let seed = 0; seed < 50; seed++) expect(fold(interleaved(log, seed))).toEqual(expected);
    expect(fold([...log, ...log])).toEqual(expected);
  });
});
