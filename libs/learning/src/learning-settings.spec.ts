import { CURRICULUM, learningSettings } from './learning-settings.js';

const RECIPES = new Map([['llm', { resolveConfiguration: () => ({}) }]]);
const choice = { preset: 'embedded', algorithm: CURRICULUM, curriculum: {}, algorithms: {} };

describe('the algorithm of a method with other ones', () => {
  it('has to be named where the curriculum by default chooses what the method lacks', () => {
    expect(() => learningSettings(choice, RECIPES)).toThrow(
      /by the curriculum: .* of the method \(llm\), got sft\. Name one of these as the algorithm/,
    );
    expect(() => learningSettings({ ...choice, algorithm: 'llm' }, RECIPES)).not.toThrow();
  });

  it('may be what the curriculum names', () => {
    const curriculum = { warmUp: 'llm', refine: 'llm' };
    expect(learningSettings({ ...choice, curriculum }, RECIPES).curriculum).toMatchObject(curriculum);
  });
});
