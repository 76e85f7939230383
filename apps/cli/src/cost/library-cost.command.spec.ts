/** The estimate of a run of a library, from recorded replies and next to what a recorded run took. */

import { encodeEvent, type SeamEvent } from '@seamstream/events';
import type { LibraryCost } from '@seamstream/operations/cost';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

const RUN = ['--groups', '2', '--group-size', '2'] as const;

describe('seam cost library', () => {
  it('estimates a further run from recorded ones, and says how far it is from what that took', async () => {
    await world.log.append([...runOf('aaaa-first', 100), ...runOf('bbbb-second', 110)].map(encodeEvent));
    const { verified, runs, calls, stages, seconds } = await cost('--verify', 'bbbb');
    expect({ runs, calls, stages }).toMatchObject({ runs: 1, calls: 7, stages: { summary: { calls: 4, replies: 4 } } });
    expect(seconds).toBeCloseTo(7);
    expect(verified).toMatchObject({ runId: 'bbbb-second', calls: 7, tokens: 7 * 120, seconds: 7 });
    expect(verified!.error).toBeCloseTo((7 * 110 - 7 * 120) / (7 * 120));
  });

  it('has money by a declared price or a given one, of the recorded model, and never guesses', async () => {
    await world.log.append(runOf('aaaa-first', 100).map(encodeEvent));
    expect(await cost()).toMatchObject({ model: 'tiny', money: null, currency: null });
    expect(await cost('--price', 'tiny=1/2')).toMatchObject({ money: 7 * 100 + 7 * 10 * 2 });
    expect(await cost('--price', 'tiny=1/2', '--model', 'other')).toMatchObject({ money: null });
    await world.seam('cost', 'prices', 'set', 'tiny', '--prompt', '1', '--completion', '1', ...DECLARED);
    world.takeOutput();
    expect(await cost()).toMatchObject({ money: 7 * 110, currency: 'USD' });
  });

  it('shows what it rests on, next to the run of the paper', async () => {
    expect(await world.seam('cost', 'library', ...RUN, '--trajectory-tokens', '900')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^summary +4 +4,400 +640 +an assumption$/m);
    expect(output).toMatch(/how far it is off is not known/);
    expect(output).toMatch(/Time: no speed is known. Money: no price \(no model is named\)/);
    expect(output).toMatch(/6 hours, \$18/);
  });

  it.each([
    ['a log without replies, where nothing says how long an attempt is', [], /--trajectory-tokens/],
    ['a run that asked no model', ['--trajectory-tokens', '9', '--verify', 'cccc'], /got 0 of none/],
  ])('refuses %s', async (_title, args, message) => {
    expect(await world.seam('cost', 'library', ...RUN, ...args)).not.toBe(0);
    expect(world.takeErrors()).toMatch(message);
  });
});

const DECLARED = ['--currency', 'USD', '--by', 'ada', '--reason', 'price list'] as const;

async function cost(...args: string[]): Promise<LibraryCost> {
  expect(await world.seam('cost', 'library', ...RUN, ...args, '--json')).toBe(0);
  return world.takeJson()[0] as LibraryCost;
}

/** Of two groups of two attempts: a second for each reply, of so many tokens and ten. */
function runOf(runId: string, promptTokens: number): SeamEvent[] {
  const { TrainingRunStarted, LibraryReplyRecorded, TrainingRunRejected } = EXAMPLE_EVENTS;
  const at = (second: number) => ({ occurredAt: 1000 * second });
  const stages = ['summary', 'summary', 'summary', 'summary', 'advantage', 'advantage', 'consolidation'];
  const replies = stages.map((stage, index) => ({
    ...LibraryReplyRecorded,
    ...{ runId, stage, model: 'tiny', promptTokens, responseTokens: 10, callId: `${runId} ${index}` },
    meta: { ...LibraryReplyRecorded.meta, ...at(index + 2), messageId: `${runId} ${index}` },
  }));
  return [
    { ...TrainingRunStarted, runId, meta: { ...TrainingRunStarted.meta, ...at(1), messageId: `${runId} s` } },
    ...replies,
    {
      ...TrainingRunRejected,
      ...{ runId, metrics: { calls: 7, unreadReplies: 0 } },
      meta: { ...TrainingRunRejected.meta, ...at(9), messageId: `${runId} e` },
    },
  ];
}
