import { Random } from '@seamstream/kernel';
import { decodeEvent, encodeEvent, openEvent } from './codec.js';
import { EXAMPLE_EVENTS } from './example-events.contract.js';
import type { EventOf, SeamEvent } from './generated/events.generated.js';

const HEADER_BYTES = 10;

/** Texts of every length of character, numbers at the edges of their varints, empty lists and maps, absent values. */
const EXPERIENCES: readonly EventOf<'ExperienceGenerated'>[] = [
  EXAMPLE_EVENTS.ExperienceGenerated,
  {
    ...EXAMPLE_EVENTS.ExperienceGenerated,
    problem: {
      ...EXAMPLE_EVENTS.ExperienceGenerated.problem,
      prompt: 'Wie groß ist 𝄞? \ufffd "\\',
      reference: '',
      verifier: { kind: 'exact', version: '1', options: { b: '1', a: 'ü', 10: 'x', 9: '' } },
      metadata: {},
    },
    entry: `{"n":"${'é'.repeat(300)}"}`,
    promptTokenIds: [0, 63, 64, 8191, 8192, 2 ** 20, 2 ** 31 - 1, -1, -(2 ** 31)],
    tokenIds: [],
    logProbs: [],
    legalMass: [],
    forced: [],
    adapterDigest: null,
  },
];

const recordOf = (event: SeamEvent) => ({ ...encodeEvent(event), partition: 0, offset: 0 });

function decodedOr(record: ReturnType<typeof recordOf>): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeEvent(record) as unknown as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** Whether a record that was opened says field by field what decoding says; refused and left ones say nothing. */
function expectAsDecoded(record: ReturnType<typeof recordOf>, given: Readonly<Record<string, unknown>>): boolean {
  const opened = openEvent(record);
  if (opened === undefined) return false;
  const decoded = decodedOr(record);
  expect(decoded).toBeDefined();
  for (const [name, value] of Object.entries(decoded!)) {
    if (name === 'type') continue;
    expect(opened.read(name)).toStrictEqual(value);
    expect(opened.read(name, value)).toStrictEqual(value);
    expect(opened.read(name, given[name])).toStrictEqual(value);
  }
  return true;
}

describe('fields of an encoded event', () => {
  it('are those that decoding gives, for every event that is opened', () => {
    const opened = [...Object.values(EXAMPLE_EVENTS), ...EXPERIENCES].filter((event) =>
      expectAsDecoded(recordOf(event), decodeEvent(recordOf(event)) as unknown as Readonly<Record<string, unknown>>),
    );
    for (const event of [...EXPERIENCES, EXAMPLE_EVENTS.OutcomeRecorded]) expect(opened).toContain(event);
    // What is compared, and equal, is not made a second time.
    for (const event of EXPERIENCES)
      for (const name of ['problem', 'entry', 'promptTokenIds', 'tokenIds', 'forced'] as const)
        expect(openEvent(recordOf(event))!.read(name, event[name])).toBe(event[name]);
  });

  it('of damaged bytes are those that decoding gives, or it is not opened', () => {
    const random = Random.of('encoded fields/1');
    let [opened, left] = [0, 0];
    for (let round = 0; round < 800; round++) {
      const event = EXPERIENCES[round % EXPERIENCES.length]!;
      const record = recordOf(event);
      const { value } = record;
      const given = decodeEvent(recordOf(event)) as unknown as Readonly<Record<string, unknown>>;
      for (let change = random.int(2); change >= 0; change--)
        value[HEADER_BYTES + random.int(value.length - HEADER_BYTES)] = random.int(256);
      const cut = round % 10 === 0 ? value.subarray(0, HEADER_BYTES + random.int(value.length - HEADER_BYTES)) : value;
      const isOpened = expectAsDecoded({ ...record, value: cut }, given);
      if (isOpened) opened++;
      else left++;
    }
    expect(opened).toBeGreaterThan(100);
    expect(left).toBeGreaterThan(100);
  });

  it('are left to decoding where a key is the one that it refuses, however its length is spelled', () => {
    const [event] = EXPERIENCES;
    const { problem } = event!;
    const record = recordOf({ ...event!, problem: { ...problem, metadata: { ninechars: 'x' } } });
    const at = Buffer.from(record.value).indexOf('ninechars');
    for (const length of [[0x12], [0x92, 0x00], [0x92, 0x80, 0x00]]) {
      const value = Buffer.concat([
        record.value.subarray(0, at - 1),
        Buffer.from([...length, ...Buffer.from('__proto__')]),
        record.value.subarray(at + 9),
      ]);
      expect(openEvent({ ...record, value })).toBeUndefined();
      expect(() => decodeEvent({ ...record, value })).toThrow(/__proto__/);
    }
  });

  it('are left to decoding where a writer of another kind wrote them, or an older one', () => {
    const record = recordOf(EXPERIENCES[0]!);
    expect(openEvent({ ...record, topic: 'seam.outcomes' })).toBeUndefined();
    expect(openEvent({ ...record, value: null })).toBeUndefined();
    expect(openEvent({ ...record, unreadable: 'gone' })).toBeUndefined();
    const value = Buffer.from(record.value);
    value[2] = value[2]! ^ 1;
    expect(openEvent({ ...record, value })).toBeUndefined();
    expect(openEvent({ ...record, value: Buffer.concat([record.value, Buffer.from([0])]) })).toBeUndefined();
  });
});
