import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMissing } from './is-missing.js';

describe('a path', () => {
  it('is missing when nothing has it, and not when it cannot be looked at', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'is-missing-'));
    expect(isMissing(folder)).toBe(false);
    expect(isMissing(join(folder, 'none'))).toBe(true);
    // Any error but "no entry": here a name that no file system takes, elsewhere a folder without permission.
    expect(isMissing(join(folder, 'x'.repeat(5000)))).toBe(false);
    await rm(folder, { recursive: true });
  });
});
