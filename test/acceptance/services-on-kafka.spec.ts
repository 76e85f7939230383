/** The same services and the same command line, on Kafka by configuration alone: they leave what they leave on the embedded log. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Deployment, deploy } from '../support/deployment.js';
import { expectSwaps, swapUnderLoad } from '../support/hot-swap.js';
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

  const failing = async (...args: string[]): Promise<{ exitCode: number; stdout: string }> =>
    seam(...args).then(
      () => {
        throw new Error('expected another exit code than 0');
      },
      (error: unknown) => {
        const { code, stdout } = error as { code: number; stdout: string };
        return { exitCode: code, stdout };
      },
    );

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

  it('have topics as infra/kafka/topics.json wants them; what else is wanted is made or refused, and nothing is lost', async () => {
    expect(JSON.parse(await seam('--json', 'topics', 'diff'))).toEqual({ differences: [] });
    const file = join(folder, 'topics.json');
    const wanted = {
      config: { 'segment.ms': '3600000' },
      topics: [
        { name: 'seam.problems', partitions: 8, config: { 'retention.ms': '1000' } },
        { name: 'seam.extra', partitions: 3, config: { 'retention.ms': '60000' } },
      ],
    };
    await writeFile(file, JSON.stringify(wanted));
    const before = await failing('--json', 'topics', 'diff', '--file', file);
    const refused = [
      { topic: 'seam.problems', what: 'partitions', existing: '4', wanted: '8' },
      { topic: 'seam.problems', setting: 'retention.ms', existing: '-1', wanted: '1000' },
    ];
    const harmless = [
      { topic: 'seam.problems', setting: 'segment.ms', existing: '604800000', wanted: '3600000', refused: null },
      { topic: 'seam.extra', what: 'topic', existing: null, refused: null },
    ];
    expect(before).toMatchObject({ exitCode: 1 });
    const { differences } = JSON.parse(before.stdout) as { differences: { refused: string | null }[] };
    expect(differences.filter((one) => one.refused !== null)).toMatchObject(refused);
    expect(differences.filter((one) => one.refused === null)).toMatchObject(harmless);
    const applied = await failing('--json', 'topics', 'apply', '--file', file);
    expect([applied.exitCode, JSON.parse(applied.stdout)]).toMatchObject([1, { applied: harmless, left: refused }]);
    const after = await failing('topics', 'diff', '--file', file);
    expect(after.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^seam.problems {2}partitions: 4 → 8 {2}\(left alone: /),
      expect.stringMatching(/^seam.problems {2}retention.ms: -1 → 1000 {2}\(left alone: /),
    ]);
  }, 60_000);

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

  it('R29: swap adapters under load: no problem fails, no group mixes two, and the promoted one writes the next', async () => {
    const log = await kafka.openLog();
    try {
      expectSwaps(await swapUnderLoad(log, kafka.environment, 10));
    } finally {
      await log.close();
    }
  }, 300_000);
});
