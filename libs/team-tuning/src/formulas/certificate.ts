/**
 * The lower bound that the method's authors state for a stage's improvement of the team (arXiv 2605.05216):
 *
 *   Σ_i (κ_i √δ_i − a_i δ_i)                         what the updates gain
 *   − 2γ / (1 − γ)² · A_max · Σ_i √(δ_i / 2)          states that are visited otherwise
 *   − Σ_i ζ_i / (1 − γ)                               bias of the advantages
 *   − Σ_i A_max / (1 − γ) · √(ln(2n / δ_conf) / 2N_i)  finite samples
 *
 * Their proof's constants κ, a and ζ are not published; the release has placeholders. So have the defaults here. The bound decides nothing.
 */

export interface CertificateConstants {
  readonly kappa: number;
  readonly a: number;
  readonly zeta: number;
  readonly gamma: number;
  readonly advantageMax: number;
  /** δ_conf. */
  readonly confidence: number;
}

/** κ, a and ζ are placeholders; γ, A_max and δ_conf are those of the release. */
export const CERTIFICATE_CONSTANTS: CertificateConstants = {
  kappa: 1,
  a: 1,
  zeta: 0,
  gamma: 0.99,
  advantageMax: 5,
  confidence: 0.05,
};

export interface Certificate {
  readonly gain: number;
  readonly occupancyShift: number;
  readonly estimatorBias: number;
  readonly finiteSample: number;
  /** gain − the other three. */
  readonly bound: number;
  /** Whether the bound says nothing: no change of a success rate is below −1. */
  readonly isVacuous: boolean;
  readonly constants: CertificateConstants;
}

/** @param updates of each agent: δ that its accepted update measured, and the rollouts that it rests on */
export function certificateOf(
  updates: readonly { readonly distance: number; readonly rollouts: number }[],
  constants: CertificateConstants = CERTIFICATE_CONSTANTS,
): Certificate {
  const { kappa, a, zeta, gamma, advantageMax, confidence } = constants;
  const sumOf = (term: (update: (typeof updates)[number]) => number): number =>
    updates.reduce((sum, update) => sum + term(update), 0);
  const horizon = 1 / (1 - gamma);
  const gain = sumOf(({ distance }) => kappa * Math.sqrt(distance) - a * distance);
  const occupancyShift = 2 * gamma * horizon ** 2 * advantageMax * sumOf(({ distance }) => Math.sqrt(distance / 2));
  const estimatorBias = sumOf(() => zeta * horizon);
  const surprise = Math.log((2 * updates.length) / confidence);
  const finiteSample = sumOf(({ rollouts }) => advantageMax * horizon * Math.sqrt(surprise / (2 * rollouts)));
  const bound = gain - occupancyShift - estimatorBias - finiteSample;
  return { gain, occupancyShift, estimatorBias, finiteSample, bound, isVacuous: isVacuous(bound), constants };
}

const isVacuous = (bound: number): boolean => !(bound > -1);

type Terms = Omit<Certificate, 'constants'>;

/** What a run records of a certificate, by the names of {@link certificateIn}. */
export function certificateFigures(of: Terms): Readonly<Record<string, number>> {
  return {
    certificate: of.bound,
    certificateGain: of.gain,
    certificateOccupancyShift: of.occupancyShift,
    certificateEstimatorBias: of.estimatorBias,
    certificateFiniteSample: of.finiteSample,
  };
}

/** The certificate that a run recorded; null where it recorded none. @param figures of the run, by name */
export function certificateIn(figures: Readonly<Record<string, number>>): Terms | null {
  const { certificate: bound, certificateGain: gain, certificateOccupancyShift: occupancyShift } = figures;
  const { certificateEstimatorBias: estimatorBias, certificateFiniteSample: finiteSample } = figures;
  if (bound === undefined || gain === undefined || occupancyShift === undefined) return null;
  if (estimatorBias === undefined || finiteSample === undefined) return null;
  return { gain, occupancyShift, estimatorBias, finiteSample, bound, isVacuous: isVacuous(bound) };
}

/** The bound in words, for people. */
export function certificateText({ bound, isVacuous: saysNothing }: Pick<Certificate, 'bound' | 'isVacuous'>): string {
  return saysNothing
    ? `vacuous: the bound is ${bound.toFixed(0)}, and no success rate falls by more than 1. It proves nothing here; the distance gate is what holds updates back`
    : `the team's success changes by at least ${bound.toFixed(3)} with the stated constants`;
}
