import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { decidePromotion } from './promotion.decide.js';
import { decideStage, evidenceIn, type ReleaseEvidence, type StageEnd } from './release.decide.js';
import { checkedPlan, DEFAULT_RELEASE_PLAN, planIn, planText, type ReleasePlan } from './release-plan.js';
import { RULE_VERSIONS } from './rule-version.js';

const RELEASES = Number(process.env.SEAM_TEST_RELEASES ?? 24);
const LOOKS_EVERY = 25;

const planOf = (stages: ReleasePlan['stages'], changes: Partial<ReleasePlan> = {}): ReleasePlan =>
  checkedPlan({ ...DEFAULT_RELEASE_PLAN, stages, ...changes });
const canary = (share: number, margin: number, minProblems = 1) =>
  ({ kind: 'canary', share, margin, minProblems }) as const;
const RAMP = DEFAULT_RELEASE_PLAN.stages.filter(({ kind }) => kind === 'canary');
const arm = (solved: number, failed: number, missing = 0) => ({ solved, failed, missing });
const canaries = (
  ...counts: readonly (readonly [candidate: ReturnType<typeof arm>, parent: ReturnType<typeof arm>])[]
): ReleaseEvidence => ({
  paired: [],
  canaries: counts.map(([candidate, parent], stage) => ({ stage, candidate, parent })),
});
const paired = (problems: number, candidateAlone: number, parentAlone: number, missing = 0): ReleaseEvidence => ({
  paired: [{ stage: 0, problems, candidateAlone, parentAlone, missing }],
  canaries: [],
});

describe('a release on a stream', () => {
  it('rolls an adapter back that is 10 points worse, at a share of 25 %, within 1,500 problems in the middle', () => {
    const { rolledBack, median } = releases(
      planOf([canary(0.25, 0.03)], { centre: 0.75 }),
      [0.7, 0.8],
      '10 points worse, 25 %',
    );
    expect(rolledBack).toBe(RELEASES);
    expect(median).toBeLessThanOrEqual(1500);
    // Also where the plan does not know the parent's rate.
    expect(releases(planOf([canary(0.25, 0.03)]), [0.7, 0.8], 'the same, centre 0.5').median).toBeLessThanOrEqual(1500);
  });

  it('rolls it back on the whole ramp as well, and a disaster in its first stage', () => {
    expect(releases(planOf(RAMP), [0.7, 0.8], '10 points worse, ramp')).toMatchObject({
      rolledBack: RELEASES,
      promoted: 0,
    });
    const disaster = releases(planOf(RAMP), [0.1, 0.8], 'a disaster, ramp');
    expect(disaster.rolledBack).toBe(RELEASES);
    expect(disaster.median).toBeLessThan(600);
  });

  it('seldom rolls back an adapter that is as good, and seldom promotes one that is worse than its margin', () => {
    // 2.5 % each: half of alpha is for harm and half for success.
    const fast = planOf([canary(0.25, 0.1), canary(0.5, 0.08)], { horizon: 4000 });
    expect(releases(fast, [0.6, 0.6], 'as good').rolledBack).toBeLessThanOrEqual(most(0.025));
    expect(releases(fast, [0.52, 0.6], 'worse by its margin').promoted).toBeLessThanOrEqual(most(0.025));
  });

  it('promotes one that is clearly better', () => {
    expect(releases(planOf(RAMP), [0.9, 0.7], 'better, ramp')).toMatchObject({ promoted: RELEASES });
  });

  it('does not promote what is undecided at the horizon', () => {
    const plan = planOf([canary(0.5, 0)], { horizon: 400 });
    const decide = (problems: number) =>
      decideStage(plan, 0, canaries([arm(problems / 4, problems / 4), arm(problems / 4, problems / 4)]));
    expect(decide(396).end).toBeNull();
    expect(decide(400)).toMatchObject({ end: 'undecided', rule: 'undecided at the horizon is not promoted' });
  });
});

describe('a stage', () => {
  it('needs its fewest problems, and then leads to the next, or to a promotion where it is the last', () => {
    const stages = [canary(0.5, 0.1, 500), canary(0.5, 0.1, 500)];
    const good = (n: number) => [arm(n, 0), arm(0, n)] as const;
    expect(decideStage(planOf(stages), 0, canaries(good(200))).end).toBeNull();
    expect(decideStage(planOf(stages), 0, canaries(good(250))).end).toBe('advanced');
    expect(decideStage(planOf(stages), 1, canaries(good(250), good(10))).end).toBeNull();
    expect(decideStage(planOf(stages), 1, canaries(good(250), good(250))).end).toBe('promoted');
  });

  it('says how many problems each adapter solved, of those that have a verdict', () => {
    const reasonFor = (evidence: ReleaseEvidence) => decideStage(planOf([canary(0.5, 0.1)]), 0, evidence).reason;
    expect(reasonFor(canaries([arm(3, 4, 2), arm(0, 0, 1)]))).toContain(
      'at 50.0 % 3 of 7 were solved by the candidate, none was solved or failed by its parent',
    );
    expect(reasonFor(canaries())).toContain('none was solved or failed by the candidate');
  });

  it('waits where no problem was asked of both', () => {
    const plan = planOf([{ kind: 'shadow', minProblems: 50, margin: 0.05 }]);
    expect(decideStage(plan, 0, canaries())).toMatchObject({
      end: null,
      reason: expect.stringMatching(/asked of both/),
    });
  });

  it('of a validation within a margin passes what is as good, and not under the rule for what is better', () => {
    const staged = (rule: object) => planOf([{ kind: 'validation', minProblems: 10, rule } as never]);
    const margin = decideStage(staged({ name: 'margin', margin: 0.1 }), 0, paired(2_000, 100, 100));
    expect(margin).toMatchObject({ end: 'promoted', rule: 'at most 10.0 % worse than its parent, beyond chance' });
    const better = decideStage(staged({ name: 'better', level: 0.05 }), 0, paired(2_000, 100, 100));
    expect(better).toMatchObject({ end: 'undecided', rule: 'undecided at the horizon is not promoted' });
  });

  it('weighs what earlier canaries showed, each with its own share', () => {
    const plan = planOf([canary(0.05, 0.5), canary(0.5, 0.03)]);
    const harmful = [arm(10, 90), arm(1520, 380)] as const;
    expect(decideStage(plan, 1, canaries(harmful, [arm(0, 1), arm(1, 0)])).end).toBe('rolled back');
    expect(decideStage(plan, 1, canaries([arm(0, 0), arm(0, 0)], [arm(0, 1), arm(1, 0)])).end).toBeNull();
  });

  it('does not weigh what a later canary shows, nor counts of a stage that is no canary', () => {
    const plan = planOf([{ kind: 'shadow', minProblems: 1, margin: 0.05 }, canary(0.05, 0.5), canary(0.5, 0.03)]);
    const good = { stage: 1, candidate: arm(10, 0), parent: arm(190, 0) };
    const alone = decideStage(plan, 1, { paired: [], canaries: [good] });
    for (const stage of [0, 2]) {
      const harmful = { stage, candidate: arm(0, 900), parent: arm(900, 0) };
      expect(decideStage(plan, 1, { paired: [], canaries: [good, harmful] })).toMatchObject({
        end: alone.end,
        figures: alone.figures,
      });
    }
  });

  it('rolls back a comparison that did not go as it was drawn, however well the candidate does', () => {
    const plan = planOf([canary(0.5, 0.1)]);
    expect(decideStage(plan, 0, canaries([arm(400, 100), arm(100, 150)]))).toMatchObject({
      end: 'rolled back',
      rule: 'problems are divided as they were drawn',
    });
    expect(decideStage(plan, 0, canaries([arm(400, 0, 100), arm(400, 100, 0)]))).toMatchObject({
      end: 'rolled back',
      rule: 'verdicts are missing as often with either adapter',
    });
  });

  it('of a shadow rolls back on the same problems what takes a canary many more', () => {
    const plan = planOf([{ kind: 'shadow', minProblems: 50, margin: 0.05 }, canary(0.25, 0.03)]);
    expect(decideStage(plan, 0, paired(300, 15, 60)).end).toBe('rolled back');
    expect(decideStage(plan, 0, paired(300, 30, 20)).end).toBe('advanced');
    expect(decideStage(plan, 0, paired(40, 8, 0)).end).toBeNull();
  });

  it('of a shadow counts a lost verdict against the candidate where it would pass, and towards the horizon', () => {
    const plan = planOf([{ kind: 'shadow', minProblems: 50, margin: 0.05 }, canary(0.25, 0.03)], { horizon: 400 });
    expect(decideStage(plan, 0, paired(300, 30, 20, 60)).end).toBeNull();
    expect(decideStage(plan, 0, paired(0, 0, 0, 400)).end).toBe('undecided');
  });

  it('does not run where the plan has none, nor on what are no counts', () => {
    const plan = planOf([canary(0.5, 0.1)]);
    expect(() => decideStage(plan, 1, canaries())).toThrow(/expected one of 1 stages, got 1/);
    expect(() => decideStage(plan, 0, canaries([arm(-1, 0), arm(0, 0)]))).toThrow(/expected counts of problems/);
    const twice = { paired: [], canaries: [0, 0].map((stage) => ({ stage, candidate: arm(1, 0), parent: arm(0, 1) })) };
    expect(() => decideStage(plan, 0, twice)).toThrow(/a stage twice/);
  });
});

describe('the evidence of a recorded decision', () => {
  const text = (value: unknown): string => JSON.stringify({ paired: [], canaries: [], ...(value as object) });
  const deep = `${'['.repeat(7_000)}${']'.repeat(7_000)}`;

  it('is read where it holds counts', () => {
    const evidence = canaries([arm(3, 4), arm(5, 6, 7)]);
    expect(evidenceIn(text({ ...evidence, logEvidence: {} }))).toEqual(evidence);
  });

  it.each<[string, string]>([
    ['no JSON', 'x'],
    ['counts that would take a reader hours', text(canaries([arm(4e15, 0), arm(4e15, 0)]))],
    [
      'more stages than a plan has',
      text(canaries(...Array.from({ length: 17 }, () => [arm(1, 0), arm(1, 0)] as const))),
    ],
    ['what a rule does not read', text({ paired: [{ ...paired(1, 0, 0).paired[0], more: 1 }] })],
    ['nested lists', `{"paired":[${deep}],"canaries":[]}`],
    ['more text than counts take', text({ logEvidence: 'x'.repeat(20_000) })],
  ])('is refused where it holds %s', (_, evidence) => {
    expect(evidenceIn(evidence)).toBeUndefined();
  });
});

describe("today's promotion", () => {
  it('is a plan of one stage: it promotes the same candidates on every evaluation', () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.nat(60),
        fc.nat(100),
        fc.constantFrom(0.05, 0.0024, 0.2),
        fc.integer({ min: 1, max: 80 }),
        (rescued, broken, rest, level, minProblems) => {
          const problems = rescued + broken + rest;
          const plan = planOf([{ kind: 'validation', minProblems, rule: { name: 'better', level } }]);
          const evaluation = {
            ...{
              problemSet: 'v',
              problemSetDigest: 'd',
              problems,
              perDomain: {},
              parentPerDomain: {},
              asked: {},
              repeated: 0,
            },
            ...{
              success: problems === 0 ? 0 : rescued / problems,
              parentSuccess: problems === 0 ? 0 : broken / problems,
              rescued,
              broken,
            },
          };
          const { promote } = decidePromotion({
            candidate: 'c',
            parent: 'p',
            evaluation,
            policy: { rule: 'better', level, minProblems },
          });
          const { end } = decideStage(plan, 0, paired(problems, rescued, broken));
          expect(end === 'promoted').toBe(promote);
          if (problems > 0 && !promote) expect(end).toBe('undecided');
        },
      ),
    );
  });
});

describe('a plan', () => {
  it('that is taken where none is given is valid, and is read again as it was recorded', () => {
    expect(checkedPlan(DEFAULT_RELEASE_PLAN)).toEqual(DEFAULT_RELEASE_PLAN);
    for (const version of RULE_VERSIONS) {
      const plan = { ...DEFAULT_RELEASE_PLAN, version };
      expect(planIn(planText(plan))).toEqual(plan);
    }
    expect(planIn('{}')).toMatch(/^Cannot read a release plan: (?!Cannot)/);
    expect(planIn('{')).toMatch(/Cannot read a release plan/);
  });

  it('is refused where it says what this version does not know, or stages in another order', () => {
    const stages = [canary(0.25, 0.1), canary(0.05, 0.1)];
    expect(() => planOf(stages)).toThrow(/shares that do not fall/);
    expect(() => planOf([canary(0.25, 0.1), { kind: 'shadow', minProblems: 1, margin: 0 }])).toThrow(
      /shadow before canaries/,
    );
    for (const wrong of [
      { version: 3 },
      { alpha: 0 },
      { horizon: 0 },
      { surprise: 1 },
      { stages: [] },
      { tolerance: -0.1 },
    ])
      expect(() => checkedPlan({ ...DEFAULT_RELEASE_PLAN, ...wrong })).toThrow(/Cannot read a release plan/);
  });
});

interface Release {
  readonly end: StageEnd;
  readonly problems: number;
}

/** A release of adapters with these rates, decided on every 25 problems of the stream. */
function release(plan: ReleasePlan, [candidateRate, parentRate]: readonly [number, number], random: Random): Release {
  let [stage, problems] = [0, 0];
  const counts = plan.stages.map((_, at) => ({
    stage: at,
    candidate: { solved: 0, failed: 0, missing: 0 },
    parent: { solved: 0, failed: 0, missing: 0 },
  }));
  for (;;) {
    const { share } = plan.stages[stage] as { readonly share: number };
    for (let i = 0; i < LOOKS_EVERY; i++, problems++) {
      const isCandidate = random.float() < share;
      const isSolved = random.float() < (isCandidate ? candidateRate : parentRate);
      counts[stage]![isCandidate ? 'candidate' : 'parent'][isSolved ? 'solved' : 'failed']++;
    }
    const { end } = decideStage(plan, stage, { paired: [], canaries: counts.slice(0, stage + 1) });
    if (end === 'advanced') stage++;
    else if (end !== null) return { end, problems };
  }
}

function releases(plan: ReleasePlan, rates: readonly [number, number], name: string) {
  const all = Array.from({ length: RELEASES }, (_, i) => release(plan, rates, Random.of(name, i)));
  const endedSo = (end: StageEnd): number => all.filter((each) => each.end === end).length;
  const median = all.map(({ problems }) => problems).sort((a, b) => a - b)[Math.floor(RELEASES / 2)]!;
  const summary = {
    rolledBack: endedSo('rolled back'),
    promoted: endedSo('promoted'),
    undecided: endedSo('undecided'),
    median,
  };
  if (RELEASES >= 200) process.stdout.write(`${name}: ${JSON.stringify(summary)} of ${RELEASES} releases\n`);
  return summary;
}

/** Most of so many that a rule which just keeps its promise shows in all but one of a thousand runs. */
const most = (share: number): number => share * RELEASES + 3 * Math.sqrt(share * (1 - share) * RELEASES);
