import {
  conversationTemplate,
  deriveMeta,
  type EventOf,
  encodeEvent,
  experienceIdOf,
  groupIdOf,
  type SeamEvent,
} from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { openLog } from '@seamstream/testing';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import { explored, publicationOf } from '@seamstream/testing/result-log';
import fc from 'fast-check';
import type { Result } from './doubt.decide.js';
import { Evidence } from './evidence.js';

type Published = EventOf<'ProblemPublished'>;
type Ended = EventOf<'ExecutionFailed' | 'AttemptUngraded'>;

const PROBLEM = {
  ...{ problemId: 'p', domain: 'chat', prompt: 'How many?', reference: null, verifier: null },
  metadata: { requestId: 'r' },
};

describe('a result without a verdict of a request to a gateway', () => {
  it.each(['ExecutionFailed', 'AttemptUngraded'] as const)('(%s) counts with any experience or none', async (type) => {
    const published = asked();
    const result = ended(published, type);
    expect(await isBelieved(result, published)).toBe(true);
    expect(await isBelieved(result, published, written(published))).toBe(true);
  });

  it('counts in the arm that was drawn', async () => {
    const published = asked({ assignment: ALWAYS_CONTROL });
    const result = ended(published, 'ExecutionFailed');
    expect(await isBelieved(result, published)).toBe(false);
    expect(await isBelieved({ ...result, arm: 'control' }, published)).toBe(true);
    expect(await isBelieved({ ...result, arm: 'control' }, asked())).toBe(false);
  });

  it.each(Object.keys(forgeries()))('is doubted %s, with the experience and without', async (name) => {
    for (const type of ['ExecutionFailed', 'AttemptUngraded'] as const) {
      const published = asked();
      const forged = forgeries()[name]!(ended(published, type));
      expect(await isBelieved(forged, published)).toBe(false);
      expect(await isBelieved(forged, published, written(published))).toBe(false);
    }
  });

  it('is doubted where no gateway answers the problem', async () => {
    const published = asked({ answeredBy: null });
    const result = ended(published, 'ExecutionFailed');
    expect(await isBelieved(result, published)).toBe(false);
    expect(await isBelieved(result, published, written(published))).toBe(false);
  });

  it('is doubted where a verifier judges the problem and it says that no person did', async () => {
    const verifier = { kind: 'exact', version: '1', options: {} };
    const published = asked({ problem: { ...PROBLEM, reference: '1', verifier } });
    expect(await isBelieved(ended(published, 'AttemptUngraded'), published)).toBe(false);
    expect(await isBelieved(ended(published, 'ExecutionFailed'), published)).toBe(true);
  });

  it('that has any word of its ids or its problem changed is doubted', async () => {
    const published = asked();
    const result = ended(published, 'ExecutionFailed');
    const fields = ['messageId', 'causationId', 'correlationId', 'subject', 'tenant'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fields),
        fc.string({ minLength: 1 }),
        fc.boolean(),
        async (field, word, has) => {
          const forged = { ...result, meta: { ...result.meta, [field]: `${result.meta[field] ?? ''}${word}` } };
          expect(await isBelieved(forged, published, has ? written(published) : undefined)).toBe(false);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("feedback on a gateway's answer that was asked for without its entry, which was late", () => {
  it('counts with any experience or none', async () => {
    for (const success of [true, false]) {
      const published = asked();
      const result = { ...judged(published), success };
      expect(await isBelieved(result, published)).toBe(true);
      expect(await isBelieved(result, published, written(published))).toBe(true);
    }
  });

  it.each<[string, Partial<EventOf<'OutcomeRecorded'>>]>([
    ['earns a reward', { reward: 0.5 }],
    ['is no feedback', { feedbackId: null }],
    ['says that no entry was missing', { withoutEntry: null }],
    ['is about another executor', { executor: { ...EXAMPLE_EVENTS.OutcomeRecorded.executor, template: 'direct' } }],
    ['has an entry', { entry: '{"n":1}' }],
    ['has the tokens of an entry', { tokenIds: [1] }],
    ['has the tokens of a prompt', { promptTokenIds: [1] }],
    ['names a base model', { baseModelDigest: 'base' }],
    ['names an adapter', { adapterDigest: 'b'.repeat(64) }],
    ['is in another arm', { arm: 'control' }],
  ])('is doubted where it %s', async (_, changes) => {
    const published = asked();
    expect(await isBelieved({ ...judged(published), ...changes }, published)).toBe(false);
    expect(await isBelieved({ ...judged(published), ...changes }, published, written(published))).toBe(false);
  });

  it('is doubted where a verifier judges, and where no gateway answers', async () => {
    const verifier = { kind: 'exact', version: '1', options: {} };
    for (const changes of [{ problem: { ...PROBLEM, reference: '1', verifier } }, { answeredBy: null }]) {
      const published = asked(changes);
      expect(await isBelieved(judged(published), published)).toBe(false);
    }
  });
});

describe("feedback on a gateway's answer in the control arm", () => {
  it('counts with its reward before its experience came', async () => {
    const published = asked({ assignment: ALWAYS_CONTROL });
    expect(await isBelieved(judgedControl(published), published)).toBe(true);
    expect(await isBelieved({ ...judgedControl(published), success: false, reward: 0.2 }, published)).toBe(true);
  });

  it.each<[string, Partial<EventOf<'OutcomeRecorded'>>]>([
    ['has a reward above 1', { reward: 1.5 }],
    ['is no feedback', { feedbackId: null }],
    ['says that its entry was late', { withoutEntry: 'late' }],
    ['is about another executor', { executor: { ...EXAMPLE_EVENTS.OutcomeRecorded.executor, template: 'direct' } }],
    ['has an entry', { entry: '{"n":1}' }],
    ['has the tokens of an entry', { tokenIds: [1] }],
    ['has the tokens of a prompt', { promptTokenIds: [1] }],
    ['names a base model', { baseModelDigest: 'b' }],
  ])('is doubted where it %s', async (_, changes) => {
    const published = asked({ assignment: ALWAYS_CONTROL });
    expect(await isBelieved({ ...judgedControl(published), ...changes }, published)).toBe(false);
  });

  it('is doubted where another arm was drawn, and where no gateway answers', async () => {
    expect(await isBelieved(judgedControl(asked()), asked())).toBe(false);
    const elsewhere = asked({ assignment: ALWAYS_CONTROL, answeredBy: null });
    expect(await isBelieved(judgedControl(elsewhere), elsewhere)).toBe(false);
  });
});

const ALWAYS_CONTROL = { experiment: 'e', unit: 'p', controlShare: 1 };

const asked = (changes: Partial<Published> = {}): Published => ({
  ...publicationOf(PROBLEM, 'ada'),
  ...{ mode: 'deploy', assignment: { experiment: 'e', unit: 'p', controlShare: 0 }, answeredBy: 'seam/gateway' },
  ...changes,
});

function ended({ meta, problem }: Published, type: Ended['type']): Ended {
  const experience = deriveMeta(meta, { role: 'experience', source: 'seam/gateway', occurredAt: 2 });
  return {
    ...EXAMPLE_EVENTS[type],
    meta: deriveMeta(experience, { role: 'outcome', source: 'seam/gateway', occurredAt: 3 }),
    ...{ problem, experienceId: experience.messageId, groupId: groupIdOf(meta.messageId), attemptId: null },
    ...{ candidateIndex: 0, groupSize: 1, arm: 'deploy', adapterDigest: null },
  };
}

function judged(published: Published): EventOf<'OutcomeRecorded'> {
  const { meta, problem, experienceId, groupId } = ended(published, 'AttemptUngraded');
  const { executor, ...example } = EXAMPLE_EVENTS.OutcomeRecorded;
  return {
    ...example,
    ...{ meta, problem, experienceId, groupId, attemptId: null, candidateIndex: 0, groupSize: 1, arm: 'deploy' },
    ...{ entry: null, promptTokenIds: [], tokenIds: [], forced: [], baseModelDigest: null, adapterDigest: null },
    ...{ withoutEntry: 'late', feedbackId: 'f', reward: 0, verifierVersion: 'feedback', toolCalls: null },
    executor: { ...executor, template: conversationTemplate('x') },
  };
}

function judgedControl(published: Published): EventOf<'OutcomeRecorded'> {
  return { ...judged(published), arm: 'control', withoutEntry: null, reward: 1 };
}

/** By an adapter, which a failure of before does not name. */
function written(published: Published): EventOf<'ExperienceGenerated'> {
  const [experience] = explored(published.problem, { groupSize: 1, subject: 'ada' }).experiences;
  const { answeredBy } = published;
  return { ...experience!, arm: 'deploy', answeredBy, adapterDigest: 'a'.repeat(64) };
}

function forgeries(): Readonly<Record<string, (own: Ended) => Result>> {
  const otherId = derivedId('q', 'published');
  return {
    'in another arm': (own) => ({ ...own, arm: 'explore' }),
    'by an adapter that its experience does not name': (own) => ({ ...own, adapterDigest: 'b'.repeat(64) }),
    'of another group': (own) => ({ ...own, groupId: groupIdOf(otherId) }),
    'of a larger group': (own) => ({ ...own, groupSize: 2 }),
    'as another candidate': (own) => ({ ...own, candidateIndex: 1, groupSize: 2 }),
    'of a separate attempt': (own) => ({ ...own, attemptId: 'another' }),
    "of another problem's experience": (own) => ({ ...own, experienceId: experienceIdOf(otherId, 0) }),
    'about other words': (own) => ({ ...own, problem: { ...own.problem, prompt: 'How few?' } }),
    'about a problem that was never published': (own) => {
      const experienceId = experienceIdOf(otherId, 0);
      const meta = { ...own.meta, causationId: experienceId, messageId: derivedId(experienceId, 'outcome') };
      const problem = { ...own.problem, problemId: 'q' };
      return { ...own, meta, problem, experienceId, groupId: groupIdOf(otherId) };
    },
    'with a verdict': (own) => ({ ...EXAMPLE_EVENTS.OutcomeRecorded, ...own, type: 'OutcomeRecorded' }),
  };
}

async function isBelieved(result: Result, ...others: readonly (SeamEvent | undefined)[]): Promise<boolean> {
  const log = await openLog();
  await log.append(others.flatMap((event) => (event === undefined ? [] : [encodeEvent(event)])));
  const position = { topic: 'seam.outcomes', partition: 0, offset: 0 };
  return (await new Evidence(log).doubts([{ event: result, position }])).size === 0;
}
