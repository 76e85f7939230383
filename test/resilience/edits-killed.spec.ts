/** `seam edits generate` as a process, killed with SIGKILL again and again: no edit is lost, and none that was written is asked for again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { Random } from '@seamstream/kernel';
import { type Behaviour, chatCompletion, ModelServer, type SeenRequest } from '@seamstream/testing/model-server';

jest.setTimeout(280_000);

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const PASSAGES = 150;
const KILLS = 6;

let folder: string;
let teacher: ModelServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-edits-killed-'));
  teacher = await ModelServer.start(teach);
  await writeFile(join(folder, 'p.jsonl'), passages());
});
afterEach(async () => {
  await teacher.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a data set whose writing is killed again and again is that of an undisturbed run, and no written edit is asked for twice', async () => {
  expect(await generate('whole.jsonl', 'other-cache')).toBe(0);
  const random = Random.of('edits-killed');
  const written = new Set<string>();
  let kills = 0;
  for (let run = 0; run < KILLS; run++) {
    const before = teacher.seen.length;
    if ((await generate('out.jsonl', 'cache', 8 + random.int(16))) === null) kills++;
    const askedFor = teacher.seen.slice(before).map(({ body }) => editOf(passageIn(body!)));
    expect(askedFor.filter((edit) => written.has(edit))).toEqual([]);
    for (const edit of await editsIn('cache')) written.add(edit);
  }
  expect(kills).toBe(KILLS);
  expect(written.size).toBeGreaterThan(KILLS * 4);
  const before = teacher.seen.length;
  expect(await generate('out.jsonl', 'cache')).toBe(0);
  expect(teacher.seen.length - before).toBe(PASSAGES - written.size);
  expect(await readFile(join(folder, 'out.jsonl'), 'utf8')).toBe(await readFile(join(folder, 'whole.jsonl'), 'utf8'));
  expect((await readFile(join(folder, 'out.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(PASSAGES);
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
});

function passages(): string {
  const rows = Array.from({ length: PASSAGES }, (_, row) =>
    JSON.stringify({ passage: `Passage ${row}.`, questions: [{ question: 'Which?', reference: 'this' }] }),
  );
  return `${rows.join('\n')}\n`;
}

function passageIn(body: Record<string, unknown>): string {
  const [{ content }] = body.messages as [{ content: string }];
  return /Passage \d+\./.exec(content)![0];
}

/** Words that no other passage has: nothing of it is a near duplicate. */
function editOf(passage: string): string {
  const random = Random.of(passage);
  return Array.from({ length: 30 }, () => `passage${random.uint32()}`).join(' ');
}

/** @param killAtRequest kills the run when the teacher has been asked so often in it. @returns the exit code, null when it was killed */
async function generate(out: string, cache: string, killAtRequest?: number): Promise<number | null> {
  const options = ['--endpoint', teacher.url, '--endpoint-model', 'tiny', '--concurrency', '2', '--cache', cache];
  const child = spawn(process.execPath, [SEAM, 'edits', 'generate', 'p.jsonl', '--out', out, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const before = teacher.seen.length;
  const watch = setInterval(() => {
    if (killAtRequest !== undefined && teacher.seen.length - before >= killAtRequest) child.kill('SIGKILL');
  }, 1);
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearInterval(watch);
  if (signal === null && exitCode !== 0) throw new Error(`seam edits generate ended with ${exitCode}: ${complaint}`);
  return exitCode;
}

/** Texts of the edits in a cache. */
async function editsIn(cache: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, cache), { recursive: true });
  const files = names.filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{64}\.json$/.test(name));
  const bodies = await Promise.all(files.map((name) => readFile(join(folder, cache, name), 'utf8')));
  return bodies.map((body) => (JSON.parse(body) as { text: string }).text);
}

/** Writes each edit after a while, so that a kill finds some of them under way. */
async function teach({ body }: SeenRequest): Promise<Behaviour> {
  await sleep(20);
  return { kind: 'answer', body: chatCompletion(editOf(passageIn(body!))) };
}
