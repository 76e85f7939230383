/**
 * Whether two runs of equal steps came to the same weights. Norms are L2 over a whole tensor: Adam moves a weight without a gradient by the
 * sign of rounding errors, so the largest difference of one weight says nothing.
 */
import type { EngineTolerance } from '@seamstream/events';
import type { Adapter } from '@seamstream/language-model';

type Tensors = Pick<Adapter, 'tensors'>;

export interface AdapterDifference {
  /** max over tensors of ‖a − b‖ / ‖a‖; infinite where the tensors are not the same ones. */
  readonly weights: number;
  /** The tensor with it; null where there is none. */
  readonly tensor: string | null;
  /** √Σ‖a − b‖² / √Σ‖a − start‖² over all tensors: 1 for weights that were not trained. */
  readonly change: number;
}

/**
 * How far b is from a.
 * @param start what both were trained from, with the same tensors
 */
export function differenceOf(a: Tensors, b: Tensors, start: Tensors): AdapterDifference {
  if (!haveSameTensors(a, b) || !haveSameTensors(a, start))
    return { weights: Number.POSITIVE_INFINITY, tensor: null, change: Number.POSITIVE_INFINITY };
  const worst = { weights: 0, tensor: null as string | null };
  let apart = 0;
  let moved = 0;
  for (const [name, { data }] of a.tensors) {
    const between = squaredDistance(data, b.tensors.get(name)!.data);
    apart += between;
    moved += squaredDistance(data, start.tensors.get(name)!.data);
    const weights = ratio(between, squaredDistance(data, undefined));
    if (weights > worst.weights) Object.assign(worst, { weights, tensor: name });
  }
  return { ...worst, change: ratio(apart, moved) };
}

export function isWithin({ weights, change }: AdapterDifference, tolerance: EngineTolerance): boolean {
  return weights <= tolerance.weights && change <= tolerance.change;
}

function haveSameTensors({ tensors: one }: Tensors, { tensors: other }: Tensors): boolean {
  return one.size === other.size && [...one].every(([name, { data }]) => other.get(name)?.data.length === data.length);
}

/** @param other absent: the origin */
function squaredDistance(one: Float32Array, other: Float32Array | undefined): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at]! - (other?.[at] ?? 0)) ** 2;
  return sum;
}

/** √(part / whole); nothing of nothing is 0, something of nothing infinite, what is no number infinite. */
function ratio(part: number, whole: number): number {
  if (part === 0) return 0;
  const found = Math.sqrt(part / whole);
  return Number.isNaN(found) ? Number.POSITIVE_INFINITY : found;
}
