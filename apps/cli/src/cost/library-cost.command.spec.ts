/** The estimate of a run of a library, from recorded replies and next to what a recorded run took. */

import { type EventOf, encodeEvent, type SeamEvent } from '@seamstream/events';
import type { LibraryCost } from '@seamstream/operations/cost';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

const RUN = ['--groups', '2', '--group-size', '2'] as const;

describe('seam cost library', () => {
  it('estimates a run as it was planned, from the other runs, and says how far it is from what it took', async () => {
    await world.log.append([...runOf('aaaa-first', 100), ...runOf('bbbb-second', 110)].map(encodeEvent));
    const { verified, runs, calls, stages, seconds, plan } = await cost('--verify', 'bbbb');
    expect(plan).toMatchObject({ groups: 2, groupSize: 2, batchSize: 4, epochs: 1 });
    expect({ runs, calls, stages }).toMatchObject({ runs: 1, calls: 7, stages: { summary: { calls: 4, replies: 4 } } });
    expect(seconds).toBeCloseTo(7);
    expect(verified).toMatchObject({ runId: 'bbbb-second', calls: 7, tokens: 7 * 120, seconds: 7 });
    expect(verified!.error).toBeCloseTo((7 * 110 - 7 * 120) / (7 * 120));
    // What a person says comes before the plan of the run.
    expect(await cost('--verify', 'bbbb', '--groups', '4')).toMatchObject({ calls: 13 });
    expect(await cost('--verify', 'bbbb', '--group-size', '1.5')).toMatchObject({ calls: 6 });
  });

  it('counts time in which the model was at work: side by side once, and no pause of a run that was stopped', async () => {
    const events = runOf('aaaa-first', 100).map((event, at) =>
      at < 4 ? event : { ...event, meta: { ...event.meta, occurredAt: event.meta.occurredAt + 3_600_000 } },
    );
    await world.log.append(events.map(encodeEvent));
    expect((await cost(...RUN)).seconds).toBeCloseTo(7);
    // All replies at once take a second together.
    world = await fakeWorld();
    const atOnce = runOf('aaaa-first', 100).map((event) => ({ ...event, meta: { ...event.meta, occurredAt: 9000 } }));
    await world.log.append(atOnce.map(encodeEvent));
    expect((await cost(...RUN)).seconds).toBeCloseTo(1);
    expect((await cost(...RUN, '--tokens-per-second', '0.5')).seconds).toBeCloseTo(140);
    // An earlier release recorded no times.
    world = await fakeWorld();
    await world.log.append(runOf('aaaa-first', 100, { latencyMs: null }).map(encodeEvent));
    expect((await cost(...RUN)).seconds).toBeNull();
  });

  it('rests on the replies of the model that is asked for, and says where they are those of another', async () => {
    await world.log.append(
      [...runOf('aaaa-first', 100), ...runOf('bbbb-second', 500, { model: 'large' })].map(encodeEvent),
    );
    expect(await cost(...RUN)).toMatchObject({ model: 'large', promptTokens: 7 * 500, runs: 1 });
    expect(await cost(...RUN, '--model', 'tiny')).toMatchObject({ promptTokens: 7 * 100, ...accountsOf('tiny') });
    const other = await cost(...RUN, '--model', 'new');
    expect(other).toMatchObject({ model: 'new', error: null, seconds: null, ...accountsOf('large') });
    await world.seam('cost', 'library', ...RUN, '--model', 'new');
    expect(world.takeOutput()).toMatch(/^summary .* 4 recorded replies of large$/m);
    // Texts that were written directly say nothing of comparisons.
    world = await fakeWorld();
    await world.log.append(runOf('aaaa-first', 100, {}, 'problems').map(encodeEvent));
    expect(await cost(...RUN, '--trajectory-tokens', '9')).toMatchObject({ runs: 0, ...accountsOf(null) });
    expect(await cost(...RUN, '--evidence', 'problems')).toMatchObject({ runs: 1, calls: 3 });
  });

  it('mixes stages that are recorded and others, and says of each what it rests on', async () => {
    const large = runOf('aaaa-first', 500, { model: 'large' });
    const isCut = (event: SeamEvent): boolean => event.type === 'LibraryReplyRecorded' && event.stage !== 'summary';
    const cut = runOf('bbbb-second', 100).filter((event) => !isCut(event));
    await world.log.append([...large, ...cut].map(encodeEvent));
    const { stages } = await cost(...RUN, '--model', 'tiny');
    const basisOf = Object.values(stages).map(({ basis, repliesOf }) => [basis, repliesOf]);
    expect(basisOf).toEqual([
      ['own', 'tiny'],
      ['others', 'large'],
      ['others', 'large'],
    ]);
    world = await fakeWorld();
    await world.log.append(cut.map(encodeEvent));
    await world.seam('cost', 'library', ...RUN);
    const output = world.takeOutput();
    expect(output).toMatch(/^summary .* 4 recorded replies$/m);
    expect(output).toMatch(/^advantage .* an assumption$/m);
    expect(output).toContain('is not known: advantage is assumed, consolidation is assumed)');
  });

  it('asks again in a stage whose recorded replies could not be read', async () => {
    const cut = runOf('aaaa-first', 100).map((event) =>
      event.type === 'LibraryReplyRecorded' && event.stage === 'consolidation' ? { ...event, isWhole: false } : event,
    );
    await world.log.append(cut.map(encodeEvent));
    const { stages } = await cost(...RUN);
    expect([stages.summary.calls, stages.advantage.calls, stages.consolidation.calls]).toEqual([4, 2, 3]);
  });

  it('has money by a declared price or a given one, of the recorded model, and never guesses', async () => {
    await world.log.append(runOf('aaaa-first', 100).map(encodeEvent));
    expect(await cost(...RUN)).toMatchObject({ model: 'tiny', money: null, currency: null });
    expect(await cost(...RUN, '--price', 'tiny=1/2')).toMatchObject({ money: 7 * 100 + 7 * 10 * 2 });
    expect(await cost(...RUN, '--price', 'tiny=1/2', '--model', 'other')).toMatchObject({ money: null });
    await world.seam('cost', 'prices', 'set', 'tiny', '--prompt', '1', '--completion', '1', ...DECLARED);
    world.takeOutput();
    expect(await cost(...RUN)).toMatchObject({ money: 7 * 110, currency: 'USD' });
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
    ['a speed of nothing', ['--tokens-per-second', '0'], /expected a number above 0, got "0"/],
  ])('refuses %s', async (_title, args, message) => {
    expect(await world.seam('cost', 'library', ...RUN, ...args)).not.toBe(0);
    expect(world.takeErrors()).toMatch(message);
  });

  it('does not guess how many groups count', async () => {
    await world.log.append(runOf('aaaa-first', 100).slice(0, -1).map(encodeEvent));
    expect(await world.seam('cost', 'library')).not.toBe(0);
    expect(world.takeErrors()).toMatch(/expected how many groups count, got none/);
    expect(await world.seam('cost', 'library', '--verify', 'aaaa')).not.toBe(0);
    expect(world.takeErrors()).toMatch(/expected how many groups count, got none/);
  });
});

const DECLARED = ['--currency', 'USD', '--by', 'ada', '--reason', 'price list'] as const;

const accountsOf = (model: string | null) => ({ stages: { summary: { repliesOf: model } } });

async function cost(...args: string[]): Promise<LibraryCost> {
  expect(await world.seam('cost', 'library', ...args, '--json')).toBe(0);
  return world.takeJson()[0] as LibraryCost;
}

const OPERATIONS = JSON.stringify({ operations: [{ operation: 'add', text: 'Count twice.', reason: '' }] });

/** Of two groups of two attempts: a second for each reply, of so many tokens and ten. The first run is the earlier one. */
function runOf(
  runId: string,
  promptTokens: number,
  reply: Partial<EventOf<'LibraryReplyRecorded'>> = {},
  evidence = 'groups',
): SeamEvent[] {
  const { TrainingRunPlanned, LibraryReplyRecorded, TrainingRunRejected } = EXAMPLE_EVENTS;
  const from = runId.startsWith('a') ? 0 : 100;
  const at = (second: number) => ({ occurredAt: 1000 * (from + second) });
  const stages = ['summary', 'summary', 'summary', 'summary', 'advantage', 'advantage', 'consolidation'];
  const replies = stages.map((stage, index) => ({
    ...{ ...LibraryReplyRecorded, model: 'tiny', latencyMs: 1000, ...reply },
    ...{ runId, stage, promptTokens, responseTokens: 10, callId: `${runId} ${index}` },
    content: stage === 'summary' ? 'It guessed.' : OPERATIONS,
    meta: { ...LibraryReplyRecorded.meta, ...at(index + 2), messageId: `${runId} ${index}` },
  }));
  const configuration = JSON.stringify({ algorithm: { evidence, batchSize: 4, epochs: 1, maxOperations: 3 } });
  const metrics = { liveGroups: 2, liveAttempts: 4 };
  return [
    {
      ...TrainingRunPlanned,
      ...{ runId, method: 'library', configuration },
      meta: { ...TrainingRunPlanned.meta, ...at(1), messageId: `${runId} p` },
    },
    ...replies,
    {
      ...TrainingRunRejected,
      ...{ runId, metrics },
      meta: { ...TrainingRunRejected.meta, ...at(9), messageId: `${runId} e` },
    },
  ];
}
