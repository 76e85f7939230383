/**
 * The services as processes, their trainer with PyTorch under torchrun: a run is planned, trained, evaluated, promoted and served. Killed at
 * any of its processes by SIGKILL, it resumes, ends once, and makes the same within the tolerance that the engine states.
 */
import { rm } from 'node:fs/promises';
import { jest } from '@jest/globals';
import { pythonWithTransformers } from '@seamstream/dev-servers';
import type { Environment } from '@seamstream/service-kit';
import { fetched } from '../real-model/fetched.js';
import type { Scene } from '../support/toy-run.js';
import { createToyWorld, type ToyWorld } from '../support/toy-world.js';
import { engineProcesses, torchEnvironment } from './torch-engine.js';
import { expectResumed, expectWhole, expectWithin, killing, type Played, play } from './torch-loop.js';

jest.setTimeout(1_800_000);

const needed = await fetched('transformers', pythonWithTransformers);
const python = needed!;

let world: ToyWorld;
beforeAll(async () => (world = await createToyWorld()));
afterAll(() => rm(world.folder, { recursive: true }));

function onTorch(processes: number): Environment {
  return {
    ...torchEnvironment(python, processes),
    SEAM_TRAINER_ENGINE: 'torch',
    SEAM_TRAINER_TORCH_COMMAND: `${python.command} -m torch.distributed.run --standalone`,
    SEAM_TRAINER_TORCH_PROCESSES: String(processes),
  };
}

async function killEngine(isWanted: (process: { readonly isWorker: boolean }) => boolean): Promise<void> {
  process.kill((await engineProcesses(world.generatorFolder)).find(isWanted)!.pid, 'SIGKILL');
}

(needed === undefined ? describe.skip : describe)('planned runs of the services, on PyTorch', () => {
  let right: Played;
  beforeAll(async () => (right = await play(world, {}, 1)));

  it('are trained by two processes, evaluated and promoted, and the next round is written with what they made', async () => {
    const run = await play(world, onTorch(2), 2);
    expect([run.complaints, run.exitCodes]).toEqual([[], [0, 0, 0, 0]]);
    expectWhole(run, 2, 2);
    await expectWithin(world, run, right);
    expect(new Set(run.servedDigests)).toContain(run.published.adapterDigest);
  });

  it.each([1, 2])('resume with %i process(es) when any process is killed, and end once', async (processes) => {
    const killed: string[] = [];
    const victims = {
      'a worker of torchrun': () => killEngine(({ isWorker }) => isWorker),
      torchrun: () => killEngine(({ isWorker }) => !isWorker),
      'the trainer': ({ services }: Scene) => services.killAndRestart('trainer'),
    };
    const run = await play(world, onTorch(processes), 1, killing(victims, killed));
    process.stderr.write(`${processes} process(es): killed ${killed.join(', ')}\n`);
    expect(killed).toHaveLength(Object.keys(victims).length);
    expectResumed(run);
    expectWhole(run, 1, processes);
    await expectWithin(world, run, right);
    expect(await engineProcesses(world.generatorFolder)).toEqual([]);
  });
});
