import type { EventOf } from '@seamstream/events';
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
});

/** The first two problems have both verdicts, the third is solved by nothing. @param revision of the judge, by attempt of the first problem */
function shown(settings: Readonly<Record<string, unknown>>, revision?: (at: number) => string) {
  const events = [explored(0), explored(1), explored(2, { alike: true })].map((each, problem) =>
    each.map((event, at) =>
      event.type === 'OutcomeRecorded' && problem === 0 && revision !== undefined
        ? { ...event, judge: { model: 'judge', revision: revision((at - 1) / 2) } }
        : event,
    ),
  );
  const of = <T extends 'ExperienceGenerated' | 'OutcomeRecorded'>(type: T) =>
    events.flat().filter((event) => event.type === type) as unknown as EventOf<T>[];
  const planned = new LibraryMethod().plan({
    plan: { algorithm: 'llm', baseModelDigest: FAKE_BASE_MODEL, seed: 's', configuration: { algorithm: settings } },
    input: { reads: 'log', experiences: of('ExperienceGenerated'), results: of('OutcomeRecorded') },
    schemaFor: () => DEFAULT_ENTRY_SCHEMA,
  } as unknown as Parameters<LibraryMethod['plan']>[0]);
  if (planned.status !== 'ready') throw new Error(planned.reason);
  const attempts = planned.job.batches.flat();
  return {
    sizes: [...Map.groupBy(attempts, ({ groupId }) => groupId).values()].map((group) => group.length),
    responses: attempts.every(({ trace }) => trace.response !== ''),
  };
}
