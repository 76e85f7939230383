import fc from 'fast-check';
import { decideStage, type ReleaseEvidence } from './release.decide.js';
import { checkedPlan, DEFAULT_RELEASE_PLAN, type ReleasePlan } from './release-plan.js';
import { stageEstimate } from './stage-estimate.js';

const few = fc.nat(120);
const arm = fc.record({ solved: few, failed: few, missing: fc.constant(0) });
const risks = { sampleRatio: 1e-300, missing: 1e-300 };
const planOf = (stages: ReleasePlan['stages'], tolerance: number): ReleasePlan =>
  checkedPlan({ ...DEFAULT_RELEASE_PLAN, guardrails: risks, horizon: 1e6, tolerance, stages });

/** What an interval that holds at every look says of the stage. */
function said(plan: ReleasePlan, stage: number, evidence: ReleaseEvidence, margin: number): string {
  const [low, high] = stageEstimate(plan, stage, evidence)?.interval ?? [-1, 1];
  return high < -plan.tolerance ? 'rolled back' : low > -margin ? 'promoted' : 'open';
}

const decided = (plan: ReleasePlan, stage: number, evidence: ReleaseEvidence): string =>
  decideStage(plan, stage, evidence).end ?? 'open';

describe('the estimate of a stage', () => {
  it('of a shadow says what the rule decides, verdicts that are missing included', () => {
    fc.assert(
      fc.property(fc.record({ alone: few, parent: few, both: few, missing: fc.nat(40) }), (counts) => {
        const plan = planOf([{ kind: 'shadow', minProblems: 1, margin: 0.1 }], 0.02);
        const problems = counts.alone + counts.parent + counts.both;
        const { alone: candidateAlone, parent: parentAlone, missing } = counts;
        const evidence = { paired: [{ stage: 0, problems, candidateAlone, parentAlone, missing }], canaries: [] };
        expect(said(plan, 0, evidence, 0.1)).toBe(decided(plan, 0, evidence));
      }),
    );
  });

  it('of a canary says what the rule decides, the canaries before it included', () => {
    const verdicts = new Set<string>();
    fc.assert(
      fc.property(arm, arm, arm, arm, (candidate, parent, before, other) => {
        const stages = [0.1, 0.3].map((share) => ({ kind: 'canary', share, minProblems: 1, margin: 0.15 }) as const);
        const plan = planOf(stages, 0.05);
        const canaries = [
          { stage: 0, candidate: before, parent: other },
          { stage: 1, candidate, parent },
        ];
        const evidence = { paired: [], canaries };
        // An arm that is empty in both stages can be weighed, but not compared.
        fc.pre(stageEstimate(plan, 1, evidence) !== null && canaries[1]!.candidate.solved + candidate.failed > 0);
        const verdict = said(plan, 1, evidence, 0.15);
        verdicts.add(verdict);
        expect(verdict).toBe(decided(plan, 1, evidence));
      }),
      { numRuns: 100 },
    );
    expect(verdicts.size).toBeGreaterThan(1);
  });

  it('of a shadow is absent while every verdict is missing', () => {
    const plan = planOf([{ kind: 'shadow', minProblems: 1, margin: 0.1 }], 0);
    const counts = { stage: 0, problems: 0, candidateAlone: 0, parentAlone: 0, missing: 3 };
    expect(stageEstimate(plan, 0, { paired: [counts], canaries: [] })).toBeNull();
  });

  it('is wider where less risk is taken, and absent where nothing was asked', () => {
    const stages = [{ kind: 'canary', share: 0.5, minProblems: 1, margin: 0.1 }] as const;
    const plan = planOf([...stages], 0);
    const of = (solved: number, failed: number) => ({ solved, failed, missing: 0 });
    const evidence = { paired: [], canaries: [{ stage: 0, candidate: of(60, 40), parent: of(40, 60) }] };
    const [usual, careful] = [plan, { ...plan, alpha: 0.001 }].map((each) => stageEstimate(each, 0, evidence)!);
    expect(usual!.difference).toBeCloseTo(0.2, 12);
    expect(careful!.interval[0]).toBeLessThan(usual!.interval[0]);
    expect(careful!.interval[1]).toBeGreaterThan(usual!.interval[1]);
    expect(stageEstimate(plan, 0, { paired: [], canaries: [] })).toBeNull();
  });
});
