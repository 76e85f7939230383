import { fileURLToPath } from 'node:url';
import { HOSTED_SERVICES } from './host-services.js';
import { runLoop } from './run-loop.js';

describe('the demonstration', () => {
  it.each([true, false])(
    'refuses a data folder that is a file before it begins (driving rounds: %s)',
    async (drive) => {
      const dataDir = fileURLToPath(import.meta.url);
      const lines: string[] = [];
      const options = {
        exit: true,
        seed: 1,
        dataDir,
        algorithm: 'curriculum',
        roundSize: 8,
        maxRounds: 1,
        maxShiftedRounds: 0,
        services: HOSTED_SERVICES,
        drive,
        heldOut: 8,
        json: false,
        said: new Set<string>(),
      };
      const surroundings = {
        environment: {},
        signal: new AbortController().signal,
        terminal: { isTTY: false, write: (text: string) => lines.push(text) > 0 },
        onReport: () => Promise.resolve(''),
      };
      await expect(runLoop(options, surroundings)).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining(`came the file ${dataDir}. Name another folder (--data-dir)`),
      });
      expect(lines).toEqual([]);
    },
  );
});
