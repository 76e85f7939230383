import type { EventOf } from '@seamstream/events';
import type { ReleaseStage } from '@seamstream/release';
import { published } from '@seamstream/testing/log-of';
import { releaseDrawOf } from './release-draw.decide.js';

const problem = (id: string, changes: Partial<EventOf<'ProblemPublished'>> = {}): EventOf<'ProblemPublished'> => ({
  ...(published(id) as EventOf<'ProblemPublished'>),
  mode: 'deploy',
  ...changes,
});
const canary = (share: number): ReleaseStage => ({ kind: 'canary', share, margin: 0, minProblems: 1 });
const running = (planned: ReleaseStage, releaseId = 'r1') => ({ releaseId, stage: 0, planned });
const ids = Array.from({ length: 4000 }, (_, i) => `problem ${i}`);
const drawn = (share: number, releaseId?: string): Set<string> =>
  new Set(ids.filter((id) => releaseDrawOf(problem(id), running(canary(share), releaseId))?.isCandidate));

describe('the draw of a release', () => {
  it('gives the candidate its share, keeps its problems in a larger one, and divides afresh for another release', () => {
    const [small, large, other] = [drawn(0.05), drawn(0.25), drawn(0.25, 'r2')];
    expect(small.size / ids.length).toBeCloseTo(0.05, 1);
    expect(large.size / ids.length).toBeGreaterThan(0.22);
    expect(large.size / ids.length).toBeLessThan(0.28);
    expect(small.difference(large).size).toBe(0);
    const shared = large.intersection(other).size / large.size;
    expect(shared).toBeGreaterThan(0.18);
    expect(shared).toBeLessThan(0.32);
  });

  it('is the same for all problems of a unit', () => {
    const assignment = { experiment: 'gateway', unit: 'conversation 1', controlShare: 0.1 };
    const draws = ids.slice(0, 50).map((id) => releaseDrawOf(problem(id, { assignment }), running(canary(0.5))));
    expect(new Set(draws.map((draw) => draw?.isCandidate)).size).toBe(1);
  });

  it('leaves out groups to learn from, validation, and shadows of answers that a client waits for', () => {
    const shadow: ReleaseStage = { kind: 'shadow', minProblems: 1, margin: 0 };
    const validation: ReleaseStage = { kind: 'validation', minProblems: 1, rule: { name: 'better', level: 0.05 } };
    expect(releaseDrawOf(problem('a', { mode: 'explore' }), running(canary(0.5)))).toBeUndefined();
    expect(releaseDrawOf(problem('a'), running(validation))).toBeUndefined();
    expect(releaseDrawOf(problem('a', { answeredBy: 'seam/gateway' }), running(shadow))).toBeUndefined();
    expect(releaseDrawOf(problem('a'), running(shadow))).toMatchObject({ share: null });
  });
});
