/** What a person declares for the guard of a slot: how sure it has to be of harm, and what it does then. */
import { canonicalJson, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { NEWEST_RULE, RULE_VERSIONS } from './rule-version.js';

/** Domains that a plan may name. */
export const MOST_WEIGHTS = 256;

const risk = z.number().gt(0).lt(1);
const planSchema = z
  .strictObject({
    /** How problems are counted. A plan of a rule that is not known here is refused, and never read by another. */
    version: z.literal(RULE_VERSIONS),
    /** Probability that any domain without harm is ever muted for an adapter, however many domains come. */
    alpha: risk,
    /** What results are compared with: a rate between those of the arms mutes earlier, and any keeps it valid. */
    centre: z.number().min(0).max(1),
    /** Parts of the risk by domain. What is left is for domains that the plan does not name. */
    weights: z
      .record(z.string(), z.number().min(0).max(1))
      .refine((weights) => Object.keys(weights).length <= MOST_WEIGHTS, `expected at most ${MOST_WEIGHTS} weights`)
      // A rounding error of a sum of fractions is no weight too much.
      .refine((weights) => sumOf(weights) <= 1 + 1e-9, 'expected weights that sum to 1 at most'),
    /** Of the problems of a muted domain, those that get an experience: what a muted adapter does is still measured. */
    share: z.number().gt(0).max(0.5),
    /** Risks at which the comparison of a domain is not trusted, and mutes nothing. */
    guardrails: z.strictObject({ sampleRatio: risk, missing: risk }),
  })
  .readonly();

export type GuardPlan = z.infer<typeof planSchema>;

/** Where nothing else is said. The centre and the weights are taken of the traffic when it is declared. */
export const DEFAULT_GUARD_PLAN: GuardPlan = {
  version: NEWEST_RULE,
  alpha: 0.05,
  centre: 0.5,
  weights: {},
  share: 0.02,
  guardrails: { sampleRatio: 0.001, missing: 0.001 },
};

const sumOf = (weights: Readonly<Record<string, number>>): number =>
  Object.values(weights).reduce((sum, weight) => sum + weight, 0);

/** @throws INVALID_INPUT for what is no plan of this version */
export function checkedGuardPlan(plan: unknown): GuardPlan {
  const read = planSchema.safeParse(plan);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read the plan of a guard: ${issue!.path.join('.') || 'the plan'}: ${issue!.message}. Compare it with "seam release guard on --show".`,
  );
}

/** The plan that an event records; a text where it is not one. */
export function guardPlanIn(text: string): GuardPlan | string {
  try {
    return checkedGuardPlan(JSON.parse(text));
  } catch (error) {
    return isSeamError(error) ? error.message : `Cannot read the plan of a guard: ${messageOf(error)}.`;
  }
}

export const guardPlanText = (plan: GuardPlan): string => canonicalJson(plan);
