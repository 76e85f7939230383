import { Random } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { copiedFields, decodeEvent, encodeEvent, eventWindow } from './codec.js';
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

/** Texts, unions of one with null and enums of an experience, by the paths that lead to them. */
const TEXTS = [
  'meta.messageId',
  'meta.correlationId',
  'meta.causationId',
  'meta.source',
  'meta.subject',
  'meta.sourceClass',
  'meta.traceparent',
  'meta.tenant',
  'problem.problemId',
  'problem.prompt',
  'problem.reference',
  'experienceId',
  'arm',
  'entry',
  'sampling.seed',
  'baseModelDigest',
  'adapterDigest',
];
/** Those of them that are enums. */
const ENUMS = ['meta.sourceClass', 'arm'];

const valueAt = (event: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Readonly<Record<string, unknown>>)[name], event);

/** Whether a window shows the value; what it says is what decoding says then, and what is left to decoding says nothing. */
function expectAsDecoded(record: ReturnType<typeof recordOf>): boolean {
  const window = eventWindow('ExperienceGenerated');
  if (!window.open(record.value)) return false;
  expect(window.shows(record.value)).toBe(true);
  const decoded = decodedOr(record);
  expect(decoded).toBeDefined();
  for (const path of TEXTS) {
    const [leaf, value] = [window.layout.leaf(path), valueAt(decoded, path) as string | null];
    expect({ path, text: window.textOf(leaf) }).toEqual({ path, text: value });
    if (ENUMS.includes(path)) continue;
    expect(window.says(leaf, value)).toBe(true);
    for (const other of [
      `${value ?? ''}x`,
      value?.slice(0, -1),
      value === null ? '' : null,
      value?.replace(/.$/su, 'ÿ'),
    ])
      if (other !== value && other !== undefined)
        expect({ path, other, is: window.says(leaf, other) }).toEqual({ path, other, is: false });
  }
  return true;
}

describe('fields of an encoded event', () => {
  it('are those that decoding gives, for every event that a window shows', () => {
    for (const event of EXPERIENCES) expect(expectAsDecoded(recordOf(event))).toBe(true);
    for (const event of Object.values(EXAMPLE_EVENTS)) {
      const window = eventWindow(event.type);
      const { value } = recordOf(event);
      if (window.open(value)) expect(window.layout.steps.length).toBeGreaterThan(0);
      expect(
        eventWindow(event.type === 'OutcomeRecorded' ? 'ExperienceGenerated' : 'OutcomeRecorded').open(value),
      ).toBe(false);
    }
    for (const event of [EXAMPLE_EVENTS.OutcomeRecorded, EXAMPLE_EVENTS.ProblemPublished])
      expect(eventWindow(event.type).open(recordOf(event).value)).toBe(true);
  });

  it('that another event copies are in its bytes, and with any byte of these changed they are not', () => {
    const copied = copiedFields('ExperienceGenerated', 'OutcomeRecorded');
    expect([...copied.names]).toEqual(
      expect.arrayContaining(['problem', 'entry', 'tokenIds', 'forced', 'adapterDigest']),
    );
    const random = Random.of('copied fields/1');
    for (const event of EXPERIENCES) {
      const window = eventWindow('ExperienceGenerated');
      window.open(recordOf(event).value);
      const copies = Object.fromEntries([...copied.names].map((name) => [name, event[name as keyof typeof event]]));
      const outcome = { ...EXAMPLE_EVENTS.OutcomeRecorded, ...copies } as EventOf<'OutcomeRecorded'>;
      const { value } = recordOf(outcome);
      expect(copied.areIn(window, value)).toBe(true);
      for (let at = HEADER_BYTES; at < value.length; at++) {
        const changed = Buffer.from(value);
        changed[at] = changed[at]! ^ (1 << random.int(8));
        const said = decodedOr({ ...recordOf(outcome), value: changed });
        if (said === undefined) continue;
        const areEqual = [...copied.names].every(
          (name) => JSON.stringify(said[name]) === JSON.stringify(event[name as keyof typeof event]),
        );
        expect({ at, is: copied.areIn(window, changed) }).toEqual({ at, is: areEqual });
      }
    }
  });

  it('of damaged bytes are those that decoding gives, or no window shows it', () => {
    const random = Random.of('encoded fields/1');
    let [opened, left] = [0, 0];
    for (let round = 0; round < 800; round++) {
      const event = EXPERIENCES[round % EXPERIENCES.length]!;
      const record = recordOf(event);
      const { value } = record;
      for (let change = random.int(2); change >= 0; change--)
        value[HEADER_BYTES + random.int(value.length - HEADER_BYTES)] = random.int(256);
      const cut = round % 10 === 0 ? value.subarray(0, HEADER_BYTES + random.int(value.length - HEADER_BYTES)) : value;
      const isOpened = expectAsDecoded({ ...record, value: cut });
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
      expect(eventWindow('ExperienceGenerated').open(value)).toBe(false);
      expect(() => decodeEvent({ ...record, value })).toThrow(/__proto__/);
    }
  });

  it('are left to decoding where a writer of another kind wrote them, or an older one', () => {
    const { value } = recordOf(EXPERIENCES[0]!);
    const window = eventWindow('ExperienceGenerated');
    expect(window.open(value)).toBe(true);
    const older = Buffer.from(value);
    older[2] = older[2]! ^ 1;
    for (const other of [older, new Uint8Array(0), value.subarray(0, 5), Buffer.concat([value, Buffer.from([0])])]) {
      expect(window.open(other)).toBe(false);
      // Nor does it still show what it showed before.
      expect(window.shows(value)).toBe(false);
    }
  });
});
