/** Preference pairs of a file: recorded all or none, once, and under the digest of what they say. */
import { encodeEvent, TOPIC } from '@seamstream/events';
import { readTopics } from '@seamstream/log-reader';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const PAIR = { prompt: 'What is 2 + 3?', chosen: 'It is 5.', rejected: 'It is 6.' };
const OTHER = { prompt: 'What is 2 + 2?', chosen: 'It is 4.', rejected: '', domain: 'sums', source: 'web' };

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam team prefer', () => {
  it('records the pairs of a file once, and prints the name that a warm-up gives them', async () => {
    expect(await prefer([PAIR, OTHER])).toBe(0);
    const said = world.takeOutput();
    const setDigest = /published 2 preference pairs as ([0-9a-f]{64})/.exec(said)![1]!;
    expect(said).toContain(`seam train warm-up --set agent=NAME --set preferences=${setDigest}`);
    expect(await recorded()).toMatchObject([
      { setDigest, index: 0, pairs: 2, row: 1, domain: 'default', ...PAIR, publishedBy: 'ada' },
      { setDigest, index: 1, pairs: 2, row: 2, domain: 'sums', chosen: 'It is 4.', rejected: '' },
    ]);
    expect(await prefer([PAIR, OTHER])).toBe(0);
    expect(world.takeOutput()).toContain(`in the log already: 2 preference pairs as ${setDigest}`);
    expect(await recorded()).toHaveLength(2);
    await prefer([OTHER, PAIR]);
    expect(world.takeOutput()).not.toContain(setDigest);
    expect(await world.seam('audit', '--json')).toBe(0);
    expect(world.takeOutput()).toContain('a preference');
  });

  it.each<[string, object | string, string]>([
    ['no prompt', { chosen: 'a', rejected: 'b' }, 'prompt: expected a text that is not empty, got nothing'],
    ['a chosen answer without text', { ...PAIR, chosen: ' ' }, 'chosen: expected a text that is not empty, got " "'],
    [
      'messages for an answer',
      { ...PAIR, chosen: [{ role: 'user' }] },
      'chosen: expected a text that is not empty, got [',
    ],
    ['no rejected answer', { prompt: 'a', chosen: 'b' }, 'rejected: expected a text, got nothing'],
    [
      'equal answers',
      { ...PAIR, rejected: PAIR.chosen },
      'rejected: expected another text than chosen, got "It is 5."',
    ],
    ['a domain that is no name', { ...PAIR, domain: 'a b' }, 'domain: expected 1 to 64 letters'],
    ['another value', '7', 'expected one JSON object, got 7'],
    ['half a row', '{"prompt": "a"', 'expected one JSON object, got "{\\"prompt\\": \\"a\\""'],
    ['a row that no record holds', { ...PAIR, chosen: 'x'.repeat(262_144) }, 'expected at most 262144 bytes'],
  ])('refuses a file with %s, names file and row, and records nothing', async (_, bad, says) => {
    expect(await prefer([PAIR, bad, OTHER])).toBe(2);
    const errors = world.takeErrors();
    expect(errors).toContain(
      'Cannot publish preferences of pairs.jsonl: 1 of 3 lines cannot be used; nothing was recorded.',
    );
    expect(errors).toContain(`line 2: ${says}`);
    expect(await recorded()).toEqual([]);
  });

  it('refuses a file without a row', async () => {
    expect(await prefer([])).toBe(2);
    expect(world.takeErrors()).toContain('expected at least one line, got none');
  });

  it('is shown with the team that was warmed up', async () => {
    const run = promotedByRun({ adapterDigest: '5b'.repeat(32), slot: 'team', algorithm: 'warm-up', runId: 'run-1' });
    await world.log.append([run[0], EXAMPLE_EVENTS.AgentWarmedUp].map(encodeEvent));
    expect(await world.seam('team', 'show')).toBe(0);
    expect(world.takeOutput()).toContain(
      'planner learned 2 preferred answers of 5c5c5c5c in 3 steps, to 0.7000 nats a token',
    );
  });
});

async function prefer(rows: readonly (object | string)[]): Promise<number> {
  const lines = rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`);
  world.files.set('pairs.jsonl', Buffer.from(lines.join('')));
  return world.seam('team', 'prefer', 'pairs.jsonl', '--by', 'ada');
}

async function recorded() {
  const found = [];
  for await (const { events } of readTopics(world.log, [TOPIC.teams], { undecodable: 'throw' }))
    for (const { event } of events) if (event.type === 'TeamPreferencePublished') found.push(event);
  return found;
}
