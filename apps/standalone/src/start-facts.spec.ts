import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStartOptions, type StartOptions } from './config.js';
import { readStart } from './read-start.js';
import { writeRunFile } from './run-settings.js';
import { reportPageIn, reportPaths, startFacts } from './start-facts.js';

describe('what a folder was begun with', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-facts-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  /** As a start does. */
  const begin = async (...argv: string[]): Promise<void> => {
    const options = readStartOptions(['--data-dir', folder, ...argv]) as StartOptions;
    await writeRunFile(folder, (await readStart(options, {})).run);
  };

  it('is nothing before a start', async () => {
    expect(await startFacts(folder)).toBeNull();
    expect(await reportPageIn(folder)).toBeNull();
  });

  it('has its settings, its limits and the commands that repeat it, one for each of its limits', async () => {
    await begin('--seed', '7', '--max-rounds', '3');
    expect(await startFacts(folder)).toMatchObject({
      ...{ method: 'attributes', seed: 7, algorithm: 'curriculum', roundSize: 64, problems: null, hasReport: false },
      limits: [{ maxRounds: 3 }],
    });
    await begin('--max-rounds', '5');
    const { commands, limits } = (await startFacts(folder))!;
    expect(limits).toHaveLength(2);
    expect(commands).toEqual(
      [3, 5].map(
        (rounds) =>
          `seam start --exit --method attributes --seed 7 --algorithm curriculum --round-size 64 --max-rounds ${rounds} --data-dir data`,
      ),
    );
  });

  it('has the commands of its report, unless the run has other limits since', async () => {
    await begin('--seed', '7', '--max-rounds', '3');
    const { figures, page } = reportPaths(folder);
    await writeFile(figures, JSON.stringify({ commands: ['seam start --held-out 16'] }));
    await writeFile(page, 'the page');
    expect(await startFacts(folder)).toMatchObject({ commands: ['seam start --held-out 16'], hasReport: true });
    expect(await reportPageIn(folder)).toBe('the page');
    await begin('--max-rounds', '5');
    expect((await startFacts(folder))!.commands).toHaveLength(2);
    await writeFile(figures, 'half a rep');
    expect((await startFacts(folder))!.commands).toHaveLength(2);
  });
});
