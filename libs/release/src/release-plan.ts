/** What a person declares before an adapter is tried on traffic: the stages, and by which figures each ends. */
import { canonicalJson, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { NEWEST_RULE, RULE_VERSIONS } from './rule-version.js';

export const MOST_STAGES = 16;

const share = z.number().gt(0).lt(1);
const risk = z.number().gt(0).lt(1);
/** How much lower than its parent's the candidate's success may be, as a fraction. */
const margin = z.number().min(0).lt(1);
const minProblems = z.int().min(1);

const stageSchema = z.discriminatedUnion('kind', [
  /** The evaluation on record in which candidate and parent were asked the same problems. */
  z.strictObject({
    kind: z.literal('validation'),
    minProblems,
    /** `better`: evidence of 1 / level that the candidate is better. `margin`: that it is not worse by more. */
    rule: z.discriminatedUnion('name', [
      z.strictObject({ name: z.literal('better'), level: risk }),
      z.strictObject({ name: z.literal('margin'), margin }),
    ]),
  }),
  /** Both adapters write for each problem of the stream, and only the parent's entry is anybody's answer. */
  z.strictObject({ kind: z.literal('shadow'), minProblems, margin }),
  /** The candidate writes for a share of the problems. */
  z.strictObject({ kind: z.literal('canary'), share, minProblems, margin }),
]);

const planSchema = z
  .strictObject({
    /** How problems are counted. A plan of a rule that is not known here is refused, and never read by another. */
    version: z.literal(RULE_VERSIONS),
    /** Probability that an adapter is rolled back although it is not worse than tolerated, by each kind of stage; and as much that the last stage promotes one that is worse than its margin. */
    alpha: risk,
    /** What results are compared with: a rate between those of the arms makes decisions earlier, and any keeps them valid. */
    centre: z.number().min(0).max(1),
    /** A candidate that is worse than its parent by more than this, beyond chance, is rolled back. */
    tolerance: margin,
    /** Most problems of all stages on the stream: what is undecided by then is not promoted. */
    horizon: minProblems,
    /** Risks that a comparison is called untrustworthy although it went as it was drawn. */
    guardrails: z.strictObject({ sampleRatio: risk, missing: risk }),
    stages: z.array(stageSchema).min(1).max(MOST_STAGES),
  })
  .refine(
    ({ stages }) => stages.every((stage, at) => stageOrder(stage) >= stageOrder(stages[at - 1] ?? stage)),
    'expected validation before shadow before canaries, and shares that do not fall',
  );

/** Validation before shadow before canaries by share. */
function stageOrder(stage: ReleaseStage): number {
  return stage.kind === 'canary' ? 2 + stage.share : stage.kind === 'shadow' ? 1 : 0;
}

export type ReleaseStage = z.infer<typeof stageSchema>;
export type ReleasePlan = z.infer<typeof planSchema>;

/**
 * The ramp where nothing else is said: cheap comparisons first, a short canary against disasters, then larger ones. The last margin decides
 * what is promoted; docs/how-to/releases.md says how many problems each takes.
 */
export const DEFAULT_RELEASE_PLAN: ReleasePlan = {
  version: NEWEST_RULE,
  alpha: 0.05,
  centre: 0.5,
  tolerance: 0,
  horizon: 20_000,
  guardrails: { sampleRatio: 0.001, missing: 0.001 },
  stages: [
    { kind: 'validation', minProblems: 32, rule: { name: 'margin', margin: 0.05 } },
    { kind: 'shadow', minProblems: 100, margin: 0.05 },
    { kind: 'canary', share: 0.05, minProblems: 100, margin: 0.5 },
    { kind: 'canary', share: 0.25, minProblems: 300, margin: 0.1 },
    { kind: 'canary', share: 0.5, minProblems: 500, margin: 0.03 },
  ],
};

/** @throws INVALID_INPUT for what is no plan of this version */
export function checkedPlan(plan: unknown): ReleasePlan {
  const read = planSchema.safeParse(plan);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read a release plan: ${issue!.path.join('.') || 'the plan'}: ${issue!.message}. Compare it with "seam release plan --show".`,
  );
}

/** The plan that an event records; a text where it is not one. */
export function planIn(text: string): ReleasePlan | string {
  try {
    return checkedPlan(JSON.parse(text));
  } catch (error) {
    return isSeamError(error) ? error.message : `Cannot read a release plan: ${messageOf(error)}.`;
  }
}

export const planText = (plan: ReleasePlan): string => canonicalJson(plan);
