import { encodeEvent, originMeta } from '@seamstream/events';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

interface Letter {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: Uint8Array | null;
  readonly group?: string;
  readonly code?: string;
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
}

const ADA = ['--by', 'ada', '--reason', 'mended'];
let letters = 0;

describe('seam dead-letters', () => {
  it('says that there are none', async () => {
    const world = await fakeWorld();
    expect(await world.seam('dead-letters', 'list')).toBe(0);
    expect(world.takeOutput()).toBe('No dead letters.\n');
  });

  it('lists record, group, code and reason, and sums up by code', async () => {
    const world = await poisoned();
    expect(await world.seam('dead-letters', 'list')).toBe(0);
    const lines = world.takeOutput().split('\n');
    expect(lines[0]).toMatch(/^TIME +RECORD +GROUP +CODE +REDRIVEN +REASON$/);
    expect(lines[1]).toMatch(
      /^2030-01-31 12:00:00 +seam\.problems\/\d\/0 +seam\/generator +MALFORMED_RECORD +no +bad \\u001b\[1m$/,
    );
    expect(lines[4]).toBe('3 dead letters: MALFORMED_RECORD 2, UNKNOWN_SCHEMA 1');
  });

  it('filters by code and topic and gives the bytes as base64', async () => {
    const world = await poisoned();
    await world.seam('dead-letters', 'list', '--code', 'UNKNOWN_SCHEMA', '--topic', 'problems', '--json');
    expect(world.takeJson()).toMatchObject([
      { deadLetters: [{ code: 'UNKNOWN_SCHEMA', value: Buffer.from('poison').toString('base64') }], unreadable: 0 },
    ]);
    await world.seam('dead-letters', 'list', '--topic', 'outcomes', '--json');
    expect(world.takeJson()).toMatchObject([{ deadLetters: [] }]);
  });

  it('redrives each record once with its original key, bytes, headers and partition', async () => {
    const world = await poisoned();
    const before = await records(world, 'seam.problems');
    expect(await world.seam('dead-letters', 'redrive', ...ADA, '--json')).toBe(0);
    expect(world.takeJson()).toEqual([
      {
        selected: 3,
        toRedrive: 2,
        redriven: 2,
        alreadyRedriven: 0,
        sameRecord: 1,
        withoutTopic: 0,
        unreadable: 0,
        dryRun: false,
      },
    ]);
    const after = await records(world, 'seam.problems');
    expect(after).toHaveLength(4);
    for (const original of before) {
      const place = `seam.problems/${original.partition}/${original.offset}`;
      const copy = after.find(({ headers }) => headers['seam-redrive-of'] === place);
      expect(copy?.partition).toBe(original.partition);
      expect(copy?.key).toBe(original.key);
      expect(Buffer.from(copy?.value ?? [])).toEqual(original.value);
      expect(copy?.headers).toMatchObject(original.headers);
    }
  });

  it('changes nothing the second time', async () => {
    const world = await poisoned();
    await world.seam('dead-letters', 'redrive', ...ADA);
    expect(world.takeOutput()).toBe('Redrove 2 records.\n1 letter named a record that another letter named too.\n');
    await world.seam('dead-letters', 'redrive', ...ADA);
    expect(world.takeOutput()).toContain('Redrove 0 records.\n2 records were redriven before.\n');
    expect(await records(world, 'seam.problems')).toHaveLength(4);
    await world.seam('dead-letters', 'list', '--json');
    expect(world.takeJson()).toMatchObject([
      { deadLetters: [{ redriven: true }, { redriven: true }, { redriven: true }] },
    ]);
  });

  it('redrives a record that failed again after its redrive', async () => {
    const world = await poisoned();
    await world.seam('dead-letters', 'redrive', ...ADA, '--code', 'UNKNOWN_SCHEMA');
    const copy = (await records(world, 'seam.problems')).find(({ headers }) => 'seam-redrive-of' in headers);
    await deadLetter(world, { ...copy!, value: copy!.value, headers: { ...copy!.headers }, code: 'UNKNOWN_SCHEMA' });
    world.takeOutput();
    await world.seam('dead-letters', 'redrive', ...ADA, '--code', 'UNKNOWN_SCHEMA');
    expect(world.takeOutput()).toBe('Redrove 1 record.\n1 record was redriven before.\n');
  });

  it('redrives nothing of what the log could not show: there are no bytes to send again', async () => {
    const world = await poisoned();
    await deadLetter(world, { topic: 'seam.problems', partition: 0, offset: 7, value: null, code: 'UNREADABLE_BATCH' });
    world.takeOutput();
    await world.seam('dead-letters', 'redrive', ...ADA, '--code', 'UNREADABLE_BATCH');
    expect(world.takeOutput()).toBe(
      'Redrove 0 records.\n1 letter stood for bytes that cannot be read: publish them again.\n',
    );
  });

  it('needs a reason, and records it and who acts with the records', async () => {
    const world = await poisoned();
    for (const words of [[], ['--by', 'ada'], ['--by', ' ', '--reason', 'mended']])
      expect(await world.seam('dead-letters', 'redrive', ...words)).toBe(2);
    expect(await records(world, 'seam.problems')).toHaveLength(2);
    await world.seam('dead-letters', 'redrive', ...ADA);
    world.takeOutput();
    await world.seam('audit', '--act', 'redrive', '--json');
    expect(world.takeJson()).toMatchObject([{ acts: [{ by: 'ada', what: '2 records (mended)', times: 1 }] }]);
  });

  it('records nothing in a dry run, and nothing for a topic that is not there', async () => {
    const world = await poisoned();
    await deadLetter(world, { topic: 'seam.nowhere', partition: 0, offset: 0, value: null });
    await world.seam('dead-letters', 'redrive', '--dry-run');
    expect(world.takeOutput()).toContain('Would redrive 2 records (--dry-run: nothing was recorded).');
    expect(await records(world, 'seam.problems')).toHaveLength(2);
    await world.seam('dead-letters', 'redrive', ...ADA, '--json');
    expect(world.takeJson()).toMatchObject([{ redriven: 2, withoutTopic: 1 }]);
  });
});

async function deadLetter(world: FakeWorld, letter: Letter): Promise<void> {
  const meta = originMeta({
    messageId: `letter-${letters++}`,
    correlationId: 'c',
    source: 'seam/test',
    occurredAt: world.clock.now(),
    sourceClass: 'trusted',
  });
  const { group = 'seam/generator', code = 'MALFORMED_RECORD', key = null, headers = {} } = letter;
  await world.log.append([
    encodeEvent({
      type: 'DeadLettered',
      meta,
      ...letter,
      group,
      code,
      key,
      headers,
      reason: `bad \u001b[1m`,
      attempts: 1,
    }),
  ]);
  world.clock.advance(1000);
}

/** Two poison records in seam.problems, dead-lettered; the first by two groups. */
async function poisoned(): Promise<FakeWorld> {
  const world = await fakeWorld();
  const bytes = [Buffer.from([0, 255, 10, 13]), Buffer.from('poison')];
  const places = await world.log.append([
    { topic: 'seam.problems', key: 'a', value: bytes[0]!, headers: { ce_id: 'one' } },
    { topic: 'seam.problems', key: null, value: bytes[1]!, partition: 3 },
  ]);
  await deadLetter(world, { ...places[0]!, key: 'a', value: bytes[0]!, headers: { ce_id: 'one' } });
  await deadLetter(world, { ...places[0]!, key: 'a', value: bytes[0]!, group: 'seam/other' });
  await deadLetter(world, { ...places[1]!, value: bytes[1]!, code: 'UNKNOWN_SCHEMA' });
  return world;
}

async function records(world: FakeWorld, topic: string) {
  const found = [];
  for (const { partition } of await world.log.watermarks(topic)) {
    for await (const chunk of world.log.read({ topic, partition, from: 0 })) found.push(...chunk);
  }
  return found;
}
