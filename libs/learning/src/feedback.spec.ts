import type { FeedbackGiven } from '@seamstream/events';
import fc from 'fast-check';
import { feedbackSchema, heardGroups } from './feedback.js';
import { joinGroups } from './groups.js';
import { experience, logOf, metaOf, resultOf } from './recorded-groups.fake.js';

const SETTINGS = { weight: 0.4, people: 3 };
const RUNS = { numRuns: 300, seed: 128 };

describe('feedback in the reward', () => {
  it.each([
    ['no person says anything', [], 0.5],
    ['one of three that it takes likes it', [1], 0.5 * (1 + 0.4 / 3)],
    ['three like it', [1, 1, 1], 0.5 * 1.4],
    ['three find it worthless', [0, 0, 0], 0.5 * 0.6],
    ['ten find it worthless', Array<number>(10).fill(0), 0.5 * 0.6],
    ['people contradict each other', [1, 0, 1, 0], 0.5],
    ['people are indifferent', [0.5, 0.5, 0.5], 0.5],
    ['scores are between', [0.75, 0.75, 0.5], 0.5 * (1 + 0.4 / 3)],
  ])('moves the reward by their mean, where %s', (_how, scores, expected) => {
    expect(rewardsAfter(scores.map((score, person) => said({ score, subject: `k${person}` })))[0]).toBeCloseTo(
      expected,
    );
  });

  it('leaves a reward of 0 at 0, regardless of how many like the answer', () => {
    const many = Array.from({ length: 50 }, (_, person) => said({ score: 1, subject: `k${person}`, attemptId: 'g-1' }));
    expect(rewardsAfter(many)[1]).toBe(0);
  });

  it('says how many attempts and people there were, and the mean with it', () => {
    const words = [said({ score: 1, subject: 'k1' }), said({ score: 1, subject: 'k2' }), ...HOSTILE];
    expect(heard(words, SETTINGS).figures).toEqual({
      feedbackAttempts: 1,
      feedbackPeople: 2,
      feedbackReward: expect.closeTo((0.5 * (1 + (0.4 * 2) / 3)) / 2),
    });
    expect(heard(words, undefined)).toMatchObject({ figures: {}, heard: [{ rewards: [0.5, 0] }] });
  });

  it.each(['no subject', 'publisher', 'tenant', 'problem', 'attempt', 'too much', 'too little', 'no number'] as const)(
    'does not count what is said with a fault: %s',
    (fault) => {
      expect(rewardsAfter([faulty(fault)])).toEqual([0.5, 0]);
    },
  );

  it('does not count what is said of an attempt whose reward is a score already', () => {
    const [member, other] = [0, 1].map((index) => experience('g', index, 2));
    const results = [resultOf(member!, 0.5), resultOf(other!, 0)].map((result) => ({ ...result, feedbackId: 'f' }));
    const { groups } = joinGroups({ reads: 'log', experiences: [member!, other!], results }, CONTEXT, JOIN);
    expect(heardGroups(groups, [said({ score: 1 })], SETTINGS).heard[0]!.rewards).toEqual([0.5, 0]);
  });

  it('is a function of the set of records: no order, repetition or fault of others changes it', () => {
    fc.assert(
      fc.property(wordsOf(5), fc.array(fc.constantFrom(...HOSTILE)), fc.nat(), (words, hostile, turn) => {
        const noisy = [...words, ...hostile, ...words.slice(0, turn % 7)];
        const turned = [...noisy.slice(turn % noisy.length), ...noisy.slice(0, turn % noisy.length)].reverse();
        expect(heard(turned, SETTINGS)).toEqual(heard(words, SETTINGS));
      }),
      RUNS,
    );
  });

  it('hears of each person the last word alone', () => {
    fc.assert(
      fc.property(wordsOf(5), (words) => {
        const last = new Map<string, FeedbackGiven>();
        for (const word of words) {
          const known = last.get(word.meta.subject!);
          if (known === undefined || word.meta.occurredAt > known.meta.occurredAt) last.set(word.meta.subject!, word);
        }
        expect(heard([...last.values()], SETTINGS)).toEqual(heard(words, SETTINGS));
      }),
      RUNS,
    );
  });

  it('keeps within its bounds what all people can do, and what one of them can, however often they speak', () => {
    fc.assert(
      fc.property(
        wordsOf(8),
        wordsOf(1),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 2, max: 9 }),
        (words, own, weight, people) => {
          const others = words.filter(({ meta }) => meta.subject !== 'k0');
          const [without] = heard(others, { weight, people }).heard[0]!.rewards;
          const [withOne] = heard([...others, ...own], { weight, people }).heard[0]!.rewards;
          expect(Math.abs(withOne! - 0.5)).toBeLessThanOrEqual(0.5 * weight + 1e-12);
          expect(Math.abs(withOne! - without!)).toBeLessThanOrEqual((0.5 * 2 * weight) / people + 1e-12);
        },
      ),
      RUNS,
    );
  });

  it('refuses a weight beyond 1, a single person, and a setting that it does not know', () => {
    for (const wrong of [{ weight: 1.1 }, { weight: -0.1 }, { weight: 0.2, people: 1 }, { weight: 0.2, person: 3 }, {}])
      expect(feedbackSchema.safeParse(wrong).success).toBe(false);
    expect(feedbackSchema.parse({ weight: 0.2 })).toEqual({ weight: 0.2, people: 3 });
  });
});

const CONTEXT = { baseModelDigest: 'base', servedAdapters: ['a2'] };
const JOIN = { maxStaleness: 0, plainSamplingOnly: false };
/** Of one group: g-0 with the reward ½ and g-1 with 0. A client published their problem. */
const LOG = logOf({ g: [0.5, 0] }, { meta: { ...metaOf('e'), subject: 'publisher' } });

function heard(words: readonly FeedbackGiven[], settings: typeof SETTINGS | undefined) {
  return heardGroups(joinGroups(LOG, CONTEXT, JOIN).groups, words, settings);
}

function rewardsAfter(words: readonly FeedbackGiven[]): readonly number[] {
  return heard(words, SETTINGS).heard[0]!.rewards;
}

interface Said {
  readonly score: number;
  readonly subject?: string | null;
  readonly tenant?: string | null;
  readonly at?: number;
  readonly attemptId?: string;
  readonly problemId?: string;
}

function said({
  score,
  subject = 'k',
  tenant = null,
  at = 0,
  attemptId = 'g-0',
  problemId = 'p',
}: Said): FeedbackGiven {
  const meta = { ...metaOf(`${attemptId} ${subject} ${at} ${score}`), occurredAt: at, subject, tenant };
  return { meta, problemId, attemptId, score, by: 'ada', reason: '' };
}

type Fault = 'no subject' | 'publisher' | 'tenant' | 'problem' | 'attempt' | 'too much' | 'too little' | 'no number';

function faulty(fault: Fault): FeedbackGiven {
  const faults: Readonly<Record<Fault, Omit<Said, 'score'> & { readonly score?: number }>> = {
    'no subject': { subject: null },
    publisher: { subject: 'publisher' },
    tenant: { tenant: 'acme' },
    problem: { problemId: 'another' },
    attempt: { attemptId: 'g-9' },
    'too much': { score: 1.5 },
    'too little': { score: -1 },
    'no number': { score: Number.NaN },
  };
  return said({ score: 1, at: 1e6, ...faults[fault] });
}

/** What counts for nothing: also in the name of a person who has said something that does, and after it. */
const HOSTILE: readonly FeedbackGiven[] = [
  ...(['no subject', 'publisher', 'tenant', 'problem', 'attempt'] as const).map(faulty),
  ...[1.5, -1, Number.NaN].map((score) => said({ score, subject: 'k0', at: 1e6 })),
  { ...faulty('no subject'), by: 'joe' },
  said({ score: 1, subject: 'k0', tenant: 'acme', at: 1e6 }),
];

/** Of so many people about g-0, each at another time. */
function wordsOf(people: number): fc.Arbitrary<FeedbackGiven[]> {
  const word = fc.record({ person: fc.nat(people - 1), score: fc.double({ min: 0, max: 1, noNaN: true }) });
  const words = fc.array(fc.tuple(word, fc.nat(1000)), { minLength: 1, maxLength: 30 });
  return words.map((each) =>
    each.map(([{ person, score }, at], index) => said({ score, subject: `k${person}`, at: at * 100 + index })),
  );
}
