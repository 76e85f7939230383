/** Runs that a worker leaves: to another one that has what the plan asks for, or because a person took them back. */

import { type EventOf, encodeEvent, originMeta } from '@seamstream/events';
import { SeamError, sha256 } from '@seamstream/kernel';
import { algorithms } from '@seamstream/learning';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { eventsOf, newWorld, openLog, until, type World } from '@seamstream/testing';
import { FakeEngine } from '@seamstream/training-contract/testing';
import {
  type AdapterEvaluation,
  type EvaluationTerms,
  GradientMethod,
  lackFor,
  planOf,
  type WorkerAbilities,
} from '@seamstream/training-runs';
import { FakeEvaluation } from '@seamstream/training-runs/testing';
import { BASE, closeServices, consumed, playRounds, publish, serve } from './trainer-world.fake.js';

afterEach(closeServices);

class OtherBase extends FakeEngine {
  override readonly baseModelDigest = sha256('another base model');
}

/** Remembers the terms under which it was asked. */
class WitnessEvaluation extends FakeEvaluation {
  readonly terms: EvaluationTerms[] = [];

  override under(terms: EvaluationTerms): Promise<AdapterEvaluation> {
    this.terms.push(terms);
    return Promise.resolve(this);
  }
}

async function cancel(world: World, runId: string): Promise<void> {
  const event: EventOf<'TrainingRunCancelled'> = {
    type: 'TrainingRunCancelled',
    meta: originMeta({
      messageId: `cancel-${runId}`,
      correlationId: runId,
      source: 'seam/cli',
      occurredAt: 1,
      sourceClass: 'user',
    }),
    runId,
    cancelledBy: 'ada',
    reason: 'no more of this',
  };
  await (await openLog(world)).append([encodeEvent(event)]);
}

async function firstPlan(world: World): Promise<EventOf<'TrainingRunPlanned'>> {
  await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length > 0);
  return (await eventsOf(world, 'TrainingRunPlanned'))[0]!;
}

describe('a planned run', () => {
  it('is passed over by a worker with another base model, counted once, and carried out by one that has it', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'] } });
    const other = new OtherBase();
    const service = await serve(world, { engine: other, config: { roles: ['worker'], leaseMs: 0 } });
    await publish(world, 0, 6);
    const { runId } = await firstPlan(world);
    const counted = (): Promise<string> =>
      service.metrics.registry.getSingleMetricAsString('seam_training_runs_passed_over_total');
    await until(async () => (await counted()).includes('{lacks="base-model"} 1'));
    await serve(world, { config: { roles: ['worker'] } });
    await consumed(world);
    expect((await eventsOf(world, 'AdapterPromoted')).map((event) => event.runId)).toEqual([runId]);
    expect(await eventsOf(world, 'TrainingRunFailed')).toHaveLength(0);
    expect(other.begun).toHaveLength(0);
    expect(await counted()).toContain('{lacks="base-model"} 1');
  });

  it('says what it asks for, and what a worker lacks for it is named', async () => {
    const world = newWorld();
    await serve(world);
    await playRounds(world, 1);
    const plan = planOf(await firstPlan(world));
    const { evaluation } = plan.configuration;
    const { slot, recipes } = new GradientMethod(algorithms);
    const able = { slot, recipes, baseModelDigest: BASE, problemSet: evaluation.problemSet! };
    const withChanges = (changes: Partial<typeof able>): WorkerAbilities =>
      new Map([['seam', { ...able, ...changes }]]);
    const abilities = withChanges({});
    expect(lackFor(plan, abilities)).toBeUndefined();
    expect(lackFor({ ...plan, method: 'self-edits' }, abilities)?.what).toBe('method');
    expect(lackFor({ ...plan, slot: 'agent' }, abilities)?.what).toBe('method');
    expect(lackFor({ ...plan, algorithm: 'of-tomorrow' }, abilities)?.what).toBe('algorithm');
    expect(lackFor(plan, withChanges({ baseModelDigest: 'another' }))?.what).toBe('base-model');
    expect(lackFor(plan, withChanges({ problemSet: { name: 'validation', digest: 'another' } }))?.what).toBe(
      'problem-set',
    );
    const settings = { ...plan.configuration, algorithm: { ofTomorrow: 1 } };
    expect(lackFor({ ...plan, configuration: settings }, abilities)).toMatchObject({ what: 'settings' });
    // A plan of an earlier release names no problems: those of the worker are taken, as it was then.
    const unnamed = { ...plan.configuration, evaluation: { responseMaxTokens: 1, entryMaxTokens: 1 } };
    expect(lackFor({ ...plan, configuration: unnamed }, abilities)).toBeUndefined();
  });

  it('is evaluated under the token limits that its plan names, regardless of the settings of the worker', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'], responseMaxTokens: 7, entryMaxTokens: 9 } });
    const evaluation = new WitnessEvaluation();
    await serve(world, { evaluation, config: { roles: ['worker'] } });
    await publish(world, 0, 6);
    await consumed(world);
    expect(evaluation.terms).toMatchObject([
      { responseMaxTokens: 7, entryMaxTokens: 9, problemSet: { name: 'validation' } },
    ]);
  });

  it('is taken by no worker once it is cancelled, and the next window follows', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'] } });
    await publish(world, 0, 6);
    const { runId } = await firstPlan(world);
    await publish(world, 6, 12);
    await cancel(world, runId);
    await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length === 2);
    await serve(world, { config: { roles: ['worker'] } });
    await consumed(world);
    expect((await eventsOf(world, 'TrainingRunStarted')).map((event) => event.runId)).not.toContain(runId);
    expect(await eventsOf(world, 'AdapterPublished')).toHaveLength(1);
  });

  it('that is cancelled while a worker carries it out stops at its next checkpoint, and leaves nothing', async () => {
    const world = newWorld();
    const gate = Promise.withResolvers<undefined>();
    const engine = new FakeEngine((step) => (step === 1 ? gate.promise.then(() => undefined) : undefined));
    await serve(world, { config: { roles: ['planner'] } });
    await serve(world, { engine, config: { roles: ['worker'], checkpointEverySteps: 2 } });
    await publish(world, 0, 6);
    const { runId } = await firstPlan(world);
    await until(() => engine.steps === 1);
    await cancel(world, runId);
    gate.resolve(undefined);
    await consumed(world);
    await until(() => [...world.objects.keys()].every((key) => !key.startsWith(`training/${runId}/`)));
    expect(engine.steps).toBe(2);
    for (const type of ['AdapterPublished', 'TrainingRunRejected', 'TrainingRunFailed'] as const)
      expect(await eventsOf(world, type)).toHaveLength(0);
  });

  it('that has ended leaves nothing for long, also where its worker died before it had tidied up', async () => {
    const world = newWorld();
    const first = await serve(world);
    await playRounds(world, 1);
    await first.close();
    const { runId } = await firstPlan(world);
    const objects = new InMemoryObjectStore(world.objects);
    const [left, foreign] = [`training/${runId}/step-000002.safetensors`, 'training/unknown/step-000002.safetensors'];
    for (const key of [left, foreign]) await objects.put(key, new Uint8Array());
    await serve(world, { config: { roles: ['worker'] } });
    await until(() => !world.objects.has(left));
    expect([...world.objects.keys()]).toContain(foreign);
  });

  it('that cannot be tidied up hinders no other run', async () => {
    const world = newWorld();
    const first = await serve(world);
    await playRounds(world, 1);
    await first.close();
    const { runId } = await firstPlan(world);
    await new InMemoryObjectStore(world.objects).put(`training/${runId}/step-000002.safetensors`, new Uint8Array());
    const allowed = world.objects.delete.bind(world.objects);
    world.objects.delete = (key) => {
      if (key.startsWith('training/')) throw new SeamError('OBJECT_STORE_UNAVAILABLE', 'AccessDenied');
      return allowed(key);
    };
    await serve(world);
    const adapterDigest = (await eventsOf(world, 'AdapterPromoted')).at(-1)?.adapterDigest ?? null;
    await publish(world, 6, 12, { adapterDigest });
    await consumed(world);
    expect(await eventsOf(world, 'TrainingRunCompleted')).toHaveLength(2);
  });
});
