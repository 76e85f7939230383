/** The same services and the same command line, on Kafka by configuration alone: they leave what they leave on the embedded log. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Deployment, deploy } from '../support/deployment.js';
import { repeatedIds } from '../support/recorded-run.js';
import { playToyRun, type ToyRun } from '../support/toy-run.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment } from '../support/toy-world.js';

const ROUNDS = 2;
const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const run = promisify(execFile);

describe('the services on Kafka', () => {
  let world: ToyWorld;
  let folder: string;
  let kafka: Deployment;
  let embedded: ToyRun;
  let distributed: ToyRun;

  beforeAll(async () => {
    world = await createToyWorld();
    folder = await mkdtemp(join(tmpdir(), 'services-on-kafka-'));
    const play = async (deployment: Deployment): Promise<ToyRun> =>
      playToyRun({ deployment, goesOn: (round) => round <= ROUNDS });
    const [a, b] = [join(folder, 'embedded'), join(folder, 'distributed')];
    embedded = await play(await deploy({ folder: a, environment: toyEnvironment(world, a) }));
    kafka = await deploy({ folder: b, log: 'kafka', environment: toyEnvironment(world, b) });
    distributed = await play(kafka);
  }, 300_000);
  afterAll(async () => {
    await kafka.close();
    await Promise.all([world.folder, folder].map((each) => rm(each, { recursive: true })));
  });

  const seam = async (...args: string[]): Promise<string> =>
    (
      await run(process.execPath, [SEAM, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...kafka.environment },
      })
    ).stdout;

  it('leave the same experiences, outcomes, buffers and adapters, and a ledger that balances', () => {
    expect(distributed.complaints).toEqual([]);
    expect(distributed.exitCodes).toEqual([0, 0, 0, 0]);
    expect(distributed.ledger).toMatchObject({ published: ROUNDS * TOY_ROUND, inFlight: 0, balanced: true });
    expect(distributed.ledger).toEqual(embedded.ledger);
    expect(distributed.bufferDigests).toEqual(embedded.bufferDigests);
    expect(distributed.adapterDigests).toEqual(embedded.adapterDigests);
    for (const kind of ['experiences', 'outcomes', 'admissions', 'rejections'] as const) {
      expect(repeatedIds(distributed[kind])).toEqual([]);
      expect([...distributed[kind]].sort()).toEqual([...embedded[kind]].sort());
    }
  });

  it('are watched and fed by the seam command under the same environment', async () => {
    expect(JSON.parse(await seam('--json', 'ledger'))).toMatchObject({ balanced: true });
    expect((await seam('--json', 'tail', 'outcomes', '--limit', '30')).trim().split('\n')).toHaveLength(30);
    const problems = join(folder, 'problems.jsonl');
    await writeFile(
      problems,
      `${JSON.stringify({ domain: 'sums', prompt: 'What is 1 + 1?', reference: '2', verifier: 'numeric' })}\n`,
    );
    await seam('publish', problems);
    const ledger = JSON.parse(await seam('--json', 'ledger')) as { published: number; inFlight: number };
    expect([ledger.published, ledger.inFlight]).toEqual([ROUNDS * TOY_ROUND + 1, 1]);
  }, 60_000);
});
