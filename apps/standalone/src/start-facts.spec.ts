import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStartOptions, type StartOptions } from './config.js';
import { readStart } from './read-start.js';
import { writeRunFile } from './run-settings.js';
import { reportPageIn, reportPaths, startFacts, toldStart } from './start-facts.js';

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

  it('says why its file cannot be read, and is no failure', async () => {
    expect(await toldStart(folder)).toEqual({ start: null, unread: null });
    await writeFile(join(folder, 'run.json'), '{"format":2}');
    const unread = expect.stringMatching(
      /^Cannot read .*run\.json: expected what this folder was begun with/,
    ) as string;
    expect(await toldStart(folder)).toEqual({ start: null, unread });
    await rm(join(folder, 'run.json'));
    await begin('--seed', '7');
    expect(await toldStart(folder)).toMatchObject({ start: { seed: 7 }, unread: null });
  });

  it('says why the file system refuses its file, and is no failure', async () => {
    await mkdir(join(folder, 'run.json'));
    const unread = expect.stringMatching(
      /^Cannot read .*run\.json: expected .*, got .*EISDIR: .*\. Restore the file/,
    ) as string;
    expect(await toldStart(folder)).toEqual({ start: null, unread });
  });

  it('has the commands of its report, and the report, unless the run has other limits since', async () => {
    await begin('--seed', '7', '--max-rounds', '3');
    const { figures, page } = reportPaths(folder);
    await writeFile(figures, JSON.stringify({ commands: ['seam start --held-out 16'] }));
    await writeFile(page, 'the page');
    expect(await startFacts(folder)).toMatchObject({ commands: ['seam start --held-out 16'], hasReport: true });
    expect(await reportPageIn(folder)).toBe('the page');
    await begin('--max-rounds', '5');
    const further = (await startFacts(folder))!;
    expect(further.commands).toHaveLength(2);
    expect(further.hasReport).toBe(false);
    await writeFile(figures, 'half a rep');
    expect((await startFacts(folder))!.commands).toHaveLength(2);
  });
});
