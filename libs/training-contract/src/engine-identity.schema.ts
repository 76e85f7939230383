/** What trains, and how far two of its runs of equal steps may be apart. `engine-identity.schema.json` is made from here. */
import type { EngineIdentity, EngineTolerance } from '@seamstream/events';
import { z } from 'zod';

/**
 * A tolerance above these would prove nothing. A run of ten steps that leaves one out is some 0.1 of its change away from the whole one.
 */
const MOST = { weights: 0.05, change: 0.1 };

/** Relative differences of two runs of equal steps, as `AdapterDifference` measures them. */
const engineToleranceSchema = z.strictObject({
  weights: z.number().positive().max(MOST.weights).describe('Of each tensor, relative to the tensor (L2 norms).'),
  change: z
    .number()
    .positive()
    .max(MOST.change)
    .describe('Of all tensors together, relative to how far training moved them (L2 norms).'),
}) satisfies z.ZodType<EngineTolerance>;

/** What a record says of the engine that trained. */
export const engineIdentitySchema = z.strictObject({
  name: z.string().min(1).describe('e.g. onnxruntime, torch.'),
  versions: z.record(z.string(), z.string()).describe('Of the packages that compute, by name.'),
  device: z.string().min(1).describe('e.g. cpu, cuda: NVIDIA H100.'),
  precision: z.string().min(1).describe('Of the computation, e.g. float32, bfloat16.'),
  worldSize: z.int().positive().describe('Processes that compute one step together.'),
  tolerance: engineToleranceSchema.nullable().describe('Null: equal steps give equal bits.'),
}) satisfies z.ZodType<EngineIdentity>;

/** The tolerance that a recorded engine stated; null where it promised equal bits, or states one that would prove nothing. */
export function toleranceOf(recorded: EngineIdentity | null): EngineTolerance | null {
  const parsed = engineIdentitySchema.safeParse(recorded);
  return parsed.success ? parsed.data.tolerance : null;
}
