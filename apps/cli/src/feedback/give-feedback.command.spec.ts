import { encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { EXAMPLE_EVENTS, eventsOf, totalRecords } from '@seamstream/testing';
import { fakeWorld } from '../command-runtime.fake.js';

const { AnswerRecorded, AnswerSettled } = EXAMPLE_EVENTS;
const FAR = Date.UTC(2100, 0);

function answer(experienceId: string, problemId: string, feedbackUntil = FAR): SeamEvent {
  const problem = { ...AnswerRecorded.problem, problemId, reference: null, verifier: null };
  return { ...AnswerRecorded, experienceId, problem, feedbackUntil };
}

async function world(...events: readonly SeamEvent[]) {
  const made = await fakeWorld();
  await made.log.append(events.map(encodeEvent));
  return made;
}

const GIVE = ['--verdict', 'right', '--by', 'ada'] as const;

describe('seam feedback', () => {
  it('lists the answers that wait, and not those that were settled or whose time is up', async () => {
    const here = await world(answer('x-1-waits', 'p-1'), answer('x-2-over', 'p-2', 1), answer('x-3-settled', 'p-3'), {
      ...AnswerSettled,
      problemId: 'p-3',
      attemptId: 'x-3-settled',
    });
    expect(await here.seam('--json', 'feedback')).toBe(0);
    expect(here.takeJson()).toMatchObject([{ waiting: [{ attemptId: 'x-1-waits', problemId: 'p-1' }] }]);
  });

  it.each([
    ['the attempt', 'x-1-waits'],
    ['the beginning of its id', 'x-1-w'],
    ['its problem, where one answer waits', 'prob-1'],
  ])('judges an answer named by %s', async (_, meant) => {
    const here = await world(answer('x-1-waits', 'prob-1'));
    expect(await here.seam('--json', 'feedback', meant, '--score', '0.25', '--by', 'ada', '--reason', 'thin')).toBe(0);
    expect(here.takeJson()).toMatchObject([{ attemptId: 'x-1-waits', problemId: 'prob-1', score: 0.25, by: 'ada' }]);
    expect(await totalRecords(here.log, TOPIC.feedback)).toBe(1);
  });

  it('judges the answer of the tenant that is named, where another one has written in the place of its attempt', async () => {
    const ofTenant = (tenant: string): SeamEvent => {
      const event = answer('x-1-waits', 'prob-1');
      return { ...event, meta: { ...event.meta, tenant } };
    };
    const here = await world(ofTenant('globex'), ofTenant('acme'));
    expect(await here.seam('feedback', 'x-1-waits', ...GIVE)).toBe(2);
    expect(here.takeErrors()).toMatch(/got 2 that wait.*--tenant[^]*globex[^]*acme/);
    expect(await here.seam('feedback', 'x-1-waits', '--tenant', 'acme', ...GIVE)).toBe(0);
    expect(await eventsOf(here.log, 'FeedbackGiven')).toMatchObject([{ meta: { tenant: 'acme' } }]);
    expect(await here.seam('feedback', 'x-1-waits', '--tenant', 'initech', ...GIVE)).toBe(2);
  });

  it.each([
    ['nothing that waits', ['x-9', ...GIVE], 'got none of the 3 that wait'],
    ['several answers', ['prob', ...GIVE], 'expected one answer, got 2 that wait'],
    ['one that was settled', ['x-4-settled', ...GIVE], 'got one that was settled before'],
    ['one whose time is up', ['x-3-over', ...GIVE], 'It is ungraded'],
    ['no verdict', ['x-1-waits', '--by', 'ada'], 'expected --score or --verdict'],
    ['a judge without a name', ['x-1-waits', '--verdict', 'right', '--by', ' '], 'Cannot read --by'],
    ['a score above 1', ['x-1-waits', '--score', '1.2', '--by', 'ada'], 'expected a number from 0 to 1'],
  ])('refuses %s, and records nothing', async (_, args, expected) => {
    const here = await world(
      answer('x-1-waits', 'prob-1'),
      answer('x-2-waits', 'prob-1'),
      answer('x-3-over', 'other', 1),
      answer('x-4-settled', 'another'),
      { ...AnswerSettled, problemId: 'another', attemptId: 'x-4-settled' },
    );
    expect(await here.seam('feedback', ...args)).toBe(2);
    expect(here.takeErrors()).toContain(expected);
    expect((await here.log.watermarks(TOPIC.feedback)).every(({ high }) => high === 0)).toBe(true);
  });
});
