import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeamError } from './errors.js';
import { systemFault, systemMeaning } from './system-fault.js';

describe('what the system refuses', () => {
  it('is a fault of what was named, with its path and its meaning', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'system-fault-'));
    const file = join(folder, 'file');
    await writeFile(file, '');
    const thrown = await open(join(file, 'below'), 'w').catch((error: unknown) => error);
    expect(systemFault(thrown)).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: `Cannot open ${join(file, 'below')}: expected a place where that is allowed, got ENOTDIR (a part of its path is a file). Name another place, or change its rights.`,
      cause: thrown,
    });
    await rm(folder, { recursive: true });
  });

  it('is not guessed at where it may be a fault of ours', async () => {
    expect(systemFault(await open('/no/such/file').catch((error: unknown) => error))).toBeUndefined();
    expect(systemFault(new TypeError('boom'))).toBeUndefined();
    expect(systemFault(Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read' }))).toBeUndefined();
    expect(systemFault(new SeamError('CONFLICT', 'no'))).toBeUndefined();
    expect(systemFault(undefined)).toBeUndefined();
  });

  it('has a meaning, known or not', () => {
    expect(systemMeaning('EACCES')).toBe('EACCES (this user may not do that there)');
    expect(systemMeaning('EWEIRD')).toBe('EWEIRD (the system refused)');
    expect(systemMeaning(undefined)).toBe('an unknown fault (the system refused)');
  });
});
