import { armResult } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { measureShift, type ShiftMeasuring, type Stored, servedAfterRounds, servedInShift } from './measure-shift.js';
import { worldSource } from './problem-stream.js';
import { evolveLoopProgress, initialLoopProgress, type LoopProgress } from './round-progress.js';

/** A round of each phase given. The run of each ends with a promotion. */
function progressOf(...phases: ('base' | 'shifted')[]): LoopProgress {
  const source = worldSource(1);
  const events = phases.flatMap((phase, at) => [
    ...source({ round: at + 1, phase, roundSize: 8, startIndex: 8 * at, count: 8, occurredAt: 0 }),
    ...promotedByRun({
      ...{ adapterDigest: `adapter-${at + 1}`, runId: `run-${at + 1}`, occurredAt: 10 * (at + 1) },
      configuration: JSON.stringify({ window: { index: at + 1 } }),
    }),
  ]);
  return events.reduce(evolveLoopProgress, initialLoopProgress());
}

const digestOf = (stored: Stored | null): string | null => stored?.adapterDigest ?? null;

describe('what was served in a shift', () => {
  it('is what stood when the last round before it had ended, and after each round of it', () => {
    const shift = servedInShift(progressOf('base', 'base', 'shifted', 'shifted'))!;
    expect([shift.before, ...shift.after].map(({ round, served }) => [round, digestOf(served)])).toEqual([
      [2, 'adapter-2'],
      [3, 'adapter-3'],
      [4, 'adapter-4'],
    ]);
  });

  it('is known of every round that has ended, in a run without a shift too', () => {
    const served = servedAfterRounds(progressOf('base', 'base', 'base'));
    expect(served.map(({ round, served: own }) => [round, digestOf(own)])).toEqual([
      [1, 'adapter-1'],
      [2, 'adapter-2'],
      [3, 'adapter-3'],
    ]);
  });

  it('is nothing in a run without one', () => {
    expect(servedInShift(progressOf('base', 'base'))).toBeNull();
  });
});

describe('the measurement of a shift', () => {
  const problems = (count: number): readonly Problem[] =>
    Array.from({ length: count }, (_, i) => ({ problemId: `${count}-${i}`, domain: 'd' }) as Problem);
  const [news, old] = [problems(4), problems(8)];
  const resultFor = (asked: readonly Problem[], right: number) => {
    const nothing = asked.map(() => null);
    return armResult(asked, { solved: asked.map((_, i) => i < right), unjudged: nothing, judgedBy: nothing });
  };

  it('asks each adapter once, and what is known of the last one not again', async () => {
    const stored = (adapterDigest: string): Stored => ({ adapterDigest, key: adapterDigest });
    const asked: string[] = [];
    const measuring: ShiftMeasuring = {
      problems: { new: news, old },
      last: { served: stored('b'), onOld: resultFor(old, 7) },
      load: (each) => Promise.resolve({ digest: digestOf(each) } as never),
      resultOf: (adapter, set) => {
        const { digest } = adapter as unknown as { digest: string };
        asked.push(`${digest} ${set.length}`);
        return Promise.resolve(resultFor(set, digest === 'a' ? 1 : 3));
      },
    };
    const served = [stored('a'), stored('a'), stored('b'), stored('b')];
    const points = await measureShift(
      served.map((each, at) => ({ round: at + 2, served: each })),
      measuring,
    );
    expect(asked).toEqual(['a 4', 'a 8', 'b 4']);
    expect(points.map(({ round, onNew, onOld }) => [round, onNew.success, onOld.success])).toEqual([
      [2, 0.25, 0.125],
      [3, 0.25, 0.125],
      [4, 0.75, 0.875],
      [5, 0.75, 0.875],
    ]);
  });
});
