import fc from 'fast-check';
import type { JudgeIdentity } from './generated/events.generated.js';
import { areOfOneRevision, asOneRevision, isMix, judgesOf } from './judges.js';

const reported = fc.oneof(fc.constantFrom('fp_1', 'fp_2', 'fp_3'), fc.stringMatching(/^[ab, ]{1,8}$/));
const judge: fc.Arbitrary<JudgeIdentity> = fc.record({
  model: fc.constant('judge'),
  revision: fc.oneof(fc.constant(null), reported.map(asOneRevision)),
});
/** Verdicts of answers, those of several entries together. */
const verdicts = fc.array(fc.array(fc.option(judge, { nil: undefined }), { maxLength: 5 }), { maxLength: 5 });
const named = (judges: readonly (JudgeIdentity | undefined)[]): ReadonlySet<string> =>
  new Set(judges.flatMap((each) => (each === undefined ? [] : [each.revision ?? each.model])));

describe('the judge of several verdicts', () => {
  it('is their one revision, or a mix that names each once, also where some of them are mixes', () => {
    fc.assert(
      fc.property(verdicts, (groups) => {
        const revisions = named(groups.flat());
        const nested = judgesOf(groups.map((group) => judgesOf(group)));
        expect(nested).toEqual(judgesOf(groups.flat()));
        expect(nested === undefined).toBe(revisions.size === 0);
        if (nested === undefined) return;
        expect(isMix(nested)).toBe(revisions.size > 1);
        if (revisions.size > 1) expect(nested.revision!.split(', ').sort()).toEqual([...revisions].sort());
      }),
    );
  });

  it('is compared with no verdict where several revisions judged: not with its equal, nor with one without a judge', () => {
    fc.assert(
      fc.property(verdicts, verdicts, (one, other) => {
        const pair = [judgesOf(one.flat()), judgesOf(other.flat())];
        const isOne = (of: typeof one) => named(of.flat()).size < 2;
        const [a, b] = pair;
        const areEqual = a === undefined || b === undefined || a.revision === b.revision;
        expect(areOfOneRevision(pair)).toBe(isOne(one) && isOne(other) && areEqual);
        expect(areOfOneRevision([a, a])).toBe(isOne(one));
        expect(areOfOneRevision([a, null])).toBe(isOne(one));
      }),
    );
    expect(areOfOneRevision([])).toBe(true);
    expect(areOfOneRevision(['one', 'other'].map((model) => ({ model, revision: 'fp_1' })))).toBe(false);
  });
});
