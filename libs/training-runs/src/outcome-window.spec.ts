import { originMeta, type SeamEvent } from '@seamstream/events';
import { evolveWindow, type OutcomeWindow, windowAt, windowRanges } from './outcome-window.js';

const meta = (messageId: string) =>
  originMeta({ messageId, correlationId: 'p', source: 'seam/test', occurredAt: 1, sourceClass: 'trusted' });

describe('a window of completed problems', () => {
  it('counts a problem whose attempts are all in, judged or not', () => {
    expect(count([failure('g', 0, 2), ungraded('h', 0, 2)]).completedProblems).toBe(0);
    expect(count([failure('g', 0, 2), ungraded('g', 1, 2), ungraded('g', 1, 2)]).completedProblems).toBe(1);
  });

  it('counts a problem when all of its candidates have a result, failures included', () => {
    expect(count([failure('a', 0, 2), failure('b', 0, 2)]).completedProblems).toBe(0);
    expect(count([failure('a', 0, 2), failure('b', 0, 2), failure('a', 1, 2)]).completedProblems).toBe(1);
    expect(count([failure('control', 0, 1)]).completedProblems).toBe(1);
  });

  it('counts an expired problem, and counts one that is recorded twice once', () => {
    expect(count([expiry('a'), expiry('b'), expiry('a')]).completedProblems).toBe(2);
  });

  it('counts a candidate that has two results once', () => {
    expect(count([failure('a', 0, 2), failure('a', 0, 2)]).completedProblems).toBe(0);
  });

  it('R07: counts a problem once, however often its results are recorded, in this window and after it', () => {
    const told = [failure('a', 0, 2), failure('a', 1, 2), expiry('e')];
    const first = count([...told, ...told]);
    expect(first.completedProblems).toBe(2);
    const next = count([...told, failure('b', 0, 1)], windowAt(first.nextOffsets, first), 6);
    expect(next.completedProblems).toBe(1);
    expect(next.open.size).toBe(0);
    expect([...next.repeated]).toEqual([['a', 1]]);
    const later = count([...told], windowAt(next.nextOffsets, next), 10);
    expect([later.completedProblems, [...later.repeated]]).toEqual([0, [['a', 2]]]);
    // The repeated ones behind the last completed problem belong to no window before the next one's.
    expect(windowRanges(first, 't')).toEqual([{ topic: 't', partition: 0, from: 0, to: 3 }]);
    expect(windowRanges(next, 't')).toEqual([{ topic: 't', partition: 0, from: 3, to: 10 }]);
  });

  it('passes over what it counted before', () => {
    const events = [failure('a', 0, 1), failure('b', 0, 1)];
    const window = count(events);
    expect(count(events, window)).toBe(window);
  });

  it('names the records from its beginning to the last counted one, per partition', () => {
    const window = evolveWindow(count([failure('a', 0, 1), failure('b', 0, 1)]), failure('c', 0, 1), {
      partition: 2,
      offset: 7,
    });
    expect(windowRanges(window, 'seam.outcomes')).toEqual([
      { topic: 'seam.outcomes', partition: 0, from: 0, to: 2 },
      { topic: 'seam.outcomes', partition: 2, from: 0, to: 8 },
    ]);
  });

  it('reaches back to the beginning of a group that ends in it, and counts it here only', () => {
    const first = count([failure('a', 0, 1), failure('b', 0, 2)]);
    expect(first.completedProblems).toBe(1);
    const second = count([failure('c', 0, 1)], windowAt(first.nextOffsets, first), 2);
    expect(windowRanges(second, 't')).toEqual([{ topic: 't', partition: 0, from: 1, to: 3 }]);
    const third = count([failure('b', 1, 2)], second, 3);
    expect(third.completedProblems).toBe(2);
    expect(windowRanges(third, 't')).toEqual([{ topic: 't', partition: 0, from: 1, to: 4 }]);
  });
});

function failure(groupId: string, member: number, groupSize: number): SeamEvent {
  return {
    type: 'ExecutionFailed',
    attemptId: null,
    meta: meta(`${groupId}-${member}`),
    problem: {
      problemId: groupId,
      domain: 'd',
      prompt: 'q',
      reference: 'r',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    experienceId: `${groupId}-${member}`,
    groupId,
    candidateIndex: member,
    groupSize,
    arm: 'explore',
    adapterDigest: null,
    code: 'SESSION_FAILED',
    reason: 'down',
    attempts: 1,
  };
}

function ungraded(groupId: string, member: number, groupSize: number): SeamEvent {
  const failed = failure(groupId, member, groupSize) as Extract<SeamEvent, { type: 'ExecutionFailed' }>;
  const { problem, experienceId, candidateIndex, arm, adapterDigest } = failed;
  return {
    type: 'AttemptUngraded',
    attemptId: null,
    meta: meta(`${groupId}-${member}`),
    ...{ problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest },
    feedbackUntil: 1,
  };
}

function expiry(id: string): SeamEvent {
  const { problem } = failure(id, 0, 1) as Extract<SeamEvent, { type: 'ExecutionFailed' }>;
  return { type: 'ProblemExpired', meta: meta(id), problem, expiredAt: 1 };
}

/** Counts events that stand at offsets 0, 1, 2, … of partition 0, or from a given offset on. */
function count(events: readonly SeamEvent[], start: OutcomeWindow = windowAt(new Map()), from = 0): OutcomeWindow {
  return events.reduce(
    (window, event, index) => evolveWindow(window, event, { partition: 0, offset: from + index }),
    start,
  );
}
