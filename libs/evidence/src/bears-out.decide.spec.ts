import { decodeEvent, type EventOf, encodeEvent, resultRole, type SeamEvent } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { explored } from '@seamstream/testing/result-log';
import { EncodedRecords } from './bears-out.decide.js';
import { KeptExperience, KeptProblem, Windows } from './kept-records.js';

const PROBLEM = {
  problemId: 'p',
  domain: 'sums',
  prompt: 'What is 1?',
  reference: '1',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: { a: '1' },
};

const recordOf = (event: SeamEvent) => ({ ...encodeEvent(event), partition: 0, offset: 0, timestampMs: 0 });

describe('a result', () => {
  it('that is honest is borne out by bytes alone, with and without a separate attempt', () => {
    expect(isBorneOut()).toBe(true);
    expect(isBorneOut({ ofBoth: { attemptId: 'a-1' } })).toBe(true);
  });

  it('of another attempt than its experience is not borne out', () => {
    expect(isBorneOut({ ofResult: { attemptId: 'a-1' } })).toBe(false);
    expect(isBorneOut({ ofBoth: { attemptId: 'a-1' }, ofResult: { attemptId: 'a-2' } })).toBe(false);
    expect(isBorneOut({ ofBoth: { attemptId: 'a-1' }, ofResult: { attemptId: null } })).toBe(false);
  });
});

/** By bytes alone, of a result and its experience, each with what is changed of it. */
function isBorneOut(change: { readonly ofBoth?: object; readonly ofResult?: object } = {}): boolean {
  const { published, experiences, outcomes } = explored(PROBLEM, { solved: [0] });
  const windows = new Windows();
  const experience = recordOf({ ...experiences[0]!, ...change.ofBoth });
  const told = { ...outcomes[0]!, ...change.ofBoth, ...change.ofResult };
  const messageId = derivedId(told.experienceId, resultRole(told));
  const result = recordOf({ ...told, meta: { ...told.meta, messageId } });
  return new EncodedRecords(windows).bearOut(
    decodeEvent(result) as EventOf<'OutcomeRecorded'>,
    result.value,
    { experience: new KeptExperience(experience, windows), problem: new KeptProblem(recordOf(published), windows) },
    () => new Set(['x']),
  );
}
