/** What is known of a problem: its story, and what of that does not count. */
import type { Doubt } from '@seamstream/evidence';
import type { AdapterLineage, EventPosition, ProblemStory } from '@seamstream/read-models';
import type { ProblemCost } from '../cost/problem-cost.js';

export interface ToldStory {
  readonly story: ProblemStory;
  /** By place why a result does not count; those that do have none. */
  readonly doubts: ReadonlyMap<string, Doubt>;
  readonly lineage: AdapterLineage;
  /** Clients confined to a tenant learn of adapters what is in the attempts of their problem. */
  readonly knowsServed: boolean;
  /** Of results that count, and of entries that a generator wrote about what was published. */
  readonly cost: ProblemCost;
}

export const placeName = ({ topic, partition, offset }: EventPosition): string => `${topic}/${partition}/${offset}`;
