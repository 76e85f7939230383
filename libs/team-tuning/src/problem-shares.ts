/** Which problems each batch of a stage has, where the team is sampled again before each agent. */
import { SeamError } from '@seamstream/kernel';

/** even: as many for each, one more or less. rounded-up: the first release, which left the last batches short or without any. */
export type Division = 'even' | 'rounded-up';

/**
 * The problems of each batch, in their order. Both ways are one where the problems divide evenly.
 * @param count of batches
 * @throws DATA_REFUSED where a batch would have none; stages of the first release are made again as they were
 */
export function problemShares<T>(problems: readonly T[], count: number, division: Division): readonly (readonly T[])[] {
  const { length } = problems;
  if (division === 'rounded-up') {
    const size = Math.ceil(length / count);
    return Array.from({ length: count }, (_, batch) => problems.slice(batch * size, (batch + 1) * size));
  }
  if (length < count)
    throw new SeamError(
      'DATA_REFUSED',
      `Cannot tune a team of ${count} agents: expected at least ${count} problems, one for each agent's batch, got ${length}. Publish more, or learn from one batch (--set resample=false).`,
    );
  const startOf = (batch: number): number => Math.floor((batch * length) / count);
  return Array.from({ length: count }, (_, batch) => problems.slice(startOf(batch), startOf(batch + 1)));
}
