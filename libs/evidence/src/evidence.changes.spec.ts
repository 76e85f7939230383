import { decodeEvent, type EventOf, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { explored } from '@seamstream/testing/result-log';
import { COPIED_FIELDS, doubtOf, type Experience } from './doubt.decide.js';
import { Evidence } from './evidence.js';
import { logOf, placed, problemOf } from './results-in-a-log.fake.js';

describe('one change', () => {
  const random = Random.of('one change/1');
  const META = ['messageId', 'causationId', 'correlationId', 'subject'];
  const outcomesPlace = { topic: TOPIC.outcomes, partition: 0, offset: 0 };

  /** The value with one thing in it changed, however deep it stands. */
  function changed(value: unknown): unknown {
    if (typeof value === 'string') {
      const at = random.int(value.length + 1);
      return random.int(3) === 0 || value === ''
        ? `${value.slice(0, at)}${random.int(2) === 0 ? 'ü' : 'x'}${value.slice(at)}`
        : `${value.slice(0, at - 1)}${value[at - 1] === 'q' ? 'r' : 'q'}${value.slice(Math.max(at, 1))}`;
    }
    if (typeof value === 'number') return value + 1 + random.int(1000);
    if (typeof value === 'boolean') return !value;
    if (value === null) return 'f'.repeat(64);
    if (Array.isArray(value)) {
      const at = random.int(value.length);
      if (value.length === 0) return value;
      return random.int(3) === 0 ? value.toSpliced(at, 1) : value.with(at, changed(value[at]));
    }
    const entries = Object.entries(value as object);
    if (entries.length === 0) return { x: 'y' };
    const at = random.int(entries.length);
    return Object.fromEntries(entries.with(at, [entries[at]![0], changed(entries[at]![1])]));
  }

  /** One of the fields that are compared, changed; with the fields of its meta data that are. */
  function withChange<Event extends SeamEvent>(event: Event, names: readonly string[]): Event {
    const name = names[random.int(names.length)]!;
    const own = event as unknown as Readonly<Record<string, unknown>>;
    if (name === 'arm') return { ...event, arm: own.arm === 'explore' ? 'deploy' : 'explore' };
    if (name !== 'meta') return { ...event, [name]: changed(own[name]) };
    const field = META[random.int(META.length)]!;
    const meta = own.meta as Readonly<Record<string, unknown>>;
    return { ...event, meta: { ...meta, [field]: changed(meta[field]) } };
  }

  it('of any compared field of a result, its experience or its problem makes the result be doubted', async () => {
    for (let round = 0; round < 300; round++) {
      const [run] = [explored({ ...problemOf(round), prompt: `Wie groß ist ${round}? 𝄞` })];
      const at = random.int(4);
      const events = [run.published, run.experiences[at]!, run.outcomes[at]!] as const;
      const which = round % 3;
      const names = which === 0 ? ['problem'] : ['meta', ...COPIED_FIELDS];
      const [published, experience, outcome] = [
        which === 0 ? withChange(events[0], names) : events[0],
        which === 1 ? withChange(events[1], names) : events[1],
        which === 2 ? withChange(events[2], names) : events[2],
      ];
      const log = await logOf([published, experience]);
      const evidence = new Evidence(log);
      // As it comes out of the log, and once more: what is remembered is judged in the same way.
      const { value } = encodeEvent(outcome);
      const event = decodeEvent({ ...encodeEvent(outcome), partition: 0, offset: 0 });
      for (const time of ['first', 'again']) {
        const doubts = await evidence.doubts([{ event, position: outcomesPlace, value }]);
        expect({ time, round, which, doubts: doubts.size }).toEqual({ time, round, which, doubts: 1 });
      }
    }
  });

  it('of each compared field, and of nothing else, makes the result be doubted', async () => {
    const run = explored(problemOf(1));
    const [published, experience, outcome] = [run.published, run.experiences[1]!, run.outcomes[1]!];
    const metaOf = (event: SeamEvent, field: string): SeamEvent => ({
      ...event,
      meta: { ...event.meta, [field]: changed(event.meta[field as keyof typeof event.meta]) },
    });
    const own = (event: SeamEvent): Readonly<Record<string, unknown>> =>
      event as unknown as Readonly<Record<string, unknown>>;
    const changes: [string, readonly SeamEvent[]][] = [
      ...META.flatMap((field): [string, readonly SeamEvent[]][] => [
        [`${field} of the experience`, [published, metaOf(experience, field), outcome]],
        [`${field} of the result`, [published, experience, metaOf(outcome, field)]],
      ]),
      ...['messageId', 'correlationId', 'subject'].map((field): [string, readonly SeamEvent[]] => [
        `${field} of the problem`,
        [metaOf(published, field), experience, outcome],
      ]),
      ...COPIED_FIELDS.filter((name) => name !== 'arm').flatMap((name): [string, readonly SeamEvent[]][] => [
        [`${name} of the experience`, [published, { ...experience, [name]: changed(own(experience)[name]) }, outcome]],
        [`${name} of the result`, [published, experience, { ...outcome, [name]: changed(own(outcome)[name]) }]],
      ]),
    ];
    for (const [what, [problem, written, came]] of changes) {
      const log = await logOf([problem!, written!]);
      expect({ what, doubts: (await new Evidence(log).doubts([placed(came!)])).size }).toEqual({ what, doubts: 1 });
    }
    const log = await logOf([published, experience]);
    expect(await new Evidence(log).doubts([placed(outcome)])).toEqual(new Map());
  });

  it.each(['experience', 'problem'] as const)(
    'of any byte of its %s is judged as if everything were decoded',
    async (changedOne) => {
      const run = explored(problemOf(1));
      const [experience, outcome] = [run.experiences[0]!, run.outcomes[0]!];
      const { length } = encodeEvent(changedOne === 'experience' ? experience : run.published).value;
      const came = placed(outcome);
      const saidBy = (record: ReturnType<typeof encodeEvent>): SeamEvent | undefined => {
        try {
          return decodeEvent({ ...record, partition: 0, offset: 0 });
        } catch {
          return undefined;
        }
      };
      let counted = 0;
      for (let at = 10; at < length; at++) {
        const [written, published] = [encodeEvent(experience), encodeEvent(run.published)];
        const { value } = changedOne === 'experience' ? written : published;
        value[at] = value[at]! ^ (1 << random.int(8));
        const log = await logOf([]);
        await log.append([published, written]);
        const said = saidBy(written) as Experience | undefined;
        const known = said?.experienceId === outcome.experienceId ? said : undefined;
        const problem = saidBy(published) as EventOf<'ProblemPublished'> | undefined;
        const isAbout =
          problem?.problem.problemId === outcome.problem.problemId &&
          known?.meta.causationId === problem.meta.messageId;
        const expected = doubtOf(outcome, known, isAbout ? problem : undefined, () => new Set());
        expect({ at, doubt: (await new Evidence(log).doubts([came])).get(0) }).toEqual({ at, doubt: expected });
        if (expected === undefined) counted++;
      }
      // Fields that no result copies: log-probabilities, how it was sampled; who published, and when.
      expect(counted).toBeGreaterThan(5);
      expect(counted).toBeLessThan(length / 2);
    },
  );
});
