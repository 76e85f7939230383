import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { UNSHOWN } from '@seamstream/log-reader';
import { openLog } from '@seamstream/testing';
import { attempted } from '@seamstream/testing/log-of';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { all, explored, FORGERIES, problemAbout } from '@seamstream/testing/result-log';
import { type AgainstBase, againstBase } from './against-base.js';
import { readStory } from './read-story.js';

const SERVED = 'a'.repeat(64);
const promoted = promotedByRun({ adapterDigest: SERVED, parent: null });

describe('a problem with the base and with what is served', () => {
  it('counts the judged answers of each, and shows the first in the order of writing', async () => {
    const told = await toldOf([...promoted, ...all(answered([null, SERVED, null, SERVED], [1, 2, 3]))]);
    const answer = expect.any(String) as string;
    expect(told).toEqual({
      served: SERVED,
      base: { judged: 2, solved: 1, first: { entry: 'entry 0', answer, isSolved: false } },
      adapter: { digest: SERVED, judged: 2, solved: 2, first: { entry: 'entry 1', answer, isSolved: true } },
    });
  });

  it('has the newest adapter that answered where what is served did not', async () => {
    const before = ['b', 'c'].map((digit) => digit.repeat(64));
    const events = [...before.flatMap((adapterDigest) => promotedByRun({ adapterDigest })), ...promoted];
    const told = await toldOf([...events, ...all(answered([null, ...before], [1]))]);
    expect(told).toMatchObject({ served: SERVED, base: { judged: 1 }, adapter: { digest: before[1], solved: 0 } });
    const both = await toldOf([...events, ...all(answered([null, ...before, SERVED], [1]))]);
    expect(both).toMatchObject({ served: SERVED, adapter: { digest: SERVED } });
  });

  it('has no candidate that was never promoted, and no adapter of another slot', async () => {
    const [refused, judge] = ['d', 'e'].map((digit) => digit.repeat(64));
    const [started, adapter, completed] = promotedByRun({ adapterDigest: refused! });
    const events = [
      started,
      adapter,
      completed,
      ...promotedByRun({ adapterDigest: judge!, slot: 'judge' }),
      ...promoted,
    ];
    const told = await toldOf([...events, ...all(answered([null, refused!, judge!], [1, 2]))]);
    expect(told).toMatchObject({ served: SERVED, base: { judged: 1 }, adapter: null });
  });

  it('has nothing of a writer without a judged answer', async () => {
    const { published, experiences } = answered([null, SERVED], []);
    expect(await toldOf([...promoted, published, ...experiences])).toMatchObject({ base: null, adapter: null });
    expect(await toldOf(all(answered([null], [0])))).toMatchObject({
      served: null,
      base: { solved: 1 },
      adapter: null,
    });
  });

  it('leaves out answers without an entry, and results that nothing in the log bears out', async () => {
    expect(await toldOf(attempted('p', true, { arm: 'control' }))).toMatchObject({ base: null });
    const { published, experiences, outcomes } = answered([null, null], [0, 1]);
    const forged = FORGERIES['with other tokens']!(outcomes[0]!, outcomes[0]!);
    const told = await toldOf([published, ...experiences, forged, outcomes[1]!]);
    expect(told.base).toMatchObject({ judged: 1, first: { entry: 'entry 1' } });
  });
});

/** A group with a candidate of each writer; those whose index is in `solved` succeed. */
function answered(writers: readonly (string | null)[], solved: readonly number[]) {
  const entryOf = (index: number) => `entry ${index}`;
  const { published, ...of } = explored(problemAbout('p'), { groupSize: writers.length, solved, entryOf });
  const by = <T extends { readonly candidateIndex: number }>(event: T) => ({
    ...event,
    adapterDigest: writers[event.candidateIndex]!,
    // That the adapter was published for.
    baseModelDigest: 'b',
  });
  return { published, experiences: of.experiences.map(by), outcomes: of.outcomes.map(by) };
}

async function toldOf(events: readonly SeamEvent[]): Promise<AgainstBase> {
  const log = await openLog();
  await log.append(events.map(encodeEvent));
  return againstBase(await readStory(log, 'p', { signal: new AbortController().signal, progress: () => UNSHOWN }))!;
}
