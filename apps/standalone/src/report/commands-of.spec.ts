import { readStartOptions, type StartOptions } from '../config.js';
import { readStart } from '../read-start.js';
import type { RunFile } from '../run-settings.js';
import { commandsOf } from './commands-of.js';

const settings: RunFile['settings'] = {
  method: 'experiences',
  seed: 1,
  algorithm: 'curriculum',
  roundSize: 64,
  preset: null,
  problems: null,
  validation: null,
};
const file = { path: "o'ne.jsonl", digest: 'a'.repeat(64) };

describe('the command of a report', () => {
  it.each([
    'experiences',
    'library',
    'self-edits',
    'team',
    'attributes',
    'familiar-attributes',
    'attribute-pairs',
  ] as const)('is accepted for %s, though the folder was begun with rounds of new words', async (method) => {
    const [, ...argv] = commandOf({ method })
      .replace('--data-dir data', '--data-dir /no/such/folder')
      .split(' ')
      .slice(1);
    const { run } = await readStart(readStartOptions(argv) as StartOptions, {});
    expect(run.settings).toEqual({ ...settings, method });
    expect(run.limits).toMatchObject([{ maxRounds: 3, maxShiftedRounds: method === 'experiences' ? 5 : 0 }]);
  });

  it('says nothing of new words or held-out problems for files of one’s own', () => {
    const command = commandOf({ problems: file, validation: file });
    expect(command).toContain(`--problems 'o'\\''ne.jsonl'`);
    expect(command).not.toMatch(/shifted|held-out/);
  });
});

function commandOf(own: Partial<RunFile['settings']>): string {
  const limits = [{ since: '2030-01-31T12:00:00.000Z', maxRounds: 3, maxShiftedRounds: 5 }];
  const run: RunFile = {
    format: 1,
    begunAt: '',
    version: '0.1.0',
    limits,
    test: null,
    settings: { ...settings, ...own },
  };
  return commandsOf({ run, heldOutProblems: 512, testFile: null })[0]!;
}
