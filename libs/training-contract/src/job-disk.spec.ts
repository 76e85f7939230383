import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onDisk } from './job-disk.js';
import { JobFolder } from './job-folder.js';

describe('files of a job', () => {
  it.each([
    ['ENOSPC', 'OBJECT_STORE_FULL'],
    ['EDQUOT', 'OBJECT_STORE_FULL'],
    ['EIO', 'OBJECT_STORE_UNAVAILABLE'],
    ['ESTALE', 'OBJECT_STORE_UNAVAILABLE'],
  ])('that fail with %s say nothing of the run, which is taken again: %s', async (code, expected) => {
    const raw = Object.assign(new Error(`${code}: write`), { code });
    await expect(onDisk('/shared/jobs', () => Promise.reject(raw))).rejects.toMatchObject({
      code: expected,
      retryable: true,
      cause: raw,
    });
  });

  it('that fail for another reason fail with it', async () => {
    const raw = Object.assign(new Error('EACCES: write'), { code: 'EACCES' });
    await expect(onDisk('/shared/jobs', () => Promise.reject(raw))).rejects.toBe(raw);
  });

  it('are read where they are larger than Node reads at once, as a checkpoint of full training is', async () => {
    const path = await mkdtemp(join(tmpdir(), 'job-disk-'));
    try {
      const end = Buffer.from('the end');
      // Sparse: it takes no room on the disk.
      await writeFile(join(path, 'state'), '');
      await truncate(join(path, 'state'), 2 ** 31);
      await writeFile(join(path, 'state'), end, { flag: 'a' });
      const bytes = (await new JobFolder(path).read('state'))!;
      expect(bytes.byteLength).toBe(2 ** 31 + end.byteLength);
      expect(Buffer.from(bytes.subarray(2 ** 31)).equals(end)).toBe(true);
    } finally {
      await rm(path, { recursive: true });
    }
  });

  it('of a disk that is full are not written, by the system itself', async () => {
    const path = await mkdtemp(join(tmpdir(), 'job-disk-'));
    try {
      await symlink('/dev/full', join(path, 'file.partial'));
      await expect(new JobFolder(path).put('file', Buffer.from('text'))).rejects.toMatchObject({
        code: 'OBJECT_STORE_FULL',
      });
    } finally {
      await rm(path, { recursive: true });
    }
  });
});
