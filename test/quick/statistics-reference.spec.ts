/** The statistics that hold at every look, each computed twice: by libs/statistics, and by statistics_reference.py, which was written from the formulas. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Random } from '@seamstream/kernel';
import {
  type LiftStage,
  liftInterval,
  logMissingEvidence,
  logPairedEvidence,
  logSampleRatioEvidence,
  logStagedEvidence,
  pairedInterval,
} from '@seamstream/statistics';

const random = Random.of('statistics reference');
const counts = (n: number, most: number): number[] => Array.from({ length: n }, () => random.int(most));
const SHARES = [0.05, 0.1, 0.25, 0.5, 0.9];
const repeated = <Case>(times: number, one: (index: number) => Case): Case[] =>
  Array.from({ length: times }, (_, i) => one(i));

describe('a second implementation of the statistics', () => {
  it('agrees on the evidence and the interval of a lift, in one stage and in several', () => {
    const cases = repeated(20, (i) => ({
      kind: 'lift',
      mean: (random.float() - 0.5) * 1.5,
      stages: repeated(
        1 + (i % 3),
        () =>
          [SHARES[random.int(5)]!, [0, 0.3, 0.5, 0.8][random.int(4)]!, counts(4, 400).map((each) => each + 1)] as const,
      ),
    }));
    const own = cases.map(({ mean, stages }) => {
      const drawn = stages.map(
        ([treatedShare, centre, four]): LiftStage => ({
          treatedShare,
          centre,
          counts: four.map((problems, k) => ({ treated: k > 1, result: k % 2, problems })),
        }),
      );
      return [
        ...([1, -1] as const).map((side) => logStagedEvidence(drawn, mean, side)),
        ...liftInterval(drawn)!.interval95,
      ];
    });
    expectAgreement(own, cases);
  });

  it('agrees on paired results', () => {
    const cases = repeated(20, () => {
      const [rescued, broken, rest] = counts(3, 120) as [number, number, number];
      return { kind: 'paired', counts: [rescued, broken, rescued + broken + rest + 1] as const };
    });
    const own = cases.map(({ counts: [rescued, broken, problems] }) => [
      logPairedEvidence({ rescued, broken }),
      ...pairedInterval({ rescued, broken, problems })!.interval95,
    ]);
    expectAgreement(own, cases);
  });

  it('agrees on sample ratios and on missing results', () => {
    const cases = repeated(30, (i) => ({
      kind: i % 2 === 0 ? 'ratio' : 'missing',
      share: SHARES[random.int(5)]!,
      counts: counts(2, 3000) as [number, number],
    }));
    const own = cases.map(({ kind, share: treatedShare, counts: [treated, control] }) =>
      kind === 'ratio'
        ? [logSampleRatioEvidence({ treatedShare, treated, control })]
        : [logMissingEvidence({ treatedShare, treated, control, treatedMissing: treated, controlMissing: control })],
    );
    expectAgreement(own, cases);
  });
});

/** Python's figures for the cases. */
function computed(cases: readonly object[]): number[][] {
  const script = fileURLToPath(new URL('statistics_reference.py', import.meta.url));
  const { stdout, stderr, status } = spawnSync('python3', [script], { input: JSON.stringify(cases), encoding: 'utf8' });
  if (status !== 0) throw new Error(`Cannot compute the reference: expected python3 to end well, got ${stderr}`);
  return JSON.parse(stdout) as number[][];
}

function expectAgreement(own: readonly number[][], cases: readonly object[]): void {
  computed(cases).forEach((figures, at) => {
    expect(figures).toHaveLength(own[at]!.length);
    figures.forEach((figure, place) => {
      expect(Math.abs(own[at]![place]! - figure)).toBeLessThan(1e-7 * Math.max(1, Math.abs(figure)));
    });
  });
}
