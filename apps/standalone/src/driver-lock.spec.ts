import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDriver } from './driver-lock.js';

const PROGRAM = `
  import { lockDriver } from ${JSON.stringify(new URL('../dist/driver-lock.js', import.meta.url).href)};
  await lockDriver(process.argv[1]).then(() => console.log('locked'), ({ code }) => console.log(code));
  setInterval(() => undefined, 1000);
`;

describe("the driver's lock", () => {
  let folder: string;
  let children: ChildProcess[];
  beforeEach(async () => {
    children = [];
    folder = await mkdtemp(join(tmpdir(), 'seam-lock-'));
  });
  const kill = async (child: ChildProcess): Promise<void> => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  };
  afterEach(async () => {
    await Promise.all(children.filter(({ signalCode }) => signalCode === null).map(kill));
    await rm(folder, { recursive: true });
  });
  /** A process that asks for the lock, and its result: `locked`, or the code of its refusal. */
  const another = async (): Promise<{ readonly child: ChildProcess; readonly said: string }> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, said: line.toString().trim() };
  };

  it('keeps a second driver out while the first one lives, and is free as soon as that was killed', async () => {
    const { child, said } = await another();
    expect(said).toBe('locked');
    await expect(lockDriver(folder)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('expected no other driver'),
    });
    await kill(child);
    const unlock = await lockDriver(folder);
    expect(await another()).toMatchObject({ said: 'CONFLICT' });
    unlock();
  });

  it('goes to one of those who ask at once', async () => {
    const all = await Promise.all([another(), another(), another(), another()]);
    expect(all.map(({ said }) => said).sort()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'locked']);
  });

  it('stays with its owner when the one before gives it back again', async () => {
    const unlock = await lockDriver(folder);
    unlock();
    const unlockNext = await lockDriver(folder);
    unlock();
    await expect(lockDriver(folder)).rejects.toMatchObject({ code: 'CONFLICT' });
    unlockNext();
  });

  it('is refused where no folder can be made, and where the lock cannot be one', async () => {
    await expect(lockDriver('/proc/nope/data')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/nope' });
    await writeFile(join(folder, 'driving.lock'), 'x'.repeat(1000));
    await expect(lockDriver(folder)).rejects.toThrow('not a database');
  });
});
