import { encodeEvent, originMeta, type SeamEvent } from '@seamstream/events';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const shownPrompts = (output: string): string[] =>
  [...output.matchAll(/"(What is \d+\?)"/g)].map((match) => match[1] ?? '');

describe('seam tail', () => {
  it('shows the last records of all partitions in the order of time', async () => {
    const world = await withProblems(30);
    expect(await world.seam('tail', 'problems', '--limit', '3')).toBe(0);
    const output = world.takeOutput();
    expect(shownPrompts(output)).toEqual(['What is 27?', 'What is 28?', 'What is 29?']);
    expect(output.split('\n')[0]).toMatch(
      /^12:00:27\.000 +\d\/\d+ {2}ProblemPublished +p27 sums explore "What is 27\?"$/,
    );
  });

  it('begins at the earliest record, at an offset or at a time', async () => {
    const world = await withProblems(8);
    await world.seam('tail', 'seam.problems', '--from', 'earliest', '--limit', '2');
    expect(shownPrompts(world.takeOutput())).toEqual(['What is 0?', 'What is 1?']);
    await world.seam('tail', 'problems', '--from', '2030-01-31T12:00:05Z');
    expect(shownPrompts(world.takeOutput())).toEqual(['What is 5?', 'What is 6?', 'What is 7?']);
    await world.seam('tail', 'problems', '--from', '1000000');
    expect(world.takeOutput()).toBe('');
    await world.seam('tail', 'problems', '--from', '0');
    expect(shownPrompts(world.takeOutput())).toHaveLength(8);
  });

  it('says why it shows nothing', async () => {
    const world = await withProblems(3);
    for (const [args, expected] of [
      [['problems', '--domain', 'nosuch'], 'None of the 3 records in problems is one of --domain nosuch.\n'],
      [['outcomes'], 'There is no record in outcomes.\n'],
      [['problems', '--from', 'latest'], 'There is no record in problems from that place on.\n'],
    ] as const) {
      expect(await world.seam('tail', ...args)).toBe(0);
      expect(world.takeOutput()).toBe('');
      expect(world.takeErrors()).toBe(expected);
    }
    await world.seam('tail', 'problems');
    expect(world.takeErrors()).toBe('');
  });

  it('shows one partition only, and names those there are', async () => {
    const world = await withProblems(12);
    await world.seam('tail', 'problems', '--from', 'earliest', '--partition', '2', '--json');
    const partitions = (world.takeJson() as { partition: number }[]).map(({ partition }) => partition);
    expect(partitions.length).toBeGreaterThan(0);
    expect(new Set(partitions)).toEqual(new Set([2]));
    expect(await world.seam('tail', 'problems', '--partition', '9')).toBe(2);
    expect(world.takeErrors()).toContain('expected 0 to 3 for seam.problems, got 9');
  });

  it('shows a record that is no event by its error and first bytes, and continues', async () => {
    const world = await fakeWorld();
    await world.log.append([{ topic: 'seam.problems', key: 'x', value: Buffer.from([0x1b, 0x5b, 0x32, 0x4a, 0xff]) }]);
    world.clock.advance(1);
    await world.log.append([encodeEvent(problem('p1', 'What is 1?'))]);
    expect(await world.seam('tail', 'problems')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/MALFORMED_RECORD +5 B: 1b 5b 32 4a ff\n/);
    expect(shownPrompts(output)).toEqual(['What is 1?']);
    await world.seam('tail', 'problems', '--json');
    expect(world.takeJson()[0]).toMatchObject({ error: { code: 'MALFORMED_RECORD' }, value: 'G1sySv8=' });
  });

  it('writes control characters of a text as escapes', async () => {
    const world = await fakeWorld();
    await world.log.append([encodeEvent(problem('p1', 'a\u001b[2Jb\nc\u202ed'))]);
    await world.seam('tail', 'problems');
    expect(world.takeOutput()).toContain('"a\\u001b[2Jb\\nc\\u202ed"');
  });

  it('follows new records until Ctrl-C, which is no failure', async () => {
    const world = await withProblems(2);
    const ended = world.seam('tail', 'problems', '--follow', '--from', 'latest');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await world.log.append([encodeEvent(problem('p9', 'What is 9?'))]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    world.interrupt();
    expect(await ended).toBe(0);
    expect(shownPrompts(world.takeOutput())).toEqual(['What is 9?']);
  });

  it('ends a follower at its limit', async () => {
    const world = await withProblems(2);
    const ended = world.seam('tail', 'problems', '--follow', '--from', 'earliest', '--limit', '3');
    await world.log.append([encodeEvent(problem('p8', 'What is 8?')), encodeEvent(problem('p9', 'What is 9?'))]);
    expect(await ended).toBe(0);
    expect(shownPrompts(world.takeOutput())).toHaveLength(3);
  });

  it('lists the topics when there is no such topic, and the places when there is no such place', async () => {
    const world = await fakeWorld();
    expect(await world.seam('tail', 'replies')).toBe(2);
    expect(world.takeErrors()).toContain(
      'expected one of access, adapters, answers, buffer, dead-letters, experiences, feedback, outcomes, problems, teams, training, usage, got "replies"',
    );
    expect(await world.seam('tail', 'problems', '--from', 'yesterday')).toBe(2);
    expect(world.takeErrors()).toContain('expected earliest, latest, an offset (42) or a time');
  });
});

function problem(id: string, prompt: string): SeamEvent {
  const meta = {
    messageId: `m-${id}`,
    correlationId: id,
    source: 'seam/test',
    occurredAt: 0,
    sourceClass: 'user',
  } as const;
  return {
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task: null,
    meta: originMeta(meta),
    problem: {
      problemId: id,
      domain: 'sums',
      prompt,
      reference: '5',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    mode: 'explore',
    expiresAt: null,
  };
}

/** Problems p0, p1, … one second apart. */
async function withProblems(count: number): Promise<FakeWorld> {
  const world = await fakeWorld();
  for (let i = 0; i < count; i++) {
    await world.log.append([encodeEvent(problem(`p${i}`, `What is ${i}?`))]);
    world.clock.advance(1000);
  }
  return world;
}
