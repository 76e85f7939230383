import type { SeamEvent } from '@seamstream/events';
import { answerOf, generated, interleaved, placed, withheld } from '@seamstream/testing/log-of';
import { releasePlanned } from '@seamstream/testing/release-log';
import { adapterPublished } from '@seamstream/testing/training-log';
import { adapterUseProjection } from './adapter-use.projection.js';

const again = written({ at: 2, by: 'a', arm: 'explore' });
const LOG = placed([
  written({ at: 5, by: 'a' }),
  written({ at: 3, by: null, arm: 'explore' }),
  written({ at: 9, by: 'b', release: ['r', true] }),
  written({ at: 8, by: 'a', release: ['r', false] }),
  ...[again, { ...again, meta: { ...again.meta, messageId: 'again', occurredAt: 20 } }],
  written({ at: 7, by: 'f', release: ['r', true] }),
  written({ at: 6, by: 'e'.repeat(65), arm: 'explore' }),
  written({ at: 4, by: 'b', release: ['unplanned', true] }),
  withheld('p'),
  ...['a', 'b', 'unused'].map((digest) => adapterPublished(digest, null, `run-${digest}`)),
  releasePlanned({ releaseId: 'r', candidate: 'b', parent: 'a', plan: {} }),
]);

describe('the use of adapters', () => {
  it('counts experiences by who wrote them, with the first and the last time and the releases that drew it', () => {
    const drawn = (asCandidate: number, asParent: number) => [{ releaseId: 'r', asCandidate, asParent }];
    expect(answerOf(adapterUseProjection, LOG).adapters).toEqual([
      { adapterDigest: null, experiences: 1, explored: 1, firstAt: 3, lastAt: 3, releases: [] },
      { adapterDigest: 'a', experiences: 3, explored: 1, firstAt: 2, lastAt: 8, releases: drawn(0, 1) },
      { adapterDigest: 'b', experiences: 2, explored: 0, firstAt: 4, lastAt: 9, releases: drawn(1, 0) },
    ]);
  });

  it('counts digests of no published adapter together, and names the last of them', () => {
    expect(answerOf(adapterUseProjection, LOG).unknown).toEqual({
      ...{ digests: 2, experiences: 2, explored: 1, lastAt: 7 },
      latest: ['f', expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    const known = LOG.filter(([event]) => event.type !== 'ExperienceGenerated' || event.adapterDigest === 'a');
    expect(answerOf(adapterUseProjection, known).unknown).toBeNull();
  });

  it('is the same in any order of reading partitions, and when they are read twice', () => {
    const expected = answerOf(adapterUseProjection, LOG);
    for (let seed = 0; seed < 50; seed++)
      expect(answerOf(adapterUseProjection, interleaved(LOG, seed))).toEqual(expected);
    expect(answerOf(adapterUseProjection, [...LOG, ...LOG])).toEqual(expected);
  });

  it('stays small however many digests and releases are made up', () => {
    const events = Array.from({ length: 5000 }, (_, at) =>
      written({ at, by: `made-up-${at}`, release: [`r-${at}`, true] }),
    );
    const drawnByBase = Array.from({ length: 500 }, (_, at) => written({ at, by: null, release: [`r-${at}`, true] }));
    const log = placed([...events, ...drawnByBase.map((event, at) => ofProblem(event, `base-${at}`))]);
    const state = log.reduce(
      (folded, [event, position]) => adapterUseProjection.evolve(folded, event, position),
      adapterUseProjection.initialState(),
    );
    // Cells are on disk, and a snapshot has the rest.
    expect(JSON.stringify([...state.adapters, ...state.lastUses, ...state.planned]).length).toBeLessThan(100_000);
    const { adapters, unknown } = adapterUseProjection.read(state);
    expect(adapters).toMatchObject([{ adapterDigest: null, experiences: 500, releases: [] }]);
    const latest = [4999, 4998, 4997, 4996, 4995].map((at) => `made-up-${at}`);
    expect(unknown).toEqual({ digests: 5000, experiences: 5000, explored: 0, lastAt: 4999, latest });
  });
});

interface Written {
  readonly at: number;
  readonly by: string | null;
  readonly arm?: 'explore' | 'deploy';
  readonly release?: readonly [releaseId: string, isCandidate: boolean];
}

function written({ at, by, arm = 'deploy', release }: Written): SeamEvent & { type: 'ExperienceGenerated' } {
  const event = generated(`p-${at}`, { adapterDigest: by, arm });
  if (event.type !== 'ExperienceGenerated') throw new Error('Cannot write: expected an experience.');
  const [releaseId, isCandidate] = release ?? ['', false];
  return {
    ...{ ...event, meta: { ...event.meta, occurredAt: at } },
    release: release === undefined ? null : { releaseId, stage: 0, unit: 'u', share: null, isCandidate },
  };
}

const ofProblem = (event: SeamEvent & { type: 'ExperienceGenerated' }, problemId: string): SeamEvent => ({
  ...event,
  problem: { ...event.problem, problemId },
});
