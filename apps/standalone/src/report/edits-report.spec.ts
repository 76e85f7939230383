import { type IterationRow, roundPlots } from './edits-report.js';

describe('the rounds of self-edits as a picture', () => {
  it('show the trend of the mean reward, validation before and after, and the rewards of the last round', () => {
    const picture = roundPlots([round(1, 0.25, [9, 0]), round(2, 0.5, [4, 2])]);
    // 0.25 and 0.5 in a panel of 160, and the line through both.
    expect(picture).toContain('<polyline points="16,120 304,80" fill="none" stroke="#888"/>');
    expect(picture).toContain('rewards of step 2');
    expect(picture).toMatch(/height="160" fill="#2b6cb0"><title>4<.*height="80" fill="#2b6cb0"><title>2</s);
    expect(picture).toMatch(/fill="#b0b0b0"><title>0.100</);
    expect(picture).not.toContain('http');
  });

  it('leave out what no run measured', () => {
    const unmeasured = { ...round(1, 0, []), meanReward: null, rewardStd: null, gainingShare: null, validation: null };
    expect(roundPlots([{ ...unmeasured, parentValidation: null }]).match(/no figures/g)).toHaveLength(4);
  });
});

function round(number: number, meanReward: number, rewards: readonly number[]): IterationRow {
  return {
    ...{ round: number, attempts: 9, solved: 0, meanReward, rewardStd: 0, rewards, gainingShare: 0.2, keptEntries: 1 },
    ...{ validation: 0.2, parentValidation: 0.1, status: 'promoted', reason: null },
  };
}
