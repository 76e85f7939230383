/** What an adapter changed against its parent, and which adapters were in use, as commands say it. */
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { attempted, generated } from '@seamstream/testing/log-of';
import { evaluatedByPerson, evaluationOf } from '@seamstream/testing/promotion-log';
import { adapterPublished, runStarted } from '@seamstream/testing/training-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const ADAPTER = 'a111'.padEnd(64, '0');
const difference = {
  ...{ problemId: 'v-1', domain: 'sums', question: 'How many?', rescued: true },
  ...{ parentEntry: '{"hint":"guess"}', parentAnswer: null, entry: '{"hint":"carry"}', answer: '4' },
};
const compared = { ...evaluationOf(0.75, 0.5), problems: 8, rescued: 3, broken: 1, differences: [difference] };

describe('seam adapters changes', () => {
  it('shows problems that were rescued with what both said, and counts those that the log has not', async () => {
    const world = await withEvents(adapterPublished(ADAPTER, null, 'r'), evaluatedByPerson(ADAPTER, compared));
    expect(await world.seam('adapters', 'changes', 'a111')).toBe(0);
    const output = world.takeOutput();
    expect(output).toContain('it rescued 3 that its parent (the base model) did not solve, and broke 1.');
    expect(output).toMatch(
      /rescued +v-1 \(sums\)\nquestion +How many\?\nentry before +{"hint":"guess"}\nanswer before +–/,
    );
    expect(output).toMatch(/entry after +{"hint":"carry"}\nanswer after +4\n\n3 further ones the log only counts\.\n$/);
    await world.seam('adapters', 'changes', 'a111', '--json');
    expect(world.takeJson()).toMatchObject([{ rescued: 3, broken: 1, differences: [difference], onlyCounted: 3 }]);
    await world.seam('adapters', '--json');
    expect(world.takeOutput()).not.toContain(difference.problemId);
  });

  it('says so where the two were not asked the same problems', async () => {
    const world = await withEvents(adapterPublished(ADAPTER, null, 'r'));
    await world.seam('adapters', 'changes', 'a111');
    expect(world.takeOutput()).toBe(
      'It was not asked the same problems as its parent (the base model), side by side.\n',
    );
  });
});

describe('seam adapters use', () => {
  it('counts what each one wrote, the one in use last first, and what no published adapter wrote together', async () => {
    const world = await withEvents(
      adapterPublished(ADAPTER, null, 'r'),
      ...[writtenAt(1_000, null), writtenAt(2_000, ADAPTER), writtenAt(5_000, ADAPTER), writtenAt(9_000, 'f00d')],
    );
    expect(await world.seam('adapters', 'use')).toBe(0);
    const output = world.takeOutput();
    const [, ...rows] = output.split('\n\n')[0]!.split('\n');
    expect(output).toMatch(/\n\nUnknown: 1 digest of no published adapter\. Last in use: f00d\.\n$/);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 7))).toEqual([
      ['a1110000', '1', 'published', '2', '0', '1970-01-01 00:00:02', '1970-01-01 00:00:05'],
      ['base', '–', 'served', '1', '0', '1970-01-01 00:00:01', '1970-01-01 00:00:01'],
      ['unknown', '–', '–', '1', '0', '–', '1970-01-01 00:00:09'],
    ]);
  });

  it('says so where nothing was written', async () => {
    const world = await fakeWorld();
    await world.seam('adapters', 'use');
    expect(world.takeOutput()).toBe('No experience was written yet.\n');
  });
});

describe('commands that read the log as it was', () => {
  it.each([
    ['adapters list', 'No adapters yet', 'a1110000'],
    ['adapters use', 'No experience was written yet', 'a1110000'],
    ['cost spent arm', 'No attempt of an executor', 'deploy'],
    ['adapters show a111', 'there are none yet', 'a1110000'],
    ['show p-1', 'got none of the 0 in the log', 'How many?'],
    ['runs list', 'No training runs yet', 'run-one'],
    ['runs show run-one', 'Cannot', 'sft'],
    ['runs compare run-one run-two', 'Cannot', 'run-two'],
    ['cost prices list', 'No price was declared', 'tiny'],
  ])('seam %s has nothing that came later', async (command, then, now) => {
    const world = await withEvents();
    const solved = attempted('p-1', true, { adapterDigest: ADAPTER, arm: 'deploy' });
    const events = [...solved, adapterPublished(ADAPTER, null, 'r')];
    const others = [runStarted('run-one', 'sft'), runStarted('run-two', 'sft'), EXAMPLE_EVENTS.PriceDeclared];
    await world.log.append([...events, ...others].map((event) => ({ ...encodeEvent(event), timestampMs: 5_000 })));
    const printed = async (...options: string[]) => {
      await world.seam(...command.split(' '), ...options);
      return world.takeOutput() + world.takeErrors();
    };
    expect(await printed('--as-of', '1970-01-01T00:00:04Z')).toContain(then);
    expect(await printed('--as-of', '1970-01-01T00:00:05Z')).toContain(now);
  });

  it('are those that have the option: another one refuses it', async () => {
    const world = await fakeWorld();
    for (const command of ['adapters tree', 'buffer export'])
      expect([command, await world.seam(...command.split(' '), '--as-of', '1970-01-01')]).toEqual([command, 2]);
  });
});

async function withEvents(...events: readonly SeamEvent[]): Promise<FakeWorld> {
  const world = await fakeWorld();
  await world.log.append(events.map(encodeEvent));
  return world;
}

/** An entry as its generator wrote it at a time. */
function writtenAt(at: number, adapterDigest: string | null): SeamEvent {
  const event = generated(`p-${at}`, { adapterDigest, arm: 'deploy' });
  return { ...event, meta: { ...event.meta, occurredAt: at } };
}
