import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeEvent } from '@seamstream/events';
import { commonConfigSchema, loadConfig } from '@seamstream/service-kit';
import { openEventLog } from '@seamstream/service-kit/drivers';
import { HOSTED_SERVICES, type StartOptions } from './config.js';
import { worldSource } from './problem-stream.js';
import { runLoop } from './run-loop.js';

const start = (options: Partial<StartOptions> & Pick<StartOptions, 'dataDir'>, environment = {}) => {
  const lines: string[] = [];
  const ended = runLoop(
    {
      exit: true,
      method: 'experiences',
      seed: 1,
      algorithm: 'curriculum',
      roundSize: 8,
      maxRounds: 1,
      maxShiftedRounds: 0,
      services: HOSTED_SERVICES,
      drive: true,
      heldOut: 8,
      json: false,
      said: new Set<string>(),
      ...options,
    },
    {
      environment,
      signal: new AbortController().signal,
      terminal: { isTTY: false, write: (text: string) => lines.push(text) > 0 },
      onReport: () => Promise.resolve(''),
    },
  );
  return { ended, lines };
};

describe('the demonstration', () => {
  it.each([true, false])(
    'refuses a data folder that is a file before it begins (driving rounds: %s)',
    async (drive) => {
      const dataDir = fileURLToPath(import.meta.url);
      const { ended, lines } = start({ dataDir, drive });
      await expect(ended).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining(`got the file ${dataDir}. Name another folder (--data-dir)`),
      });
      expect(lines).toEqual([]);
    },
  );

  it.each([true, false])('makes no world in a folder whose log is of another (driving rounds: %s)', async (drive) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'seam-other-'));
    const log = await openEventLog(loadConfig(commonConfigSchema, { SEAM_DATA_FOLDER: dataDir }), 'create');
    const round = { round: 0, phase: 'base', roundSize: 8, startIndex: 0, count: 8, occurredAt: 0 } as const;
    await log.append(worldSource(5)(round).map(encodeEvent));
    await log.close();
    const { ended } = start({ dataDir, drive, method: 'attributes' });
    await expect(ended).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('rounds of --method experiences --seed 5, got --method attributes --seed 1'),
    });
    expect(await readdir(dataDir)).not.toContain('world');
    await rm(dataDir, { recursive: true });
  });

  it.each([
    ['an unknown setting', {}, { SEAM_TRAINER_SEEED: '1' }, 'SEAM_TRAINER_SEEED'],
    [
      'a file that is not there',
      { problems: '/no/such', validation: '/no/such' },
      {},
      'Cannot use --problems /no/such',
    ],
  ])('makes no folder for a start that is refused for %s', async (_, options, environment, message) => {
    const parent = await mkdtemp(join(tmpdir(), 'seam-refused-'));
    const { ended } = start({ ...options, dataDir: join(parent, 'new', 'data') }, environment);
    await expect(ended).rejects.toThrow(message);
    expect(await readdir(parent)).toEqual([]);
    await rm(parent, { recursive: true });
  });
});
