/**
 * The doctor on a log of the embedded world: the shipped models write, solve and are judged, and the events go through the real
 * codec into a log. As it is, nothing is found. Then each fault is planted in these events, and is named.
 */
import { fileURLToPath } from 'node:url';
import type { Finding, FindingCode } from '@seamstream/doctor';
import { entrySchemaFor, worldProblems } from '@seamstream/embedded-world';
import { answerOnce, PromptInjection } from '@seamstream/environments';
import {
  type Evaluation,
  type EventOf,
  type ExperienceGenerated,
  encodeEvent,
  originMeta,
  promptOf,
  type SeamEvent,
} from '@seamstream/events';
import { loadPrompts, schemaDigest, withoutQuoteRules } from '@seamstream/experience';
import { derivedId, sha256 } from '@seamstream/kernel';
import { encodeAdapter, LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor } from '@seamstream/model-clients';
import type { ObjectStore } from '@seamstream/object-store';
import { generateExperiences, judge } from '@seamstream/rollout';
import { evaluatedByPerson } from '@seamstream/testing/promotion-log';
import { smallAdapter } from '../../apps/cli/src/adapters/small-adapters.fake.js';
import { fakeWorld } from '../../apps/cli/src/command-runtime.fake.js';

type Outcome = EventOf<'OutcomeRecorded'>;
type Generated = EventOf<'ExperienceGenerated'>;

const folder = (name: string): string => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));
const schemaFor = (domain: string) => entrySchemaFor(domain)!;
const PROBLEMS = worldProblems({ seed: 'doctor', split: 'train', variant: 'base', count: 48 });
const CANDIDATES = 8;
const BEGAN = Date.UTC(2030, 0, 31, 11);

const metaOf = (id: string, occurredAt: number) =>
  originMeta({
    messageId: derivedId(id, 'event'),
    correlationId: id,
    source: 'seam/test',
    occurredAt,
    sourceClass: 'model',
  });

/** What the services would have recorded: real entries, real answers, real verdicts. */
let generated: readonly Generated[];
let outcomes: readonly Outcome[];

beforeAll(async () => {
  const [model, executing] = await Promise.all(
    ['generator-base', 'executor'].map((name) => LanguageModel.load(folder(name), { threads: 1 })),
  );
  const prompts = await loadPrompts();
  const executor = new LanguageModelExecutor(executing!, { name: 'executor', maxTokens: 40 });
  const environment = new PromptInjection(executor, prompts);
  const explorations = await generateExperiences(
    PROBLEMS.map((problem) => ({ eventId: problem.problemId, problem })),
    {
      model: model!,
      adapter: null,
      prompts,
      groupSize: CANDIDATES,
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 64 },
      schemaFor,
    },
  );
  generated = explorations.flatMap((exploration, at) =>
    exploration.status === 'failed'
      ? []
      : exploration.candidates.map(
          (candidate): Generated => ({
            type: 'ExperienceGenerated',
            attemptId: null,
            feedbackWithinMs: null,
            meta: metaOf(candidate.experienceId, BEGAN + at),
            problem: PROBLEMS[at]!,
            groupId: exploration.groupId,
            groupSize: CANDIDATES,
            arm: 'explore',
            latencyMs: 1,
            ...candidate,
          }),
        ),
  );
  const answers = await answerOnce(
    environment,
    generated.map(({ problem, entry, experienceId }) => ({
      problem: { ...problem, prompt: promptOf(problem) },
      entry,
      seed: experienceId,
    })),
  );
  outcomes = await Promise.all(
    generated.map(async (experience, at): Promise<Outcome> => {
      const answer = answers[at]!;
      if (answer.status === 'failed') throw new Error(answer.reason);
      const judgement = await judge(experience.problem, answer);
      const { problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest, entry } = experience;
      const { promptTokenIds, tokenIds, forced, baseModelDigest } = experience;
      return {
        type: 'OutcomeRecorded',
        attemptId: null,
        feedbackId: null,
        measurement: null,
        meta: metaOf(`${experienceId}/outcome`, experience.meta.occurredAt + 1000),
        ...{ problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest, entry },
        ...{ promptTokenIds, tokenIds, forced, baseModelDigest },
        executor: environment.identity,
        response: answer.text,
        extractedAnswer: judgement.extractedAnswer,
        success: judgement.success,
        reward: judgement.reward,
        faithful: true,
        verifierVersion: problem.verifier!.version,
        verifierDetail: judgement.detail,
        promptTokens: answer.promptTokens,
        responseTokens: answer.responseTokens,
        latencyMs: 1,
      };
    }),
  );
  await Promise.all([model!.close(), executing!.close()]);
});

interface Planted {
  readonly experience?: (experience: Generated, at: number) => Generated;
  readonly outcome?: (outcome: Outcome, at: number) => SeamEvent;
  readonly more?: readonly SeamEvent[];
  /** What happens to the objects. */
  readonly store?: (objects: ObjectStore) => Promise<unknown>;
}

/** The log with a fault in it, and what the doctor says. */
async function examined({ experience = (each) => each, outcome = (each) => each, more = [], store }: Planted = {}) {
  const world = await fakeWorld(schemaFor);
  for (const adapter of SERVED) await world.objects.put(`adapters/${adapter.digest}`, encodeAdapter(adapter));
  await store?.(world.objects);
  await world.log.append([...generated.map(experience), ...outcomes.map(outcome), ...more].map(encodeEvent));
  const exitCode = await world.seam('doctor', '--json');
  const [told] = world.takeJson() as { findings: Finding[]; looked: Record<string, unknown> }[];
  return { exitCode, ...told! };
}

/** One finding of this code, and a remedy with it. */
async function expectFinding(planted: Planted, code: FindingCode, severity: Finding['severity'], evidence: RegExp) {
  const { exitCode, findings } = await examined(planted);
  expect(findings).toEqual([
    { code, severity, evidence: expect.stringMatching(evidence), remedy: expect.stringMatching(/\w{3}.*\./) },
  ]);
  expect(exitCode).toBe(1);
}

const wrong = (outcome: Outcome): Outcome => ({ ...outcome, success: false, reward: 0 });

const runStarted = (algorithm: Record<string, unknown> = { importance: { correction: 'truncate' } }): SeamEvent => ({
  type: 'TrainingRunStarted',
  method: 'seam',
  slot: 'generator',
  meta: metaOf('run', BEGAN),
  runId: 'run',
  algorithm: 'grpo',
  configuration: JSON.stringify({ algorithm }),
  inputs: [],
  manifestKey: null,
  manifestDigest: null,
  baseModelDigest: 'b',
  parentAdapter: null,
  seed: 's',
  codeVersion: '0',
  manifests: [],
});
const ended = (metrics: Record<string, number>): SeamEvent => ({
  type: 'TrainingRunRejected',
  meta: metaOf('run/end', BEGAN + 2000),
  runId: 'run',
  adapterDigest: null,
  reason: 'worse than its parent',
  evaluation: null,
  metrics,
});
const run = (metrics: Record<string, number>, algorithm?: Record<string, unknown>): SeamEvent[] => [
  runStarted(algorithm),
  ended(metrics),
];

const BASE = 'b'.repeat(64);
const SERVED = [1, 2].map((value) => smallAdapter(value, BASE));
const [ADAPTER, OTHER] = SERVED.map(({ digest }) => digest) as [string, string];
const published = (adapterDigest: string, parent: string | null, fingerprint: string): SeamEvent => ({
  type: 'AdapterPublished',
  method: 'seam',
  slot: 'generator',
  artefact: null,
  engine: null,
  attestation: null,
  meta: metaOf(`published/${adapterDigest}`, BEGAN - 2000),
  adapterDigest,
  key: `adapters/${adapterDigest}`,
  kind: 'full',
  sizeBytes: 1,
  baseModelDigest: BASE,
  parent,
  runId: 'r',
  algorithm: 'sft',
  inputs: [],
  manifestDigest: null,
  fingerprint,
  metrics: {},
});
const EVALUATION: Evaluation = {
  problemSet: 'v',
  problemSetDigest: 'd',
  problems: 4,
  success: 0.5,
  parentPerDomain: {},
  rescued: null,
  broken: null,
  asked: {},
  repeated: 0,
  parentSuccess: null,
  perDomain: {},
};
const measured = (adapterDigest: string): SeamEvent => evaluatedByPerson(adapterDigest, EVALUATION, BASE);
const promoted = (adapterDigest: string, fingerprint = 'f1'): SeamEvent => ({
  type: 'AdapterPromoted',
  slot: 'generator',
  attestation: null,
  meta: metaOf(`promoted/${adapterDigest}`, BEGAN - 1000),
  adapterDigest,
  key: `adapters/${adapterDigest}`,
  fingerprint,
  parent: null,
  runId: null,
  rule: 'better',
  evaluation: EVALUATION,
  onlyOverParent: false,
  promotedBy: 'ada',
  reason: 'measured elsewhere',
});

describe('the doctor', () => {
  it('finds nothing in what the embedded models recorded, and says so', async () => {
    expect(await examined()).toMatchObject({ exitCode: 0, findings: [], looked: { groups: 48 } });
    const world = await fakeWorld(schemaFor);
    await world.log.append([...generated, ...outcomes].map(encodeEvent));
    expect(await world.seam('doctor')).toBe(0);
    expect(world.takeOutput()).toBe(
      'Nothing keeps this system from learning. Looked at 48 groups, 0 training runs and 0 successes.\n',
    );
  });

  it('finds nothing in an empty log', async () => {
    const world = await fakeWorld();
    expect(await world.seam('doctor', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ findings: [], looked: { groups: 0 } }]);
  });

  it('finds nothing in runs and adapters as healthy ones are', async () => {
    const experience = (each: Generated): Generated => ({
      ...each,
      adapterDigest: each.candidateIndex < 2 ? null : ADAPTER,
    });
    const figures = {
      groups: 175,
      scoredGroups: 175,
      liveGroups: 53,
      deadSolvedGroups: 118,
      meanReward: 0.69,
      entropyNats: 0.11,
      klNats: 21,
      ageMean: 5,
      ageMax: 5,
      effectiveSampleRatio: 0.17,
      behaviourKlNats: 0.41,
      gradientNorm: 1.1,
      examples: 848,
    };
    const more = [
      published('p'.repeat(64), null, 'f0'),
      published(ADAPTER, 'p'.repeat(64), 'f1'),
      measured(ADAPTER),
      promoted(ADAPTER),
      ...run(figures, { importance: { correction: 'taper' } }),
    ];
    expect(await examined({ experience, more })).toMatchObject({ exitCode: 0, findings: [] });
  });

  it('takes the adapter for served whose promotion is first in the log, even if the clocks of two that overlap disagree', async () => {
    const experience = (each: Generated): Generated => ({ ...each, adapterDigest: ADAPTER });
    const over = (adapterDigest: string, at: number): SeamEvent =>
      ({
        ...promoted(adapterDigest),
        meta: metaOf(`promoted/${adapterDigest}`, at),
        onlyOverParent: true,
      }) as SeamEvent;
    const more = [
      published(ADAPTER, null, 'f1'),
      published(OTHER, null, 'f1'),
      measured(ADAPTER),
      measured(OTHER),
      over(ADAPTER, BEGAN - 1000),
      over(OTHER, BEGAN - 1500),
    ];
    expect(await examined({ experience, more })).toMatchObject({ exitCode: 0, findings: [] });
  });

  it('says what, with figures, and what to do, worst first', async () => {
    const world = await fakeWorld(schemaFor);
    const planted = outcomes.map((each) => ({ ...wrong(each), extractedAnswer: 'nonsense' }));
    await world.log.append(
      [...generated, ...planted, ...run({ ageMean: 2, effectiveSampleRatio: 0.4 })].map(encodeEvent),
    );
    expect(await world.seam('doctor')).toBe(1);
    const lines = world.takeOutput().split('\n');
    expect(lines[0]).toBe('error  no-variance');
    expect(lines[1]).toBe(
      '  Only 0 of 48 groups have both better and worse entries; 48 were solved by no entry, 0 by all.',
    );
    expect(lines[2]).toMatch(/^ {2}What to do: Give the groups both better and worse entries: warm up with sft/);
    expect(lines[4]).toBe('warning  stale-data');
  });
});

describe('planted, and named', () => {
  it('self-edits: nearly all help, or hardly any does, over passages without one', async () => {
    const template = 'inner-lora-update@0/direct';
    const rewarded = (share: number) => (each: Outcome, at: number) => ({
      ...{ ...each, executor: { ...each.executor, template } },
      reward: at % 100 < share * 100 ? 1 : 0.5,
    });
    const domains = [...new Set(PROBLEMS.map(({ domain }) => domain))];
    const more = domains.map((domain): Outcome => {
      const [{ problem, ...each }] = outcomes as [Outcome];
      const meta = metaOf(`control/${domain}`, BEGAN);
      return {
        ...each,
        meta,
        problem: { ...problem, domain },
        experienceId: `control/${domain}`,
        arm: 'control',
        reward: 0.5,
      };
    });
    await expectFinding({ outcome: rewarded(0.5), more }, 'self-edits-too-easy', 'warning', /^200 of 384 self-edits/);
    await expectFinding({ outcome: rewarded(0.05), more }, 'self-edits-too-hard', 'warning', /^20 of 384 self-edits/);
    expect(await examined({ outcome: rewarded(0.2), more })).toMatchObject({ exitCode: 0, findings: [] });
  });

  it('no variance: no entry helps', () =>
    expectFinding(
      { outcome: (each) => ({ ...wrong(each), extractedAnswer: 'nonsense' }) },
      'no-variance',
      'error',
      /^Only 0 of 48 groups/,
    ));

  it('no variance, as a run counted it', () =>
    expectFinding(
      { more: run({ scoredGroups: 64, liveGroups: 3, deadSolvedGroups: 4 }) },
      'no-variance',
      'error',
      /^Only 3 of 64 groups .* 57 were solved by no entry, 4 by all/,
    ));

  it('mastered groups are no fault', async () => {
    expect(await examined({ more: run({ scoredGroups: 64, liveGroups: 1, deadSolvedGroups: 60 }) })).toMatchObject({
      findings: [],
    });
  });

  it('groups of one', () =>
    expectFinding(
      {
        experience: (each) => ({ ...each, groupSize: 1, groupId: each.experienceId }),
        outcome: (each) => ({ ...each, groupSize: 1, groupId: each.experienceId }),
      },
      'groups-of-one',
      'error',
      /^256 of 256 explored groups have fewer than two verdicts.*256 were written with one candidate/,
    ));

  it('groups that lost all but one verdict to a failing executor', () =>
    expectFinding(
      {
        outcome: (each, at) => {
          if (at % CANDIDATES === 0 || at >= 200) return each;
          const { meta, problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest } = each;
          const failed = { meta, problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest };
          return {
            type: 'ExecutionFailed',
            attemptId: null,
            ...failed,
            code: 'SESSION_FAILED',
            reason: 'gone',
            attempts: 3,
          };
        },
      },
      'groups-of-one',
      'error',
      /^25 of 48 explored groups .* 175 candidates failed in execution \(SESSION_FAILED\)/,
    ));

  it('a verifier that accepts anything', () =>
    expectFinding(
      { outcome: (each) => ({ ...each, success: true, reward: 1 }) },
      'constant-verifier',
      'error',
      /^In \d+ of \d+ groups with different answers to one problem all of them were called right/,
    ));

  it('a verifier that refuses what is right', async () => {
    const { findings } = await examined({ outcome: (each) => wrong(each) });
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'constant-verifier',
        evidence: expect.stringMatching(/answers that read like their reference were called wrong/),
      }),
    );
  });

  it('a verifier that finds no answer', async () => {
    const { findings } = await examined({ outcome: (each) => ({ ...wrong(each), extractedAnswer: null }) });
    expect(findings.map(({ code }) => code)).toEqual(['no-variance', 'constant-verifier']);
    expect(findings[1]!.evidence).toMatch(/^In \d+ of \d+ finished answers the verifier found no answer to judge/);
    expect(findings[1]!.remedy).toContain('SEAM_EXECUTOR_TEMPLATE');
  });

  it('time-outs that count as wrong', () =>
    expectFinding(
      {
        outcome: (each, at) =>
          each.success || at % 4 > 0 ? each : { ...each, response: '', extractedAnswer: null, responseTokens: 0 },
      },
      'time-outs-as-wrong',
      'error',
      /^\d+ of \d+ wrong answers \(2\d\.\d %\) are empty or name a time-out/,
    ));

  it('answers cut off at the token limit', () =>
    expectFinding(
      {
        outcome: (each, at) =>
          each.success || at % 4 === 0
            ? each
            : {
                ...each,
                extractedAnswer: null,
                verifierDetail: 'the response is unfinished: it reached its token limit',
              },
      },
      'time-outs-as-wrong',
      'warning',
      /were cut off at the executor's token limit/,
    ));

  it('an adapter that is promoted and writes nothing', () =>
    expectFinding(
      { more: [published(ADAPTER, null, 'f1'), measured(ADAPTER), promoted(ADAPTER)] },
      'adapter-not-applied',
      'error',
      new RegExp(`^In 48 of 48 groups that were written after adapter ${ADAPTER.slice(0, 8)} was promoted`),
    ));

  it('an adapter that answers as its parent', () =>
    expectFinding(
      {
        experience: (each) => ({ ...each, adapterDigest: ADAPTER }),
        more: [
          published('p'.repeat(64), null, 'same'),
          published(ADAPTER, 'p'.repeat(64), 'same'),
          measured(ADAPTER),
          promoted(ADAPTER, 'same'),
        ],
      },
      'adapter-not-applied',
      'error',
      /answers the probe exactly as its parent does/,
    ));

  const KEY = `adapters/${ADAPTER}`;
  it.each<[string, (objects: ObjectStore) => Promise<unknown>, RegExp]>([
    ['is gone', (objects) => objects.delete(KEY), /cannot be loaded from adapters\/.*: .*there is no object/],
    [
      'is damaged',
      async (objects) => {
        const body = Buffer.from(await objects.get(KEY));
        body[body.length - 5]! ^= 1;
        await objects.put(KEY, body);
      },
      /cannot be loaded from .*: .*its content is/,
    ],
    [
      'is another adapter',
      (objects) => objects.put(KEY, encodeAdapter(SERVED[1]!)),
      new RegExp(`expected content ${ADAPTER}`),
    ],
    ['is for another base model', async () => undefined, /base model/],
  ])('a served adapter whose object %s', (what, store, evidence) =>
    expectFinding(
      {
        experience: (each) => ({ ...each, adapterDigest: ADAPTER }),
        more: [
          ...(what === 'is for another base model'
            ? [
                { ...published(ADAPTER, null, 'f1'), baseModelDigest: 'c'.repeat(64) } as SeamEvent,
                evaluatedByPerson(ADAPTER, EVALUATION, 'c'.repeat(64)),
              ]
            : [published(ADAPTER, null, 'f1'), measured(ADAPTER)]),
          promoted(ADAPTER),
        ],
        store,
      },
      'adapter-unusable',
      'error',
      evidence,
    ),
  );

  it('a run that trains nothing', () =>
    expectFinding(
      { more: run({ gradientNorm: 0, examples: 64 }) },
      'adapter-not-applied',
      'error',
      /gradient of 0 on 64 examples/,
    ));

  it('probabilities that were not taken under the mask', () =>
    expectFinding(
      {
        // What a generator logs that takes the softmax over all tokens, the illegal ones included.
        experience: (each) => ({
          ...each,
          logProbs: each.logProbs.map((logProb, at) => (each.forced[at]! ? Math.log(0.8) : logProb)),
        }),
      },
      'mask-mismatch',
      'error',
      /entries have forced tokens with a probability below 1/,
    ));

  it('entries under another schema than they are learned under', () =>
    expectFinding(
      {
        experience: (each, at) =>
          at % 3 === 0
            ? { ...each, entrySchema: sha256('another') }
            : { ...each, entrySchema: schemaDigest(schemaFor(each.problem.domain)) },
      },
      'mask-mismatch',
      'error',
      /^128 of 384 entries were written under another schema/,
    ));

  it('probabilities that the same policy does not give again', () =>
    expectFinding(
      { more: run({ ageMax: 0, staleMembers: 0, behaviourKlNats: 0.3 }) },
      'mask-mismatch',
      'error',
      /differ by 0\.300 nats per token/,
    ));

  it('entropy collapse: one text is all that is tried', () => {
    const first = new Map<string, ExperienceGenerated>();
    return expectFinding(
      {
        experience: (each) => {
          const same = first.get(each.groupId) ?? each;
          first.set(each.groupId, same);
          return { ...each, entry: same.entry };
        },
      },
      'entropy-collapse',
      'error',
      /^In (\d+) of \1 groups that failed, all candidates were one and the same text/,
    );
  });

  it('entropy collapse, as a run measured it', () =>
    expectFinding(
      { more: run({ entropyNats: 0.002, meanReward: 0.3 }) },
      'entropy-collapse',
      'error',
      /0\.0020 nats per free token at a mean reward of 30\.0 %/,
    ));

  it('KL explosion', async () => {
    await expectFinding({ more: run({ klNats: 3.2 }) }, 'kl-explosion', 'error', /3\.20 nats per replayed token/);
    await expectFinding(
      { more: run({ klNats: 273.9 }, { importance: { correction: 'taper' } }) },
      'kl-explosion',
      'error',
      /274 nats .* below 200/,
    );
    await expectFinding(
      {
        more: [
          runStarted(),
          {
            type: 'TrainingRunFailed',
            meta: metaOf('run/end', BEGAN + 1),
            runId: 'run',
            code: 'NON_FINITE',
            reason: 'NaN',
            metrics: {},
          },
        ],
      },
      'kl-explosion',
      'error',
      /no finite numbers/,
    );
  });

  it('stale data', () =>
    expectFinding(
      { more: run({ groups: 64, staleGroups: 40 }) },
      'stale-data',
      'error',
      /^40 of 64 groups are of adapters too old/,
    ));

  it('a flood of near duplicates', () => {
    const decided = (n: number, isAdmitted: boolean): SeamEvent => {
      const outcome = outcomes[n]!;
      const facts = {
        meta: metaOf(`decision-${n}`, BEGAN),
        stratum: 'herbs/easy',
        outcomeId: outcome.meta.messageId,
        experienceId: outcome.experienceId,
        problemId: outcome.problem.problemId,
      };
      return isAdmitted
        ? { type: 'SuccessAdmitted', ...facts, contentDigest: 'c', helpfulness: 1 }
        : { type: 'SuccessRejected', ...facts, reason: 'near_duplicate', detail: '0.9', duplicateOf: null };
    };
    return expectFinding(
      { more: Array.from({ length: 100 }, (_, n) => decided(n, n < 5)) },
      'near-duplicate-flood',
      'error',
      /^95 of 100 different successes \(95\.0 %\) nearly repeat another one .* herbs\/easy \(95\)/,
    );
  });

  it('a promotion that nothing bears out', () =>
    expectFinding(
      { more: [published(ADAPTER, null, 'f1'), promoted(ADAPTER, "another client's")] },
      'forged-records',
      'error',
      /^The log does not bear out 1 decisions about adapters .* published under another key or with another fingerprint/,
    ));

  it('entries that misquote their problem, with one of them, also in a log whose schema named no quotes', () =>
    expectFinding(
      {
        experience: (each, at) => ({
          ...each,
          entrySchema: schemaDigest(withoutQuoteRules(schemaFor(each.problem.domain))),
          entry: at % 3 > 0 ? each.entry : each.entry.replace(/"for \w+ /, '"for unicorn '),
        }),
      },
      'misquotes',
      'error',
      /^128 of 384 entries \(33\.3 %\) misquote their problem\. One of them, .*unicorn.* for .*: at #\/concepts\/0 it quotes "unicorn", which is not in the problem\.$/,
    ));

  it('answers in entries', () =>
    expectFinding(
      {
        experience: (each, at) =>
          at % 3 > 0 ? each : { ...each, entry: each.entry.replace('{', `{"note":"it is ${each.problem.reference}",`) },
      },
      'answer-leak',
      'error',
      /^128 of 384 entries \(33\.3 %\) hold the answer to their own problem; the answers of other problems are in \d\./,
    ));
});
