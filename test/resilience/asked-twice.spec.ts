/** Several processes are asked for the same run at once; one carries it out, and its death gives it free. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';

jest.setTimeout(300_000);

const CHILD = fileURLToPath(new URL('../support/run-lease.child.mjs', import.meta.url));

it('R44: one of three processes that are asked at once works, the others say who does, and a killed one is in no way', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'asked-twice-'));
  const [ada, joe, eve, late] = await Promise.all(['ada', 'joe', 'eve', 'late'].map((by) => asked(folder, by)));
  const three = [ada!, joe!, eve!];
  for (const each of three) each.child.stdin.write('\n');
  await Promise.all(three.map(({ settled }) => settled));
  const [holder, ...others] = three.filter(({ said }) => said.at(-1) === 'held');
  expect(others).toEqual([]);
  const refusals = three.filter((each) => each !== holder).map(({ said }) => said.at(-1));
  for (const refusal of refusals)
    expect(refusal).toContain(`got one that ${holder!.by} works on (process ${holder!.child.pid} on `);
  // Killed: it cannot give its lease back, and no other process has to wait for that.
  holder!.child.kill('SIGKILL');
  await once(holder!.child, 'close');
  late!.child.stdin.write('\n');
  await late!.settled;
  expect(late!.said.at(-1)).toBe('held');
  late!.child.stdin.write('\n');
  await once(late!.child, 'close');
  expect(late!.said.at(-1)).toBe('done');
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly by: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly said: string[];
  /** When it holds the run, or was refused. */
  readonly settled: Promise<undefined>;
}

/** A process that waits to be asked. */
async function asked(folder: string, by: string): Promise<Asked> {
  // Renewed every five seconds: a busy machine must not look like a dead process.
  const child = spawn(process.execPath, [CHILD, folder, by, '15000']);
  const said: string[] = [];
  const isReady = Promise.withResolvers<undefined>();
  const isSettled = Promise.withResolvers<undefined>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    if (line === 'ready') isReady.resolve(undefined);
    else isSettled.resolve(undefined);
  });
  child.stderr.pipe(process.stderr);
  await isReady.promise;
  return { by, child, said, settled: isSettled.promise };
}
