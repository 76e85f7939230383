/** Which problems a verifier judges, and which attempt a result is of. */
import type { EventMeta, Problem, VerifierSpec } from './generated/events.generated.js';
import { tenantOf } from './tenants.js';

/** A problem that a verifier judges. Any other waits for feedback and is ungraded without it, never right and never wrong. */
export interface GradedProblem extends Problem {
  readonly reference: string;
  readonly verifier: VerifierSpec;
}

/** A copy whose content is elsewhere does not say so: its type has no prompt of text, and does not fit. */
export function isGraded<P extends Pick<Problem, 'reference' | 'verifier'> & Partial<Pick<Problem, 'prompt'>>>(
  problem: P,
): problem is P & Pick<GradedProblem, 'reference' | 'verifier'> {
  return problem.verifier !== null && problem.reference !== null;
}

/** From this score on an answer that a person judged counts as a success. */
export const FEEDBACK_SUCCESS = 0.5;

interface Tried {
  readonly experienceId: string;
  readonly attemptId: string | null;
}

/** What results count by. An experience that is tried once is its own attempt, as are all that older records speak of. */
export function attemptIdOf({ experienceId, attemptId }: Tried): string {
  return attemptId ?? experienceId;
}

/**
 * Names an attempt among those of all tenants. What is written about it in the name of another tenant than that of its problem is about another
 * attempt, and never in the place of what is its own.
 */
export function tenantsAttempt(
  event: (Tried | { readonly attemptId: string }) & { readonly meta: Pick<EventMeta, 'tenant'> },
): string {
  return `${tenantOf(event.meta)}/${'experienceId' in event ? attemptIdOf(event) : event.attemptId}`;
}

/** The role in which a result follows from its experience: of one attempt there is one result, regardless of who records it. */
export function resultRole({ attemptId }: Pick<Tried, 'attemptId'>): string {
  return attemptId === null ? 'outcome' : `outcome/${attemptId}`;
}
