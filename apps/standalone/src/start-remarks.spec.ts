import { remarksOn } from './start-remarks.js';

const file = { path: 'train.jsonl', digest: 'a'.repeat(64) };
const settings = {
  method: 'experiences' as const,
  seed: 1,
  algorithm: 'curriculum' as const,
  roundSize: 64,
  preset: null,
  problems: file,
  validation: file,
};
const run = { settings, test: file };
const ownModels = { SEAM_GENERATOR_MODEL_FOLDER: 'smollm2', SEAM_EXECUTOR_MODEL_FOLDER: 'smollm2' };

describe('what a start on problems of one’s own remarks', () => {
  it('is nothing where models and form of answer were chosen, and on the demonstration', () => {
    expect(remarksOn(run, { drive: true }, { ...ownModels, SEAM_EXECUTOR_TEMPLATE: 'deepseek' })).toEqual([]);
    expect(remarksOn({ ...run, settings: { ...settings, problems: null } }, { drive: true }, {})).toEqual([]);
  });

  it('is that the shipped models know other words', () => {
    const [remark] = remarksOn(run, { drive: true }, {});
    expect(remark).toContain("the shipped models know only the demonstration's words");
  });

  it.each([ownModels, { ...ownModels, SEAM_EXECUTOR_TEMPLATE: 'plain' }, { SEAM_EXECUTOR_DRIVER: 'endpoint' }])(
    'is that nothing asks an executor of one’s own for a form of answer: %j',
    (environment) => {
      const said = remarksOn(run, { drive: true }, environment).join('; ');
      expect(said).toContain("the executor's template is plain, which asks for no form of answer");
      expect(said).toContain('SEAM_EXECUTOR_TEMPLATE');
    },
  );

  it('is that the report would measure on what decides promotions', () => {
    const environment = { ...ownModels, SEAM_EXECUTOR_TEMPLATE: 'qwen' };
    expect(remarksOn({ ...run, test: null }, { drive: true }, environment)).toEqual([
      expect.stringContaining('too good by a little'),
    ]);
    expect(remarksOn({ ...run, test: null }, { drive: false }, environment)).toEqual([]);
  });
});
