import { type EventOf, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { EXAMPLE_EVENTS, eventsOf, totalRecords } from '@seamstream/testing';
import { fakeWorld } from '../command-runtime.fake.js';

const { AnswerRecorded, AnswerSettled } = EXAMPLE_EVENTS;
const FAR = Date.UTC(2100, 0);

function answer(experienceId: string, problemId: string, feedbackUntil = FAR): SeamEvent {
  const problem = { ...AnswerRecorded.problem, problemId, reference: null, verifier: null };
  return { ...AnswerRecorded, experienceId, problem, feedbackUntil, sessionAdapter: null };
}

async function world(...events: readonly SeamEvent[]) {
  const made = await fakeWorld();
  await made.log.append(events.map(encodeEvent));
  return made;
}

const GIVE = ['--verdict', 'right', '--by', 'ada'] as const;

describe('seam feedback', () => {
  it('lists the answers that wait, and not those that were settled or whose time is up', async () => {
    const settled = answer('x-3-settled', 'p-3');
    const others = [answer('x-2-over', 'p-2', 1), settled, ...endsOf(settled), ofSession('x-4-session', 'p-4')];
    const here = await world(answer('x-1-waits', 'p-1'), ...others);
    expect(await here.seam('--json', 'feedback')).toBe(0);
    expect(here.takeJson()).toMatchObject([{ waiting: [{ attemptId: 'x-1-waits', problemId: 'p-1' }] }]);
  });

  it('judges an answer though a client says that its wait is over', async () => {
    const own = answer('x-1-waits', 'prob-1');
    const forged = endOf(own) as EventOf<'AnswerSettled'>;
    const ends = [
      forged,
      { ...forged, resultId: 'another' },
      { ...forged, meta: { ...forged.meta, causationId: 'another' } },
    ];
    const here = await world(own, ...ends, { ...forged, meta: { ...forged.meta, messageId: 'another' } });
    expect(await here.seam('feedback', 'x-1-waits', ...GIVE)).toBe(0);
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
    ['one that was judged', ['x-4-settled', ...GIVE], 'got one that was judged before'],
    ['one that ended without feedback', ['x-5-ended', ...GIVE], 'got one that ended ungraded'],
    ['one of a session', ['x-6-session', ...GIVE], "got one of a session's adapter"],
    ['one of a session that has ended', ['x-7-session', ...GIVE], "got one of a session's adapter"],
    ['one whose time is up', ['x-3-over', ...GIVE], 'It is ungraded'],
    ['no verdict', ['x-1-waits', '--by', 'ada'], 'expected --score or --verdict'],
    ['a judge without a name', ['x-1-waits', '--verdict', 'right', '--by', ' '], 'Cannot read --by'],
    ['a score above 1', ['x-1-waits', '--score', '1.2', '--by', 'ada'], 'expected a number from 0 to 1'],
  ])('refuses %s, and records nothing', async (_, args, expected) => {
    const [judged, ended, session] = [
      answer('x-4-settled', 'another'),
      answer('x-5-ended', 'ended'),
      ofSession('x-7-session', 'session-2'),
    ];
    const waiting = [answer('x-1-waits', 'prob-1'), answer('x-2-waits', 'prob-1'), answer('x-3-over', 'other', 1)];
    const ends = [...endsOf(judged), ...endsOf(ended, null), ...endsOf(session, null)];
    const here = await world(...waiting, judged, ended, session, ofSession('x-6-session', 'session-1'), ...ends);
    expect(await here.seam('feedback', ...args)).toBe(2);
    expect(here.takeErrors()).toContain(expected);
    expect((await here.log.watermarks(TOPIC.feedback)).every(({ high }) => high === 0)).toBe(true);
  });
});

/** As the executor's service writes it with the result. @param feedbackId null: its time was over */
function endOf(answered: SeamEvent, feedbackId: string | null = 'f'): SeamEvent {
  const { meta, experienceId, problem } = answered as EventOf<'AnswerRecorded'>;
  const { messageId } = meta;
  return {
    ...AnswerSettled,
    meta: { ...AnswerSettled.meta, messageId: derivedId(messageId, 'settled'), causationId: messageId },
    resultId: derivedId(meta.causationId!, 'outcome'),
    ...{ problemId: problem.problemId, attemptId: experienceId, feedbackId },
  };
}

/** The end with its result, as they are in one transaction. */
function endsOf(answered: SeamEvent, feedbackId: string | null = 'f'): readonly SeamEvent[] {
  const end = endOf(answered, feedbackId) as EventOf<'AnswerSettled'>;
  const { OutcomeRecorded: example } = EXAMPLE_EVENTS;
  const problem = { ...example.problem, problemId: end.problemId };
  return [end, { ...example, problem, meta: { ...example.meta, messageId: end.resultId } }];
}

const ofSession = (experienceId: string, problemId: string): SeamEvent => ({
  ...(answer(experienceId, problemId, 1) as EventOf<'AnswerRecorded'>),
  sessionAdapter: 'adapter-1',
});
