// Keeps the data folder of a release: what its demonstration left when it was killed in the middle of a training run, and what the release
// said of it. test/acceptance/kept-folders.spec.ts continues it with the code of today.
//
//   node test/kept-folders/make.mjs --clone ../release --name 2030-03-01
//
// --clone is a built clone of the release, at the commit that is kept; it may be this one. Minutes.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { packFolder } from './archive.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const VALIDATION = 'world/validation.jsonl';
const START = ['--exit', '--round-size', '16', '--max-rounds', '3', '--max-shifted-rounds', '0', '--held-out', '8'];
/** Adapters of few bytes. */
const ALGORITHM = {
  trainable: { kind: 'lora', rank: 1, alpha: 4, targetModules: ['v_proj', 'o_proj', 'down_proj'] },
  learningRate: { peak: 0.01 },
};
const ENVIRONMENT = {
  SEAM_TRAINER_ALGORITHMS: JSON.stringify({ sft: ALGORITHM, grpo: ALGORITHM }),
  SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '4',
};
/** What the release is asked when its services have ended. */
const QUESTIONS = [
  ['status'],
  ['runs', 'list'],
  ['adapters', 'tree'],
  ['lift'],
  ['doctor'],
  ['replay', '--verify-buffer'],
];

const { values } = parseArgs({ options: { clone: { type: 'string' }, name: { type: 'string' } } });
const [clone, name] = [values.clone, values.name];
if (clone === undefined || name === undefined)
  throw new Error('Cannot keep a folder: expected --clone and --name, got one of them or none. Name both.');
const git = async (...args) => (await promisify(execFile)('git', ['-C', clone, ...args])).stdout.trim();
const { PATH, HOME } = process.env;
const env = { PATH, HOME, ...ENVIRONMENT };
const program = (path) => join(resolve(clone), path);

/** The demonstration of the release; ends with the process. */
const start = (folder) =>
  spawn(process.execPath, [program('apps/standalone/bin/start.js'), ...START, '--data-dir', folder], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });

/** What a command of the release prints with --json; undefined where the release does not know it. */
async function seam(folder, ...args) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program('apps/cli/bin/seam.js'), '--data-dir', folder, '--json', ...args],
    { env, maxBuffer: 1 << 28 },
  ).catch((error) => {
    if (error.code === 1) return error;
    if (!error.stdout.includes('commander.unknownCommand')) throw error;
    return { stdout: 'null' };
  });
  return JSON.parse(stdout.trim().split('\n').at(-1)) ?? undefined;
}

const listed = (folder) => readdir(folder, { recursive: true }).catch(() => []);

/** Of a run that has recorded an earlier checkpoint: a checkpoint's event follows its object. */
const SECOND_CHECKPOINT = 'step-000008';

/** Kills the demonstration when one run has ended with an adapter, and the next one has recorded a checkpoint. */
async function killInTraining(child, folder) {
  const isThere = async () => {
    const versions = await listed(join(folder, 'objects/objects/training'));
    const written = versions.filter((path) => path.endsWith('@/1')).map((path) => path.slice(0, -1));
    const open = written.filter((path) => path.includes(SECOND_CHECKPOINT) && !versions.includes(`${path}2`));
    return open.length > 0 && new Set(written.map((path) => path.split('/')[0])).size > 1;
  };
  while (!(await isThere())) {
    if (child.exitCode !== null)
      throw new Error('Cannot kill the demonstration: expected a run, got its end. Try again.');
    await pause(2);
  }
  child.kill('SIGKILL');
  await once(child, 'close');
}

/** Two problems that the release published and no service has seen: one to be solved, one whose time is over. */
async function publishTwo(folder) {
  const [row, late] = (await readFile(join(folder, VALIDATION), 'utf8')).split('\n', 2).map((line) => JSON.parse(line));
  const file = join(folder, '..', 'two.jsonl');
  const plain = ({ domain, prompt, reference, verifier }) => ({ domain, prompt, reference, verifier: verifier.kind });
  const rows = [plain(row), { ...plain(late), expiresAt: '2026-01-01T00:00:00Z' }];
  await writeFile(file, rows.map((each) => `${JSON.stringify({ ...each, mode: 'deploy' })}\n`).join(''));
  await seam(folder, 'publish', file);
}

/** What identifies the adapters of a folder, in the order of their versions. */
async function adaptersOf(folder) {
  const { answer } = await seam(folder, 'replay', '--read-model', 'adapters');
  return answer.versions.map(({ adapterDigest, fingerprint }) => ({ adapterDigest, fingerprint }));
}

const scratch = await mkdtemp(join(tmpdir(), 'seam-kept-'));
const [whole, folder] = [join(scratch, 'whole'), join(scratch, 'data')];
await once(start(whole), 'close');
await killInTraining(start(folder), folder);
const by = ['--by', 'ada', '--reason', 'to keep this folder'];
await seam(folder, 'adapters', 'pin', 'served', ...by);
await seam(folder, 'adapters', 'unpin', ...by);
await publishTwo(folder);
const said = [];
for (const args of QUESTIONS) {
  const answer = await seam(folder, ...args);
  if (answer !== undefined) said.push({ args, answer });
}
const kept = {
  commit: await git('rev-parse', 'HEAD'),
  committedAt: await git('show', '--no-patch', '--format=%cI'),
  environment: ENVIRONMENT,
  start: START,
  /** Of the demonstration that was not killed. */
  adapters: await adaptersOf(whole),
  said,
};
const target = join(HERE, name);
await mkdir(target, { recursive: true });
// A lock belongs to processes that have ended.
await packFolder(join(target, 'folder.br'), folder, (path) => path !== 'log/lock.mdb');
await writeFile(join(target, 'said.json'), `${JSON.stringify(kept, null, 2)}\n`);
await rm(scratch, { recursive: true });
