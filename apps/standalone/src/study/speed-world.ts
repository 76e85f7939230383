/** The problems on which the study of learning speed runs the loop and another trainer: the same in the same order for both. */
import { planSchemaFor } from '@seamstream/attribute-world';
import { entrySchemaFor } from '@seamstream/embedded-world';
import type { Problem } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { attributeSource, type ProblemSource, worldSource } from '../problem-stream.js';
import { attributeSet, attributeWorldOf, heldOutProblems } from '../world-files.js';

export const SPEED_METHODS = ['experiences', 'attributes'] as const;
type SpeedMethod = (typeof SPEED_METHODS)[number];

export interface SpeedWorld {
  /** Neither trained on nor used in any decision. */
  readonly heldOut: readonly Problem[];
  /** The first rounds that the loop publishes. */
  published(rounds: number): readonly Problem[];
  /** @throws NOT_FOUND for a domain of another world */
  schemaFor(domain: string): JsonSchema;
}

interface SpeedWorldSizes {
  readonly roundSize: number;
  /** Most held-out problems. In a world of attributes a problem that is drawn twice counts once. */
  readonly heldOut: number;
}

/** The demonstration `method` on a seed, without a shift. */
export function speedWorld(method: SpeedMethod, seed: number, { roundSize, heldOut }: SpeedWorldSizes): SpeedWorld {
  const isOfAttributes = method === 'attributes';
  const settings = { method, seed } as const;
  const source = isOfAttributes ? attributeSource(settings) : worldSource(seed);
  return {
    heldOut: isOfAttributes
      ? attributeSet(attributeWorldOf(settings), 'heldOut', heldOut)
      : heldOutProblems('base', heldOut),
    published: (rounds) => Array.from({ length: rounds }, (_, done) => roundOf(source, done, roundSize)).flat(),
    schemaFor: (domain) => known(isOfAttributes ? planSchemaFor(domain) : entrySchemaFor(domain), domain),
  };
}

function roundOf(source: ProblemSource, done: number, roundSize: number): readonly Problem[] {
  const place = { round: done + 1, startIndex: done * roundSize };
  const events = source({ ...place, phase: 'base', roundSize, count: roundSize, occurredAt: 0 });
  return events.flatMap((event) => (event.type === 'ProblemPublished' ? [event.problem] : []));
}

function known(schema: JsonSchema | undefined, domain: string): JsonSchema {
  if (schema !== undefined) return schema;
  throw new SeamError(
    'NOT_FOUND',
    `Cannot judge an entry: expected a domain of the world that is studied, got ${domain}. Read its problems alone.`,
  );
}
