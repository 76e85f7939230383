/** No record keeps another one from its answer by naming it: what no service would say is no answer. */
import type { EventOf, EventType, Problem, SeamEvent } from '@seamstream/events';
import { conversationTemplate, deriveMeta, isGraded } from '@seamstream/events';
import { newId } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { explored, FORGED_EXPERIENCES, FORGERIES, outcomeOf } from '@seamstream/testing/result-log';
import fc from 'fast-check';
import { doubtOf, type Result } from './doubt.decide.js';
import { answersExperience, answersProblem } from './true-answers.decide.js';

describe('what answers an experience', () => {
  it('is each of the answers that an executor gives to it, and to no other one', () => {
    fc.assert(
      fc.property(story, ({ published, experiences }) => {
        for (const experience of experiences)
          for (const answer of answersTo(experience, published.problem))
            for (const cause of experiences)
              expect(answersExperience(answer)(cause)).toBe(cause.experienceId === experience.experienceId);
      }),
    );
  });

  it('is no record that was forged in any way', () => {
    fc.assert(
      fc.property(story, fc.constantFrom(...Object.keys(FORGERIES)), (own, name) => {
        const [experience] = own.experiences;
        const other = explored({ ...problem, problemId: 'z' });
        const forged = FORGERIES[name]!(outcomeOf(experience!, true), outcomeOf(other.experiences[0]!, true));
        expect(answersExperience(forged)(experience!)).toBe(false);
      }),
    );
  });

  it('is exactly what has no doubt, where one field says something else', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(story, fc.nat(), fc.nat(), fc.nat(), ({ published, experiences }, which, field, value) => {
        const [experience] = experiences;
        const honest = answersTo(experience!, published.problem);
        const answer = changed(honest[which % honest.length]!, field, value);
        // The record of an answer that waits has no doubts: its result has them.
        const judged =
          answer.type === 'AnswerRecorded' ? asResult(answer, experience!, published.problem) : (answer as Result);
        const counts = doubtOf(judged, experience, published, () => new Set()) === undefined;
        expect(answersExperience(answer)(experience!)).toBe(counts);
        seen.add(counts);
      }),
      { numRuns: 600 },
    );
    expect(seen.size).toBe(2);
  });

  it("is no answer of a gateway's executor, unless the experience is the gateway's to answer", () => {
    const [experience] = explored(problem).experiences;
    for (const answer of answersTo(experience!, problem).filter((each) => 'executor' in each)) {
      const template = conversationTemplate('x');
      const theirs = { ...answer, executor: { ...EXAMPLE_EVENTS.OutcomeRecorded.executor, template } } as SeamEvent;
      expect(answersExperience(theirs)(experience!)).toBe(false);
      expect(answersExperience(theirs)({ ...experience!, answeredBy: 'gateway' })).toBe(true);
    }
  });
});

describe('what answers an experience of a problem that a verifier judges', () => {
  it('is no answer that waits for feedback, and none that is ungraded', () => {
    const { published, experiences } = explored(problem);
    const [experience] = experiences;
    const waits = answersTo(experience!, { ...published.problem, reference: null }).slice(2);
    expect(waits.map(({ type }) => type)).toEqual(['AttemptUngraded', 'AnswerRecorded']);
    for (const answer of waits) expect(answersExperience(answer)(experience!)).toBe(false);
    const doubt = doubtOf(waits[0] as Result, experience, published, () => new Set());
    expect(doubt).toMatchObject({ reason: 'result_differs' });
  });
});

describe('what answers a problem', () => {
  it('is each of its experiences, with its content or the name of it, and its expiry once it has expired', () => {
    fc.assert(
      fc.property(story, story, ({ published, experiences }, other) => {
        const withheld = withheldOf(published);
        for (const answer of [...experiences, withheld]) {
          expect(answersProblem(answer)?.(published)).toBe(true);
          expect(answersProblem(answer)?.(other.published)).toBe(isSameStory(published, other.published));
        }
        const expiring = { ...published, expiresAt: 100 };
        for (const [expiredAt, isTrue] of [
          [100, true],
          [99, false],
        ] as const)
          expect(answersProblem(expiryOf(expiring, expiredAt))?.(expiring)).toBe(isTrue);
        expect(answersProblem(expiryOf(published, 100))?.(published)).toBe(false);
      }),
    );
  });

  it('is no experience that was forged in any way, and none whose event says something else', () => {
    // An experience of an adapter that was never published is not told apart here: its results do not count.
    const names = Object.keys(FORGED_EXPERIENCES).filter((name) => !name.includes('adapter'));
    fc.assert(
      fc.property(story, fc.constantFrom(...names), fc.nat(), ({ published, experiences }, name, field) => {
        const own = experiences[0]!;
        expect(answersProblem(FORGED_EXPERIENCES[name]!(own))?.(published)).toBe(false);
        const of = META[field % META.length]!;
        expect(answersProblem({ ...own, meta: { ...own.meta, [of]: newId() } })?.(published)).toBe(false);
        const withheld = withheldOf(published);
        expect(answersProblem({ ...withheld, meta: { ...withheld.meta, [of]: newId() } })?.(published)).toBe(false);
      }),
    );
  });
});

const problem: Problem = {
  problemId: 'p',
  domain: 'sums',
  prompt: 'What is half?',
  reference: '4',
  verifier: { kind: 'exact', version: '1', options: { a: '1', b: '2' } },
  metadata: {},
};
const META = ['messageId', 'causationId', 'correlationId', 'subject', 'tenant'] as const;

/** A problem of a tenant and its experiences. */
const story = fc
  .record({
    problemId: fc.constantFrom('p', 'q'),
    reference: fc.constantFrom('4', null),
    subject: fc.constantFrom(null, 'ada'),
    tenant: fc.constantFrom(null, 'acme'),
    isNamed: fc.boolean(),
  })
  .map(({ problemId, reference, subject, tenant, isNamed }) => {
    const namedAt = isNamed ? { namedAt: { partition: 1, offset: 2 } } : {};
    const { published, experiences } = explored({ ...problem, problemId, reference }, { subject, ...namedAt });
    const inTenant = <E extends SeamEvent>(event: E): E => ({ ...event, meta: { ...event.meta, tenant } });
    return { published: inTenant(published), experiences: experiences.map(inTenant) };
  });

type Written = EventOf<'ExperienceGenerated'>;

/** All that an executor may write about an experience, one of each type. */
function answersTo(experience: Written, published: Problem): readonly SeamEvent[] {
  const outcome = outcomeOf(experience, true);
  const { meta, problem: copy, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest } = outcome;
  const identity = { meta, problem: copy, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest };
  const { entry, promptTokenIds, tokenIds, forced, baseModelDigest } = outcome;
  const failed = { ...EXAMPLE_EVENTS.ExecutionFailed, ...identity };
  if (isGraded(published)) return [outcome, failed];
  return [
    outcome,
    failed,
    { ...EXAMPLE_EVENTS.AttemptUngraded, ...identity, attemptId: null },
    {
      ...EXAMPLE_EVENTS.AnswerRecorded,
      ...{ ...identity, entry, promptTokenIds, tokenIds, forced, baseModelDigest, executor: outcome.executor },
      attemptId: null,
      meta: deriveMeta(experience.meta, { role: 'answer', source: 'seam/executor', occurredAt: 3 }),
    },
  ];
}

/** What feedback would make of it. */
function asResult(answer: EventOf<'AnswerRecorded'>, experience: Written, published: Problem): Result {
  const { meta, ...copied } = answer;
  const outcome = outcomeOf(experience, true);
  const isDerived = meta.messageId === answersTo(experience, published).at(-1)!.meta.messageId;
  const messageId = isDerived ? outcome.meta.messageId : newId();
  return { ...outcome, ...copied, type: 'OutcomeRecorded', meta: { ...meta, messageId } };
}

/** Fields that say what is answered, and one that does not. */
const FIELDS = [
  ...META.map((name) => `meta.${name}`),
  ...['problem', 'experienceId', 'attemptId', 'groupId', 'candidateIndex', 'groupSize', 'arm', 'adapterDigest'],
  ...['entry', 'promptTokenIds', 'tokenIds', 'forced', 'baseModelDigest', 'meta.traceparent'],
];

/** The event, in which one field that its type has says something else. */
function changed<E extends SeamEvent>(event: E, field: number, value: number): E {
  const fields = FIELDS.filter((name) => name.startsWith('meta.') || name in event);
  const name = fields[field % fields.length]!;
  if (name.startsWith('meta.')) return { ...event, meta: { ...event.meta, [name.slice(5)]: newId() } };
  const came = (event as unknown as Record<string, unknown>)[name];
  return { ...event, [name]: otherThan(came, value) };
}

function otherThan(came: unknown, value: number): unknown {
  if (typeof came === 'number') return came + 1 + value;
  if (Array.isArray(came)) return [...(came as unknown[]), value % 2 === 0];
  if (typeof came === 'object' && came !== null) return { ...came, [value % 2 === 0 ? 'domain' : 'reference']: 'mine' };
  return `${String(came)}+`;
}

function withheldOf(published: EventOf<'ProblemPublished'>): EventOf<'ExperienceWithheld'> {
  const [own] = explored(published.problem, { groupSize: 1 }).experiences;
  const meta = deriveMeta(published.meta, { role: 'experience', source: 'seam/generator', occurredAt: 2 });
  const { experienceId, groupId } = own!;
  return { ...EXAMPLE_EVENTS.ExperienceWithheld, meta, problem: published.problem, experienceId, groupId };
}

function expiryOf({ meta, problem: own }: EventOf<'ProblemPublished'>, expiredAt: number): SeamEvent {
  const role = 'expired' satisfies string;
  const type = 'ProblemExpired' satisfies EventType;
  return { type, meta: deriveMeta(meta, { role, source: 'seam/generator', occurredAt: 9 }), problem: own, expiredAt };
}

function isSameStory(a: EventOf<'ProblemPublished'>, b: EventOf<'ProblemPublished'>): boolean {
  const said = ({ meta, problem: own }: EventOf<'ProblemPublished'>) =>
    JSON.stringify([own, meta.messageId, meta.subject, meta.tenant]);
  return said(a) === said(b);
}
