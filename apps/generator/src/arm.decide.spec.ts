/** The arm of a problem and the guard that counts it, where a domain is muted. */
import type { EventOf } from '@seamstream/events';
import { problemOf, published } from '@seamstream/testing/log-of';
import { assignArm, assignmentOf, guardMarkOf } from './arm.decide.js';

const guard = { guardId: 'g-1', adapterDigest: 'a1', share: 0.02, muted: new Set(['sums']) };
const problem = (id: string, domain: string, changes: Partial<EventOf<'ProblemPublished'>> = {}) => ({
  ...(published(id) as EventOf<'ProblemPublished'>),
  ...{ problem: problemOf(id, domain), mode: 'deploy' as const },
  ...changes,
});
const ids = Array.from({ length: 5000 }, (_, i) => `p-${i}`);
const controls = (domain: string, inForce: typeof guard | undefined): ReadonlySet<string> =>
  new Set(
    ids.filter((id) => {
      const event = problem(id, domain);
      return assignArm(event, 0, assignmentOf(event, 0.1, inForce)) === 'control';
    }),
  );

describe('The arm of a problem in a muted domain', () => {
  it('is the control arm but for the declared share, and keeps the controls that it had', () => {
    const [before, after] = [controls('sums', undefined), controls('sums', guard)];
    expect(before.difference(after).size).toBe(0);
    expect(after.size / ids.length).toBeGreaterThan(0.97);
    expect(after.size / ids.length).toBeLessThan(0.99);
    expect(assignmentOf(problem('a', 'sums'), 0.1, guard).controlShare).toBe(0.98);
  });

  it('is as before in other domains, in groups to learn from, and where its publisher drew it', () => {
    expect(controls('words', guard)).toEqual(controls('words', undefined));
    expect(assignmentOf(problem('a', 'sums', { mode: 'explore' }), 0.1, guard).controlShare).toBe(0.1);
    const assignment = { experiment: 'gateway', unit: 'c1', controlShare: 0.3 };
    expect(assignmentOf(problem('a', 'sums', { assignment }), 0.1, guard)).toBe(assignment);
  });
});

describe('The guard that counts a problem', () => {
  const draw = { releaseId: 'r', stage: 0, unit: 'a', share: 0.25, isCandidate: false };

  it('is in force, whichever arm the problem is in', () => {
    const mark = { guardId: 'g-1', adapterDigest: 'a1' };
    expect(guardMarkOf(problem('a', 'words'), null, guard)).toEqual(mark);
    expect(guardMarkOf(problem('a', 'words'), draw, guard)).toEqual(mark);
  });

  it('does not exist where a release drew its candidate, in groups to learn from, and without a guard', () => {
    expect(guardMarkOf(problem('a', 'words'), { ...draw, isCandidate: true }, guard)).toBeNull();
    expect(guardMarkOf(problem('a', 'words', { mode: 'explore' }), null, guard)).toBeNull();
    expect(guardMarkOf(problem('a', 'words'), null, undefined)).toBeNull();
  });
});
