/** A disk of 16 MB in a separate mount namespace: the real ENOSPC, at many write sites, and space that comes back. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';

jest.setTimeout(600_000);

const CHILD = fileURLToPath(new URL('../support/full-disk.child.mjs', import.meta.url));

/** Runs a shell script with a 16 MB disk mounted at $DISK; needs unprivileged user name spaces (util-linux's unshare). */
function onSmallDisk(script: string): { status: number | null; stdout: string; stderr: string } {
  const disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    const command = `set -e; mount -t tmpfs -o size=16m tmpfs "$DISK"; ${script}`;
    const env = { ...process.env, DISK: disk, NODE: process.execPath, CHILD };
    const { status, stdout, stderr } = spawnSync('unshare', ['-Urm', 'sh', '-c', command], { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  } finally {
    rmSync(disk, { recursive: true });
  }
}

describe('a disk without space', () => {
  it('R21: refuses commits and objects by code, keeps all that was acknowledged, and continues by itself once there is space', () => {
    const run = onSmallDisk('head -c 8000000 /dev/zero > "$DISK/filler"; "$NODE" "$CHILD" "$DISK/data" "$DISK/filler"');
    if (run.status !== 0) throw new Error(`the run on a small disk failed: ${run.stderr}`);
    const result = JSON.parse(run.stdout) as Record<string, unknown>;
    expect(result).toMatchObject({
      codes: ['LOG_FULL'],
      storeCode: 'OBJECT_STORE_FULL',
      kept: true,
      putAfter: 'stored',
    });
    expect(result.before).toBeGreaterThan(30);
    expect(result.after).toBeGreaterThan((result.before as number) + 20);
    expect(result.high).toBe((result.after as number) * 2);
  });

  it('that is mounted read-only can be read, and says so to writers', () => {
    const script = `
      const { LmdbEventLog } = await import('@seamstream/event-log-lmdb');
      const folder = process.env.DISK + '/log';
      if (process.env.STEP === 'write') {
        const log = await LmdbEventLog.open({ folder });
        await log.createTopics([{ name: 't', partitions: 1 }]);
        await log.append([{ topic: 't', key: null, value: new Uint8Array(3) }]);
        await log.close();
      } else {
        const code = await LmdbEventLog.open({ folder }).catch((error) => error.code);
        const log = await LmdbEventLog.open({ folder, readOnly: true });
        process.stdout.write(JSON.stringify({ code, marks: await log.watermarks('t') }));
        await log.close();
      }`;
    const node = `cd '${fileURLToPath(new URL('../..', import.meta.url))}'; run() { STEP=$1 "$NODE" --input-type=module -e "$SCRIPT"; }`;
    const quoted = `SCRIPT=$(cat <<'END'\n${script}\nEND\n)`;
    const run = onSmallDisk(`${quoted}\n${node}; run write; mount -o remount,ro "$DISK"; run read`);
    if (run.status !== 0) throw new Error(`the run on a read-only disk failed: ${run.stderr}`);
    expect(JSON.parse(run.stdout)).toEqual({ code: 'LOG_READ_ONLY', marks: [{ partition: 0, low: 0, high: 1 }] });
  });
});
