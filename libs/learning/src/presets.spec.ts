import { algorithms, presets } from './index.js';

describe('a preset', () => {
  it('configures algorithms that exist with settings that they accept, and its curriculum runs only those', () => {
    for (const { curriculum, algorithms: configurations } of presets.values()) {
      for (const [name, configuration] of Object.entries(configurations)) {
        expect(algorithms.get(name)?.resolveConfiguration(configuration)).toMatchObject(configuration);
      }
      expect(Object.keys(configurations)).toEqual(expect.arrayContaining([curriculum.warmUp, curriculum.refine]));
    }
  });

  it('for the embedded demonstration compares more gently than it imitates, and learns from whoever did better', () => {
    const { algorithms: configurations } = presets.get('embedded')!;
    expect(algorithms.get('sft')?.resolveConfiguration(configurations.sft)).toMatchObject({
      learningRate: { peak: 5e-4, decay: 'constant' },
    });
    expect(algorithms.get('grpo')?.resolveConfiguration(configurations.grpo)).toMatchObject({
      learningRate: { peak: 3e-4 },
      importance: { correction: 'taper' },
      clip: { low: 0.2, high: 0.28 },
    });
  });
});
