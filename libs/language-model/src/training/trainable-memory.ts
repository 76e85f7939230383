/**
 * The state of a training run, shared by its threads: weights, AdamW's moments and one gradient per shard, each one flat
 * array over all trained tensors.
 *
 *   | tensor 0 | pad | tensor 1 | pad | …     each tensor starts at a multiple of 16 elements (64 bytes)
 */
import type { Segment } from './adamw.js';

const ALIGNMENT = 16;
/** Elements of one unit of optimizer work; sums are taken per block and added in order, regardless of the thread that computed them. */
const BLOCK = 65_536;

export interface TrainableMemory {
  readonly segments: readonly Segment[];
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  readonly weights: Float32Array;
  readonly firstMoments: Float32Array;
  readonly secondMoments: Float32Array;
  readonly gradients: readonly Float32Array[];
}

export function allocateMemory(shapes: ReadonlyMap<string, readonly number[]>, shards: number): TrainableMemory {
  const segments: Segment[] = [];
  let at = 0;
  for (const [name, shape] of shapes) {
    const size = shape.reduce((total, length) => total * length, 1);
    segments.push({ name, start: at, end: at + size, decays: shape.length > 1 });
    at = Math.ceil((at + size) / ALIGNMENT) * ALIGNMENT;
  }
  const array = (): Float32Array => new Float32Array(new SharedArrayBuffer(at * 4));
  return {
    segments,
    shapes,
    weights: array(),
    firstMoments: array(),
    secondMoments: array(),
    gradients: Array.from({ length: shards }, array),
  };
}

/** The bounds of block `index`. */
export function blockBounds(memory: TrainableMemory, index: number): { start: number; end: number } {
  return { start: index * BLOCK, end: Math.min((index + 1) * BLOCK, memory.weights.length) };
}

export function blockCount(memory: TrainableMemory): number {
  return Math.ceil(memory.weights.length / BLOCK);
}

/** The tensor that holds element `index`. */
export function segmentAt(memory: TrainableMemory, index: number): Segment | undefined {
  return memory.segments.find(({ start, end }) => index >= start && index < end);
}
