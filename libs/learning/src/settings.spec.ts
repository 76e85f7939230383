import { mergeSettings, presetNamed } from './settings.js';

describe('settings', () => {
  it('are laid over a preset level by level', () => {
    const base = { clip: { low: 0.2, high: 0.2 }, batchSize: 80, targets: ['a', 'b'] };
    expect(mergeSettings(base, { clip: { high: 0.28 }, targets: ['c'], extra: {} })).toEqual({
      clip: { low: 0.2, high: 0.28 },
      batchSize: 80,
      targets: ['c'],
      extra: {},
    });
    expect(base.clip.high).toBe(0.2);
  });

  it('of another form replace a level: its names mean nothing there', () => {
    const base = { duration: { unit: 'epochs', epochs: 1 } };
    expect(mergeSettings(base, { duration: { unit: 'steps', steps: 10 } })).toEqual({
      duration: { unit: 'steps', steps: 10 },
    });
    expect(mergeSettings(base, { duration: { unit: 'epochs', epochs: 2 } })).toEqual({
      duration: { unit: 'epochs', epochs: 2 },
    });
  });

  it('know presets by their names only', () => {
    expect(presetNamed('embedded').algorithms.grpo).toMatchObject({ importance: { correction: 'taper' } });
    expect(() => presetNamed('seam-papers')).toThrow('got seam-papers (did you mean seam-paper?).');
  });
});
