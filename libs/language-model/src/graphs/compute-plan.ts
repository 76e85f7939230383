/**
 * How a model is spread over processor cores. A small model is computed by many one-threaded lanes: results do not depend on
 * their number. A large one would need its weights once per lane and its products are wide enough for all cores at once: it has
 * one lane, whose sums the runtime divides among its threads.
 */
import { availableParallelism } from 'node:os';
import type { ExecutionProvider, SessionSettings } from '@seamstream/tensor-graph';
import { checkpointShapes } from '../checkpoint/model-config.js';
import type { ModelConfig } from '../checkpoint/model-config.types.js';

export interface ComputePlan {
  readonly executionProvider: ExecutionProvider;
  /** Lanes that compute different work at the same time. */
  readonly lanes: number;
  /** Threads that share one product of a lane. */
  readonly threadsPerLane: number;
  /**
   * One session for prompts and candidates, and weights that stay mapped: a process that overwrites the file of a running model
   * changes the model. The weights of a small one are read into memory.
   */
  readonly isLarge: boolean;
  /** Memory for the keys and values of candidates that advance together, in bytes. */
  readonly cacheBytes: number;
}

export interface ComputeSettings {
  /** Cores to use; all when absent. Results of small models do not depend on it. */
  readonly threads?: number;
  /** Default cpu. What another lacks is refused while loading. */
  readonly executionProvider?: ExecutionProvider;
  /** Default 2 GiB. */
  readonly cacheBytes?: number;
}

/** Weights of 256 MB: two lanes of them fill the caches of no processor, and four copies begin to fill its memory. */
const LARGE_PARAMETERS = 64e6;
const DEFAULT_CACHE_BYTES = 2 ** 31;

export function computePlan(config: ModelConfig, settings: ComputeSettings): ComputePlan {
  const { threads = availableParallelism(), executionProvider = 'cpu', cacheBytes = DEFAULT_CACHE_BYTES } = settings;
  // A graphics processor is one lane, whose memory should hold the weights once.
  const isLarge = executionProvider !== 'cpu' || parameterCount(config) >= LARGE_PARAMETERS;
  const [lanes, threadsPerLane] = isLarge ? [1, threads] : [threads, 1];
  return { executionProvider, lanes, threadsPerLane, isLarge, cacheBytes };
}

/** How a plan's sessions are compiled. */
export function sessionSettings({ executionProvider, threadsPerLane }: ComputePlan): SessionSettings {
  return { executionProvider, threads: threadsPerLane };
}

function parameterCount(config: ModelConfig): number {
  let count = 0;
  for (const shape of checkpointShapes(config).values()) count += shape.reduce((total, size) => total * size, 1);
  return count;
}
