/** `seam restem track` into files; test/tracking has the same with a real server of MLflow. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import type { TrackedPoint } from '@seamstream/experiment-tracking';
import { endedIteration, selfTrainingLog } from '@seamstream/testing/self-training-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let folder: string;
let world: FakeWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-track-'));
  world = await fakeWorld();
  await append(selfTrainingLog('t-1', [[0.25, 0.75]]), selfTrainingLog('t-2', [[0, 0.5]]));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const append = (...each: readonly (readonly SeamEvent[])[]) => world.log.append(each.flat().map(encodeEvent));
const track = (...args: string[]) => world.seam('restem', 'track', ...args);

describe('seam restem track', () => {
  it('writes a folder for each self-training of the log, with the figures of iterations that have ended', async () => {
    expect(await track('--files', folder)).toBe(0);
    expect(world.takeOutput()).toMatch(/^t-1: \d+ new figures, .*t-1\nt-2: \d+ new figures, .*t-2\n$/);
    expect((await readdir(folder)).sort()).toEqual(['t-1', 't-2']);
    expect((await readdir(join(folder, 't-1'))).sort()).toEqual(['metrics.jsonl', 'plots.svg', 'run.json']);
    expect(await pointsOf('t-1', 'reward/mean')).toEqual([[1, 0.5]]);
    expect(await pointsOf('t-2', 'reward/mean')).toEqual([[1, 0.25]]);
    expect(JSON.parse(await readFile(join(folder, 't-1', 'run.json'), 'utf8'))).toMatchObject({
      ...{ version: 1, id: 't-1', status: 'running', endedAt: null },
      parameters: { iterations: '2', passages: '1' },
    });
  });

  it('adds what is new at a later time, and nothing twice', async () => {
    const added = async () => {
      expect(await track('t-1', '--files', folder, '--json')).toBe(0);
      return (world.takeJson() as [{ tracked: { added: number }[] }])[0].tracked.map((each) => each.added);
    };
    const [first] = await added();
    expect(first).toBeGreaterThan(0);
    expect(await added()).toEqual([0]);
    await append(endedIteration('t-1', 2, [1, 1]));
    expect((await added())[0]).toBeGreaterThan(0);
    expect(await pointsOf('t-1', 'reward/mean')).toEqual([
      [1, 0.5],
      [2, 1],
    ]);
    // Only the one that was named.
    expect(await readdir(folder)).toEqual(['t-1']);
  });

  it.each([
    ['neither files nor a server', [], 'expected one of --files and --mlflow, got none'],
    ['both', ['--files', 'f', '--mlflow', 'http://127.0.0.1:1'], 'got both'],
    ['what is not an address', ['--mlflow', 'localhost'], 'expected http://host:port of a server of MLflow'],
    ['another id', ['t-9', '--files', 'f'], 'expected one whose id begins with t-9, got none (in the log: t-1, t-2)'],
    [
      'a variable that is not set',
      ['--mlflow', 'http://127.0.0.1:1', '--authorization-variable', 'SEAM_TEST_UNSET'],
      'expected an authorization in the environment variable SEAM_TEST_UNSET',
    ],
  ])('refuses %s', async (_, args, fault) => {
    expect(await track(...args)).toBe(2);
    expect(world.takeErrors()).toContain(fault);
  });

  it('says that a folder cannot be written', async () => {
    await writeFile(join(folder, 'taken'), '');
    expect(await track('--files', join(folder, 'taken'))).not.toBe(0);
    expect(world.takeErrors()).not.toBe('');
  });
});

/** Step and value of each point, as the file has them. */
async function pointsOf(id: string, metric: string): Promise<readonly (readonly [number, number])[]> {
  const lines = (await readFile(join(folder, id, 'metrics.jsonl'), 'utf8')).trimEnd().split('\n');
  const points = lines.map((line) => JSON.parse(line) as TrackedPoint);
  return points.filter((point) => point.metric === metric).map(({ step, value }) => [step, value]);
}
