import type { SeamEvent } from '@seamstream/events';
import { answerOf, generated, interleaved, placed, withheld } from '@seamstream/testing/log-of';
import { adapterUseProjection } from './adapter-use.projection.js';

const LOG = placed([
  written({ at: 5, by: 'a' }),
  written({ at: 3, by: null, arm: 'explore' }),
  written({ at: 9, by: 'b', release: ['r', true] }),
  written({ at: 8, by: 'a', release: ['r', false] }),
  written({ at: 2, by: 'a', arm: 'explore' }),
  withheld('p'),
]);

describe('the use of adapters', () => {
  it('counts experiences by who wrote them, with the first and the last time and the releases that drew it', () => {
    const drawn = (asCandidate: number, asParent: number) => [{ releaseId: 'r', asCandidate, asParent }];
    expect(answerOf(adapterUseProjection, LOG)).toEqual([
      { adapterDigest: null, experiences: 1, explored: 1, firstAt: 3, lastAt: 3, releases: [] },
      { adapterDigest: 'a', experiences: 3, explored: 1, firstAt: 2, lastAt: 8, releases: drawn(0, 1) },
      { adapterDigest: 'b', experiences: 1, explored: 0, firstAt: 9, lastAt: 9, releases: drawn(1, 0) },
    ]);
  });

  it('is the same in any order of reading partitions, and when they are read twice', () => {
    const expected = answerOf(adapterUseProjection, LOG);
    for (let seed = 0; seed < 50; seed++)
      expect(answerOf(adapterUseProjection, interleaved(LOG, seed))).toEqual(expected);
    expect(answerOf(adapterUseProjection, [...LOG, ...LOG])).toEqual(expected);
  });
});

interface Written {
  readonly at: number;
  readonly by: string | null;
  readonly arm?: 'explore' | 'deploy';
  readonly release?: readonly [releaseId: string, isCandidate: boolean];
}

function written({ at, by, arm = 'deploy', release }: Written): SeamEvent {
  const event = generated(`p-${at}`, { adapterDigest: by, arm });
  if (event.type !== 'ExperienceGenerated') throw new Error('Cannot write: expected an experience.');
  const [releaseId, isCandidate] = release ?? ['', false];
  return {
    ...{ ...event, meta: { ...event.meta, occurredAt: at } },
    release: release === undefined ? null : { releaseId, stage: 0, unit: 'u', share: null, isCandidate },
  };
}
