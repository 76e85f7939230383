/** A method without weights through planner, worker, recording, publishing and promotion: nothing there is about gradients. */

import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { eventsOf, newWorld, until, type World } from '@seamstream/testing';
import { hintLibraries } from '@seamstream/training-runs/testing';
import { closeServices, consumed, onDemandOf, playRounds, publish, serve } from './trainer-world.fake.js';

afterEach(closeServices);

const HINTS = { method: 'training-free', algorithm: 'contrast', algorithms: { contrast: { mostPerDomain: 3 } } };

/** @param onStep is called before each step of a run */
function hintsOf({ objects }: World, onStep?: (step: number) => void) {
  return { methods: [hintLibraries(new InMemoryObjectStore(objects), onStep)] };
}

async function libraries(world: World): Promise<Record<string, string[]>[]> {
  return (await eventsOf(world, 'AdapterPublished')).map(
    ({ key }) => JSON.parse(Buffer.from(world.objects.get(key)!.body).toString()) as Record<string, string[]>,
  );
}

describe('a method without weights', () => {
  it('is planned, carried out, recorded, published and promoted as any other', async () => {
    const world = newWorld();
    await serve(world, { ...hintsOf(world), config: HINTS });
    await playRounds(world, 1);
    const runs = await eventsOf(world, 'TrainingRunPlanned');
    expect(runs).toMatchObject([{ method: 'training-free', slot: 'hints', algorithm: 'contrast' }]);
    expect((await eventsOf(world, 'TrainingRunCheckpointed')).map(({ step }) => step)).toEqual([2, 4, 6]);
    const [published] = await eventsOf(world, 'AdapterPublished');
    expect(published).toMatchObject({
      method: 'training-free',
      slot: 'hints',
      artefact: { kind: 'library', digest: published!.adapterDigest, address: published!.key },
      metrics: { hints: 6 },
    });
    expect(await libraries(world)).toEqual([
      {
        sums: ['Problem 0: {"n":0}', 'Problem 2: {"n":2}', 'Problem 4: {"n":0}'],
        words: ['Problem 1: {"n":1}', 'Problem 3: {"n":3}', 'Problem 5: {"n":1}'],
      },
    ]);
    expect(await eventsOf(world, 'AdapterPromoted')).toMatchObject([
      { slot: 'hints', adapterDigest: published!.adapterDigest, evaluation: { success: 3 / 20 } },
    ]);
  });

  it('begins with what was promoted before', async () => {
    const world = newWorld();
    await serve(world, { ...hintsOf(world), config: HINTS });
    await playRounds(world, 2);
    const [first, second] = await eventsOf(world, 'AdapterPublished');
    expect(second!.parent).toBe(first!.adapterDigest);
    const sizes = (await libraries(world)).map(({ sums, words }) => [sums!.length, words!.length]);
    expect(sizes).toEqual([
      [3, 3],
      [6, 6],
    ]);
  });

  it('resumes a failed run at its last checkpoint, to the same artefact', async () => {
    const calm = newWorld();
    await serve(calm, { ...hintsOf(calm), config: HINTS });
    await playRounds(calm, 1);
    const world = newWorld();
    const steps: number[] = [];
    const failing = hintsOf(world, (step) => {
      steps.push(step);
      if (steps.length === 6) throw new SeamError('SESSION_FAILED', 'the runner failed');
    });
    await serve(world, { ...failing, config: HINTS });
    await playRounds(world, 1);
    expect(steps).toEqual([0, 1, 2, 3, 4, 5, 4, 5]);
    expect(await libraries(world)).toEqual(await libraries(calm));
  });

  it('is rejected where its plan finds nothing to learn from', async () => {
    const world = newWorld();
    await serve(world, { ...hintsOf(world), config: HINTS });
    await playRounds(world, 1, { alike: true });
    expect(await eventsOf(world, 'TrainingRunRejected')).toMatchObject([
      { adapterDigest: null, reason: 'no group has both an entry that helped and one that did not' },
    ]);
    expect(await eventsOf(world, 'AdapterPublished')).toEqual([]);
  });

  it('is left by a worker that lacks it to one that has it', async () => {
    const world = newWorld();
    await serve(world, { ...hintsOf(world), config: { ...HINTS, roles: ['planner'] } });
    await serve(world, { config: { roles: ['worker'] } });
    await publish(world, 0, 6);
    await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await eventsOf(world, 'TrainingRunStarted')).toEqual([]);
    await serve(world, { ...hintsOf(world), config: { roles: ['worker'] } });
    await consumed(world);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
  });

  it('comes to the same artefact when its run is done again', async () => {
    const world = newWorld();
    await serve(world, { ...hintsOf(world), config: HINTS });
    await playRounds(world, 2);
    const [, second] = await eventsOf(world, 'AdapterPublished');
    const again = await onDemandOf(world, undefined, hintsOf(world));
    const { signal } = new AbortController();
    expect(await again.verify(second!.adapterDigest, signal)).toMatchObject({ matches: true });
  });

  it('has to be there when runs are planned for it', async () => {
    await expect(serve(newWorld(), { config: HINTS })).rejects.toThrow(
      'expected one of the methods seam, library in SEAM_TRAINER_METHOD, got training-free',
    );
  });
});
