import type { SeamEvent } from '@seamstream/events';
import { DEFAULT_ENTRY_SCHEMA } from '@seamstream/experience';
import { FAKE_BASE_MODEL } from '@seamstream/training-contract/testing';
import { explored } from './explored-problems.fake.js';
import { LibraryMethod } from './library-method.js';

describe('what a library is learned from', () => {
  it('is groups with both verdicts; without verdicts all groups', () => {
    expect(shown({})).toEqual({ sizes: [4, 4], responses: true });
    expect(shown({ groundTruth: false })).toMatchObject({ sizes: [4, 4, 4] });
  });

  it('is one attempt of each group as a control, and every group counts', () => {
    expect(shown({ evidence: 'attempts' })).toEqual({ sizes: [1, 1, 1], responses: true });
  });

  it('is what was asked alone where texts are written directly', () => {
    expect(shown({ evidence: 'problems' })).toEqual({ sizes: [1, 1, 1], responses: false });
  });

  it('is no group that different revisions of a judge decided, unless verdicts are not looked at', () => {
    const apart = (at: number): string => (at === 1 ? 'fp_2' : 'fp_1');
    expect(shown({}, apart)).toMatchObject({ sizes: [4] });
    expect(shown({ groundTruth: false }, apart)).toMatchObject({ sizes: [4, 4, 4] });
    expect(shown({}, () => 'fp_1')).toMatchObject({ sizes: [4, 4] });
  });

  it('is nothing where no group says something, and the reason counts what each of them is', () => {
    const [solved, failed] = [explored(0, { solved: 4 }), explored(1, { alike: true })];
    const incomplete = explored(2).slice(0, 6);
    const foreign = explored(3).map((event) => ({ ...event, baseModelDigest: 'f'.repeat(64) }));
    const unjudged = explored(4).map((event, at) =>
      at > 2 && event.type === 'OutcomeRecorded'
        ? ({ ...event, type: 'AttemptUngraded' } as unknown as SeamEvent)
        : event,
    );
    const apart = explored(5).map((event, at) => ({ ...event, judge: { model: 'judge', revision: `fp_${at}` } }));
    const all = [solved, failed, incomplete, foreign, unjudged, apart].flat();
    expect(planned(all, {})).toMatchObject({
      status: 'refused',
      reason:
        'no group has both an attempt that succeeded and one that failed: of 6 groups 1 not complete, 1 of another base model, 1 without enough judged attempts, 1 judged by several revisions of a judge, 1 solved by every attempt, 1 solved by no attempt',
    });
    expect(planned([...incomplete, ...foreign], { groundTruth: false })).toMatchObject({
      reason: 'no group of attempts is complete: of 2 groups 1 not complete, 1 of another base model',
    });
    expect(planned([], {})).toMatchObject({
      reason: expect.stringMatching(/no attempt of these rounds has a result$/),
    });
  });
});

function planned(events: readonly SeamEvent[], settings: Readonly<Record<string, unknown>>) {
  return new LibraryMethod().plan({
    plan: { algorithm: 'llm', baseModelDigest: FAKE_BASE_MODEL, seed: 's', configuration: { algorithm: settings } },
    input: {
      reads: 'log',
      experiences: events.filter(({ type }) => type === 'ExperienceGenerated'),
      results: events.filter(({ type }) => type === 'OutcomeRecorded' || type === 'AttemptUngraded'),
    },
    schemaFor: () => DEFAULT_ENTRY_SCHEMA,
  } as unknown as Parameters<LibraryMethod['plan']>[0]);
}

/** The first two problems have both verdicts, the third is solved by nothing. @param revision of the judge, by attempt of the first problem */
function shown(settings: Readonly<Record<string, unknown>>, revision?: (at: number) => string) {
  const events = [explored(0), explored(1), explored(2, { alike: true })].map((each, problem) =>
    each.map((event, at) =>
      event.type === 'OutcomeRecorded' && problem === 0 && revision !== undefined
        ? { ...event, judge: { model: 'judge', revision: revision((at - 1) / 2) } }
        : event,
    ),
  );
  const ready = planned(events.flat(), settings);
  if (ready.status !== 'ready') throw new Error(ready.reason);
  const attempts = ready.job.batches.flat();
  return {
    sizes: [...Map.groupBy(attempts, ({ groupId }) => groupId).values()].map((group) => group.length),
    responses: attempts.every(({ trace }) => trace.response !== ''),
  };
}
