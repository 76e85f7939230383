/** The real `seam` binary on a log in a folder: what a person at a shell meets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, originMeta } from '@seamstream/events';

// Each line below starts a process; on a busy machine a start takes seconds.
jest.setTimeout(120_000);

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
let dataDir: string;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-cli-'));
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [SEAM, '--data-dir', dataDir, ...args], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: 'pipe',
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

const seam = (...args: string[]): Promise<Ended> => ended(start(args));

const rows = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('the seam command', () => {
  it('publishes a file, finds it in the log, counts it and recognises it', async () => {
    const path = await problemFile(1200);
    const publication = await seam('publish', path);
    expect(publication).toMatchObject({ exitCode: 0 });
    expect(publication.stdout).toMatch(/^published 1,200 problems of .*problems\.jsonl \([0-9a-f]{8}\)\n$/);
    expect(publication.stderr).toContain('publishing to seam.problems: 1,200 of 1,200 (100 %)');

    const tail = await seam('tail', 'problems', '--from', 'earliest', '--json');
    expect(new Set(rows(tail.stdout).map((row) => (row as { key: string }).key)).size).toBe(1200);

    const ledger = await seam('ledger', '--check', '--json');
    expect(ledger.exitCode).toBe(0);
    expect(rows(ledger.stdout)).toMatchObject([{ published: 1200, inFlight: 1200, balanced: true }]);

    const again = await seam('publish', path, '--json');
    expect(again.exitCode).toBe(2);
    expect(rows(again.stdout)).toMatchObject([{ error: { code: 'CONFLICT' } }]);
    expect(rows((await seam('ledger', '--json')).stdout)).toMatchObject([{ published: 1200 }]);
  });

  it('records nothing of a file with one bad line, not even a log', async () => {
    const path = join(folder, 'bad.jsonl');
    await writeFile(path, '{"prompt":"a","reference":"b"}\n{"prompt":"a"}\n');
    const publication = await seam('publish', path);
    expect(publication.exitCode).toBe(2);
    expect(publication.stdout).toBe('');
    expect(publication.stderr).toContain('line 2: reference: expected a text');
    expect(await readdir(folder)).toEqual(['bad.jsonl']);
  });

  it('maps GSM8K as it is published, from a pipe', async () => {
    const answer = 'Half of 48 is <<48/2=24>>24.\nIn all 48 + 24 = <<48+24=72>>72.\n#### 1,072';
    const lines = Array.from({ length: 5 }, (_, index) => JSON.stringify({ question: `How many, ${index}?`, answer }));
    const publication = await ended(
      start(['publish', '--dataset', 'gsm8k', '--mode', 'deploy', '-']),
      lines.join('\n'),
    );
    expect(publication).toMatchObject({ exitCode: 0 });
    const { stdout } = await seam('tail', 'problems', '--json');
    for (const row of rows(stdout)) {
      expect(row).toMatchObject({
        event: { mode: 'deploy', problem: { domain: 'gsm8k', reference: '1072', verifier: { kind: 'numeric' } } },
      });
    }
    expect(rows(stdout)).toHaveLength(5);
  });

  it('lets several publishers write one log at once', async () => {
    const paths = await Promise.all([0, 1, 2].map((index) => problemFile(300 + index, `p${index}.jsonl`)));
    const endings = await Promise.all(paths.map((path) => seam('publish', path)));
    expect(endings.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(rows((await seam('ledger', '--json')).stdout)).toMatchObject([{ published: 903, balanced: true }]);
  });

  it('follows a topic across processes and ends cleanly on Ctrl-C', async () => {
    await seam('publish', await problemFile(3));
    const follower = start(['tail', 'problems', '--follow', '--json']);
    const following = ended(follower);
    let shown = '';
    await new Promise<void>((resolve) => {
      follower.stdout?.on('data', (chunk: Buffer) => {
        shown += chunk.toString();
        if (shown.split('\n').length > 3) resolve();
      });
    });
    await seam('publish', await problemFile(5, 'more.jsonl'));
    await new Promise<void>((resolve) => {
      if (shown.split('\n').length > 8) resolve();
      follower.stdout?.on('data', () => {
        if (shown.split('\n').length > 8) resolve();
      });
    });
    follower.kill('SIGINT');
    const { exitCode, stdout, stderr } = await following;
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(rows(stdout)).toHaveLength(8);
  });

  it('does not complain when its reader has seen enough', async () => {
    await seam('publish', await problemFile(2000));
    const child = start(['tail', 'problems', '--from', 'earliest', '--json']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [exitCode] = (await once(child, 'close')) as [number];
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('redrives dead letters once, byte for byte', async () => {
    const log = await LmdbEventLog.open({ folder: join(dataDir, 'log') });
    await log.createTopics([
      { name: 'seam.problems', partitions: 4 },
      { name: 'seam.dead-letters', partitions: 4 },
    ]);
    const poison = Buffer.from([0xc3, 0x01, 0x00, 0xff, 0x0a, 0x1b]);
    const [position] = await log.append([{ topic: 'seam.problems', key: 'k', value: poison, headers: { a: 'b' } }]);
    const meta = originMeta({
      messageId: 'm',
      correlationId: 'k',
      source: 'seam/test',
      occurredAt: 0,
      sourceClass: 'user',
    });
    const { partition, offset } = position!;
    await log.append([
      encodeEvent({
        type: 'DeadLettered',
        meta,
        topic: 'seam.problems',
        partition,
        offset,
        group: 'seam.generator',
        key: 'k',
        value: poison,
        headers: { a: 'b' },
        code: 'MALFORMED_RECORD',
        reason: 'it is poison',
        attempts: 1,
      }),
    ]);
    expect((await seam('dead-letters', 'list')).stdout).toContain('1 dead letter: MALFORMED_RECORD 1');
    expect(
      rows((await seam('dead-letters', 'redrive', '--by', 'ada', '--reason', 'mended', '--json')).stdout),
    ).toMatchObject([{ redriven: 1 }]);
    expect(
      rows((await seam('dead-letters', 'redrive', '--by', 'ada', '--reason', 'mended', '--json')).stdout),
    ).toMatchObject([{ redriven: 0, alreadyRedriven: 1 }]);
    const records = [];
    for await (const chunk of log.read({ topic: 'seam.problems', partition, from: 0 })) records.push(...chunk);
    await log.close();
    expect(records).toHaveLength(2);
    expect(Buffer.from(records[1]!.value!)).toEqual(poison);
    expect(records[1]).toMatchObject({ key: 'k', headers: { a: 'b' } });
  });

  it('says what to do where there is no log, and which setting is misspelt', async () => {
    const nothing = await seam('ledger');
    expect(nothing.exitCode).toBe(2);
    expect(nothing.stderr).toContain('Start the system (seam start), publish something (seam publish)');
    expect(await readdir(folder)).toEqual([]);
    const misspelt = await ended(start(['ledger'], { SEAM_DATA_FOLDR: 'x' }));
    expect(misspelt.exitCode).toBe(2);
    expect(misspelt.stderr).toContain('SEAM_DATA_FOLDR: no such setting');
  });

  it('colours nothing that is piped', async () => {
    await seam('publish', await problemFile(3));
    for (const args of [['ledger'], ['tail', 'problems'], ['--help']]) {
      const { stdout, exitCode } = await seam(...args);
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain('\u001b');
    }
  });
});

async function ended(child: ChildProcess, input?: string): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin?.end(input);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, stdout, stderr };
}

async function problemFile(problems: number, name = 'problems.jsonl'): Promise<string> {
  const lines = Array.from({ length: problems }, (_, index) =>
    JSON.stringify({
      domain: 'sums',
      prompt: `What is ${index} + 1?`,
      reference: String(index + 1),
      verifier: 'numeric',
    }),
  );
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}
