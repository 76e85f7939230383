/** Multinomial logistic regression without pairs of features: what each feature speaks for is a number, and the sum decides. */

/** How often something with these features had each label. */
export interface Counted {
  readonly features: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

/** Steps of gradient ascent, and how far each draws weights to 0. */
const STEPS = 400;
const DECAY = 1e-3;

/** Fits by gradient ascent from 0: a function of what was counted. @returns the score of a label for features; one never met counts 0 */
export function fitAdditive(
  rows: readonly Counted[],
  labels: readonly string[],
): (features: readonly string[], label: string) => number {
  const places = new Map<string, number>();
  // A row without a label says nothing, and a feature that was met in such rows alone was never met.
  const labelled = rows.filter(({ counts }) => labels.some((label) => (counts.get(label) ?? 0) > 0));
  const known = labelled.map(({ features, counts }) => ({
    at: features.map((feature) => {
      const place = places.get(feature) ?? places.size;
      places.set(feature, place);
      return place * labels.length;
    }),
    counts: labels.map((label) => counts.get(label) ?? 0),
    total: labels.reduce((sum, label) => sum + (counts.get(label) ?? 0), 0),
  }));
  const weights = new Float64Array(places.size * labels.length);
  const met = new Float64Array(weights.length);
  for (const { at, total } of known)
    for (const place of at) for (const [i] of labels.entries()) met[place + i]! += total;
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(weights.length);
    for (const { at, counts, total } of known) {
      const likely = softmax(labels.map((_, i) => at.reduce((sum, place) => sum + weights[place + i]!, 0)));
      for (const place of at)
        for (const [i, count] of counts.entries()) gradient[place + i]! += count - total * likely[i]!;
    }
    // By how often a feature was met: rare ones are fitted as well as frequent ones.
    for (const [i, slope] of gradient.entries()) weights[i] = (1 - DECAY) * weights[i]! + slope / met[i]!;
  }
  return (features, label) =>
    features.reduce((sum, feature) => {
      const place = places.get(feature);
      return place === undefined ? sum : sum + weights[place * labels.length + labels.indexOf(label)]!;
    }, 0);
}

function softmax(scores: readonly number[]): readonly number[] {
  const most = Math.max(...scores);
  const powers = scores.map((each) => Math.exp(each - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
