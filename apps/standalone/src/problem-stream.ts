/** The embedded world's problems as events: which problems a round publishes, as a pure function of seed and round. */

import { worldProblems } from '@seamstream/embedded-world';
import { originMeta, type SeamEvent } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';

export interface RoundRequest {
  readonly seed: number;
  readonly round: number;
  readonly phase: 'base' | 'shifted';
  readonly roundSize: number;
  readonly occurredAt: number;
}

/** Events of a round in their order. In the shifted phase every second problem, on average, is of the new variant. */
export function problemsOfRound({ seed, round, phase, roundSize, occurredAt }: RoundRequest): readonly SeamEvent[] {
  const random = Random.of('stream', seed, round);
  const request = { seed: `stream/${seed}`, split: 'train', count: roundSize, startIndex: round * roundSize } as const;
  const base = worldProblems({ ...request, variant: 'base' });
  const shifted = phase === 'shifted' ? worldProblems({ ...request, variant: 'shifted' }) : [];
  return base.map((problem, index) => {
    const chosen = phase === 'shifted' && random.float() < 0.5 ? (shifted[index] ?? problem) : problem;
    const problemId = derivedId(`embedded-world/${seed}`, 'problem', round * roundSize + index);
    return {
      type: 'ProblemPublished',
      meta: originMeta({
        messageId: derivedId(problemId, 'published'),
        correlationId: problemId,
        occurredAt,
        source: 'seam/standalone',
        sourceClass: 'trusted',
      }),
      problem: { ...chosen, problemId, metadata: { ...chosen.metadata, round: String(round), phase } },
      mode: 'explore',
      expiresAt: null,
    } satisfies SeamEvent;
  });
}
