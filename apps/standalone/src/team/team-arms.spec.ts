import { TEAM_RECIPES } from '@seamstream/team-tuning';
import { areOtherSettings, TEAM_ARMS } from './team-arms.js';

describe('settings of recorded stages', () => {
  const [shown] = TEAM_ARMS;
  const planned = TEAM_RECIPES.get('sat-seq')!.resolveConfiguration(shown.settings);

  it('are those of the way that planned them', () => {
    expect(areOtherSettings(shown, planned)).toBe(false);
  });

  it.each([
    ['another gate', { gate: { target: 1, quantile: 0.9, maxBacktracks: 5, mostLost: 2 } }],
    ['no gate', { gate: null }],
    ['a setting that this version does not have', { gate: { target: 1, unknown: 0.2 } }],
    ['another division of problems', { division: 'rounded-up' }],
  ])('are others with %s', (_, changed) => {
    expect(areOtherSettings(shown, { ...planned, ...changed })).toBe(true);
  });
});
