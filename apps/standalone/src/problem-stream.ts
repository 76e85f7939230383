/** The embedded world's problems as events: which problems a round publishes, as a pure function of seed and round. */

import { worldProblems } from '@seamstream/embedded-world';
import { originMeta, type Problem, type SeamEvent } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';

export interface RoundRequest {
  readonly seed: number;
  readonly round: number;
  readonly phase: 'base' | 'shifted';
  readonly roundSize: number;
  readonly occurredAt: number;
}

/** Where a problem stands in a stream that this driver published. */
export interface StreamPlace {
  readonly round: number;
  readonly phase: 'base' | 'shifted';
}

const problemIdOf = (stream: string, number: number): string =>
  derivedId(`embedded-world/${stream}`, 'problem', number);

/** The place that a problem's metadata names, if its id confirms it; null for problems of anybody else. */
export function placeInStream({ problemId, metadata }: Pick<Problem, 'problemId' | 'metadata'>): StreamPlace | null {
  const { stream, number, round, phase } = metadata;
  if (stream === undefined || problemId !== problemIdOf(stream, Number(number))) return null;
  return { round: Number(round), phase: phase === 'shifted' ? 'shifted' : 'base' };
}

/** Events of a round in their order. In the shifted phase every second problem, on average, is of the new variant. */
export function problemsOfRound({ seed, round, phase, roundSize, occurredAt }: RoundRequest): readonly SeamEvent[] {
  const random = Random.of('stream', seed, round);
  const request = { seed: `stream/${seed}`, split: 'train', count: roundSize, startIndex: round * roundSize } as const;
  const base = worldProblems({ ...request, variant: 'base' });
  const shifted = phase === 'shifted' ? worldProblems({ ...request, variant: 'shifted' }) : [];
  return base.map((problem, index) => {
    const chosen = phase === 'shifted' && random.float() < 0.5 ? (shifted[index] ?? problem) : problem;
    const number = round * roundSize + index;
    const problemId = problemIdOf(String(seed), number);
    return {
      type: 'ProblemPublished',
      meta: originMeta({
        messageId: derivedId(problemId, 'published'),
        correlationId: problemId,
        occurredAt,
        source: 'seam/standalone',
        sourceClass: 'trusted',
      }),
      problem: {
        ...chosen,
        problemId,
        metadata: { ...chosen.metadata, stream: String(seed), number: String(number), round: String(round), phase },
      },
      mode: 'explore',
      expiresAt: null,
    } satisfies SeamEvent;
  });
}
