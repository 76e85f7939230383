import { InMemoryEventLog, InMemoryLogStorage } from '@seamstream/event-log';
import { describeEventLogContract } from '@seamstream/event-log/contract';
import { decodeEvent, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { EXAMPLE_EVENTS, openLog, recordsOf } from '@seamstream/testing';
import { attest, TRUST_ALL } from './attestation.js';
import { generateKey, parseSigningKey, parseTrustedKeys } from './keys.js';
import { SignedEventLog, type SignedEventLogOptions } from './signed-event-log.js';

const { privatePem, trusted } = generateKey('everything', ['adapters', 'promotions', 'manifests']);
const key = parseSigningKey(privatePem, 'key');
const keys = parseTrustedKeys(JSON.stringify({ keys: [trusted] }), 'trusted');
const buffers = generateKey('buffers', ['manifests']);
const stranger = parseSigningKey(generateKey('stranger', []).privatePem, 'key');
const { AdapterPromoted: promoted, BufferCommitted: committed, SuccessAdmitted: admitted } = EXAMPLE_EVENTS;

describeEventLogContract('a signed log', async (clock) => {
  const storage = new InMemoryLogStorage();
  const trust = { keys, unsigned: 'refused' } as const;
  return {
    open: async () =>
      new SignedEventLog({ log: new InMemoryEventLog({ storage, clock }), key, trust, onRefused: () => undefined }),
    dispose: async () => undefined,
  };
});

async function open(options: Partial<SignedEventLogOptions> = {}) {
  const bare = await openLog();
  const refused: string[] = [];
  const log = new SignedEventLog({
    log: bare,
    key,
    trust: { keys, unsigned: 'refused' },
    onRefused: ({ topic, offset }, { code }) => refused.push(`${topic}@${offset} ${code}`),
    ...options,
  });
  return { bare, log, refused };
}

async function read(log: InMemoryEventLog | SignedEventLog): Promise<SeamEvent[]> {
  const topics = [TOPIC.adapters, TOPIC.buffer, TOPIC.problems];
  return (await Promise.all(topics.map((topic) => recordsOf(log, topic)))).flat().map((record) => decodeEvent(record));
}

describe('A signed log', () => {
  it('signs what is vouched for as it is appended, and leaves everything else as it is', async () => {
    const { log, bare } = await open();
    await log.append([promoted, admitted, committed, EXAMPLE_EVENTS.ProblemPublished].map(encodeEvent));
    const stored = await read(bare);
    expect(stored.map((event) => [event.type, 'attestation' in event && event.attestation !== null]).sort()).toEqual([
      ['AdapterPromoted', true],
      ['BufferCommitted', true],
      ['ProblemPublished', false],
      ['SuccessAdmitted', false],
    ]);
    expect(await read(log)).toEqual(stored);
  });

  it('shows no reader a record that is unsigned, signed by a stranger or changed, and reports each once', async () => {
    const { log, bare, refused } = await open();
    const changed = { ...attest(promoted, key), key: 'adapters/another' };
    await bare.append([promoted, attest(promoted, stranger), changed].map(encodeEvent));
    await log.append([encodeEvent(promoted)]);
    expect(await read(log)).toHaveLength(1);
    expect(await read(log)).toHaveLength(1);
    expect(refused).toEqual([0, 1, 2].map((offset) => `seam.adapters@${offset} SIGNATURE_INVALID`));
    expect(log.passedOver()).toEqual(
      new Map([[TOPIC.adapters, 3], ...[TOPIC.buffer, TOPIC.training].map((topic) => [topic, 0] as const)]),
    );
  });

  it('shows a follower nothing else either', async () => {
    const { log, bare } = await open();
    await bare.append([encodeEvent(promoted)]);
    await log.append([encodeEvent(promoted)]);
    for await (const records of log.follow({
      topics: ['seam.adapters'],
      from: 'earliest',
      signal: new AbortController().signal,
    })) {
      expect(records.map(({ offset }) => offset)).toEqual([1]);
      break;
    }
  });

  it('passes on unsigned records where they are allowed, and forged ones not even then', async () => {
    const { log, bare, refused } = await open({ key: null, trust: { keys, unsigned: 'allowed' } });
    await log.append([encodeEvent(promoted)]);
    await bare.append([encodeEvent(attest(committed, stranger))]);
    expect((await read(log)).map(({ type }) => type)).toEqual(['AdapterPromoted']);
    expect(refused).toHaveLength(1);
  });

  it('keeps the signature of a record that is moved from another log', async () => {
    const { log, bare } = await open();
    const original = attest(promoted, stranger);
    await log.append([encodeEvent(original)]);
    expect(await read(bare)).toEqual([original]);
  });

  it('writes nothing that it would not believe', async () => {
    const { log, bare } = await open({ key: null });
    await expect(log.append([encodeEvent(promoted)])).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    });
    expect(await read(bare)).toEqual([]);
  });

  it.each([
    ['a stranger’s', stranger, /which is not among the trusted ones/],
    [
      'one for other things',
      parseSigningKey(buffers.privatePem, 'key'),
      /may vouch for promotions, got buffers, which may vouch for manifests/,
    ],
  ])('writes nothing under a key that is %s', async (_, wrong, message) => {
    const trust = { keys: [...keys, ...parseTrustedKeys(JSON.stringify({ keys: [buffers.trusted] }), 'trusted')] };
    for (const unsigned of ['allowed', 'refused'] as const) {
      const { log, bare } = await open({ key: wrong, trust: { ...trust, unsigned } });
      const refusal = { code: 'INVALID_CONFIGURATION', message: expect.stringMatching(message) };
      await expect(log.append([encodeEvent(promoted)])).rejects.toMatchObject(refusal);
      await expect(log.transact({ records: [encodeEvent(promoted)], offsets: [] } as never)).rejects.toMatchObject(
        refusal,
      );
      expect(await read(bare)).toEqual([]);
    }
  });

  it('signs under a key that no reader is asked to believe', async () => {
    const { log, bare } = await open({ key: stranger, trust: TRUST_ALL });
    await log.append([encodeEvent(promoted)]);
    expect(await read(bare)).toHaveLength(1);
  });

  it('hands on records that cannot be decoded: they state nothing', async () => {
    const { log, bare } = await open();
    await bare.append([{ topic: 'seam.adapters', key: null, value: Buffer.from('nonsense') }]);
    const chunks = [];
    for await (const records of log.read({ topic: 'seam.adapters', partition: 0, from: 0 })) chunks.push(...records);
    expect(chunks).toHaveLength(1);
  });
});
