/** A team's stage on the trainer's own path: sampled, updated, gated, recorded, published and promoted as one; killed and done again. */
import { newWorld, type World } from '@seamstream/testing';
import { openTuner, publishProblems, SETTINGS, TEAM, teamEvents } from './team-world.fake.js';

/** Digest of the team that a stage on six problems comes to. */
async function calmly(settings: Record<string, unknown> = {}): Promise<string> {
  const tuner = await openTuner(newWorld());
  await publishProblems(tuner.log, 0, 6);
  await tuner.tune(1, settings);
  return (await teamEvents(tuner.log, 'AdapterPublished'))[0]!.adapterDigest;
}

async function tuned(settings: Record<string, unknown> = {}, world: World = newWorld()) {
  const tuner = await openTuner(world);
  await publishProblems(tuner.log, 0, 6);
  const ending = await tuner.tune(1, settings);
  return { tuner, ending, world };
}

describe('a stage of a team', () => {
  it('is planned, carried out, recorded and promoted as one', async () => {
    const { tuner, ending } = await tuned();
    const { log } = tuner;
    expect(ending).toBe('AdapterPromoted');
    const [published] = await teamEvents(log, 'AdapterPublished');
    expect(published).toMatchObject({ method: 'team', slot: 'team', algorithm: 'sat-seq', artefact: { kind: 'team' } });
    expect(published!.metrics).toMatchObject({ rollouts: 24, backtracks: 0, certificate: expect.any(Number) });
    expect(await teamEvents(log, 'TeamTurnTaken')).toHaveLength(24 * 3);
    expect(await teamEvents(log, 'TeamRolloutJudged')).toHaveLength(24);
    const updated = await teamEvents(log, 'AgentUpdated');
    expect(updated.map(({ agent, slot, batch }) => [agent, slot, batch])).toEqual([
      ['concepts', 'team/concepts', 0],
      ['strategy', 'team/strategy', 1],
      ['pitfalls', 'team/pitfalls', 2],
    ]);
    expect((await teamEvents(log, 'TrainingRunCheckpointed')).map(({ step }) => step)).toEqual([1, 2]);
  });

  it('samples the current team before each agent, each batch on different problems', async () => {
    const { tuner } = await tuned();
    const updated = await teamEvents(tuner.log, 'AgentUpdated');
    const turns = await teamEvents(tuner.log, 'TeamTurnTaken');
    const writers = [0, 1, 2].map((batch) =>
      TEAM.agents.map(({ name }) => {
        const own = turns.filter((turn) => turn.batch === batch && turn.agent === name);
        return [...new Set(own.map(({ adapterDigest }) => adapterDigest))];
      }),
    );
    const [concepts, strategy] = updated.map(({ adapterDigest }) => [adapterDigest]);
    expect(writers).toEqual([
      [[null], [null], [null]],
      [concepts, [null], [null]],
      [concepts, strategy, [null]],
    ]);
    const problemsOf = (batch: number): Set<string> =>
      new Set(turns.filter((turn) => turn.batch === batch).map(({ problemId }) => problemId));
    expect(problemsOf(0).isDisjointFrom(problemsOf(1)) && problemsOf(1).isDisjointFrom(problemsOf(2))).toBe(true);
  });

  it('shows each agent what those before it wrote', async () => {
    const { tuner } = await tuned();
    const turns = await teamEvents(tuner.log, 'TeamTurnTaken');
    for (const turn of turns.filter(({ agent }) => agent === 'pitfalls')) {
      const asked = tuner.generator.tokenizer.decode(turn.promptTokenIds);
      const before = turns.filter((each) => each.rolloutId === turn.rolloutId && each.turn < turn.turn);
      for (const { text } of before) expect(asked).toContain(`${text}\n`);
    }
  });

  it('comes to the same team when every process is killed at its third write', async () => {
    const calm = await calmly();
    const world = newWorld();
    const first = await openTuner(world);
    await publishProblems(first.log, 0, 6);
    let kills = 0;
    for (let ended: string | undefined; ended === undefined; ) {
      const tuner = await openTuner(world, { failAt: 3 });
      ended = await tuner.tune(1).catch(() => {
        kills++;
        return undefined;
      });
      if (kills > 40) throw new Error('the stage does not come to its end');
    }
    expect(kills).toBeGreaterThanOrEqual(5);
    const [published] = await teamEvents(first.log, 'AdapterPublished');
    expect(published!.adapterDigest).toBe(calm);
    expect(await teamEvents(first.log, 'AdapterPromoted')).toHaveLength(1);
    const judged = await teamEvents(first.log, 'TeamRolloutJudged');
    expect([judged.length, new Set(judged.map(({ rolloutId }) => rolloutId)).size]).toEqual([24, 24]);
  }, 300_000);

  it('is resumed by who asks for it again after a kill, also where problems were published since', async () => {
    const request = { algorithm: 'sat-seq', settings: { ...SETTINGS } };
    const { signal } = new AbortController();
    const calm = await openTuner(newWorld());
    await publishProblems(calm.log, 0, 6);
    await calm.onDemand.handle(request, signal);
    const [expected] = await teamEvents(calm.log, 'AdapterPublished');
    for (const failAt of [2, 3, 4, 5, 6]) {
      const world = newWorld();
      const killed = await openTuner(world);
      await publishProblems(killed.log, 0, 6);
      const first = await openTuner(world, { failAt });
      await expect(first.onDemand.handle(request, signal)).rejects.toThrow();
      await publishProblems(killed.log, 6, 12);
      const second = await openTuner(world);
      const { runId, ending } = await second.onDemand.handle(request, signal);
      expect([runId, ending[0]?.type]).toEqual([expected!.runId, 'AdapterPromoted']);
      expect((await teamEvents(killed.log, 'AdapterPublished')).map(({ adapterDigest }) => adapterDigest)).toEqual([
        expected!.adapterDigest,
      ]);
      // The problems that came since are the next stage's.
      expect((await second.onDemand.handle(request, signal)).runId).not.toBe(runId);
    }
  }, 120_000);

  it('that was killed keeps no problem from a stage of other settings', async () => {
    const world = newWorld();
    const { signal } = new AbortController();
    await publishProblems((await openTuner(world)).log, 0, 6);
    const killed = await openTuner(world, { failAt: 4 });
    await expect(killed.onDemand.handle({ algorithm: 'sat-seq', settings: SETTINGS }, signal)).rejects.toThrow();
    const other = await openTuner(world);
    const { ending } = await other.onDemand.handle(
      { algorithm: 'sat-seq', settings: { ...SETTINGS, batchSize: 4 } },
      signal,
    );
    expect(ending[0]?.type).toBe('AdapterPromoted');
    const judged = await teamEvents(other.log, 'TeamRolloutJudged');
    expect(new Set(judged.map(({ problemId }) => problemId)).size).toBe(6);
  });

  it('is done again from the log to the same digest, without asking a model', async () => {
    const { tuner, world } = await tuned();
    const [published] = await teamEvents(tuner.log, 'AdapterPublished');
    const again = await openTuner(world);
    const { signal } = new AbortController();
    expect(await again.onDemand.verify(published!.adapterDigest, signal)).toMatchObject({ matches: true });
    expect([again.generator.requests, again.executor.prompts]).toEqual([[], []]);
    expect(again.log.writes).toBe(0);
  });

  it('begins with the team that was promoted, and leaves another slot alone', async () => {
    const { tuner, world } = await tuned();
    await publishProblems(tuner.log, 6, 12);
    expect(await tuner.tune(2)).toBe('AdapterPromoted');
    const other = await openTuner(world, { slot: 'other-team', name: 'other' });
    expect(await other.tune(1)).toBe('AdapterPromoted');
    const published = await teamEvents(tuner.log, 'AdapterPublished');
    expect(published.map(({ slot, parent }) => [slot, parent])).toEqual([
      ['team', null],
      ['team', published[0]!.adapterDigest],
      ['other-team', null],
    ]);
    expect(await tuner.tune(2)).toBeUndefined();
    await expect(tuner.tune(3)).rejects.toThrow(/expected problems that were published since its last run, got none/);
  });
});

describe('a stage for a slot that learns from attempts', () => {
  it('is refused with the doubt about its plan, before anything is sampled, recorded or promoted', async () => {
    const tuner = await openTuner(newWorld(), { slot: 'generator' });
    await publishProblems(tuner.log, 0, 6);
    const before = tuner.log.writes;
    await expect(tuner.onDemand.handle({ algorithm: 'sat-seq', settings: SETTINGS }, new AbortController().signal))
      // What generators are served with is learned from attempts.
      .rejects.toThrow(/not believed: it learns from seam\.problems\/\d+, which holds neither results nor experiences/);
    expect(tuner.generator.requests).toEqual([]);
    for (const type of ['TrainingRunPlanned', 'AdapterPublished', 'AdapterPromoted'] as const)
      expect(await teamEvents(tuner.log, type)).toEqual([]);
    expect(tuner.log.writes).toBe(before);
  });
});

describe('the gate of a stage', () => {
  it('takes weights and optimizer state back, and records every attempt', async () => {
    const { tuner } = await tuned({ gate: { target: 1e-15, maxBacktracks: 2 }, kl: { beta: 0.1 } });
    const tried = await teamEvents(tuner.log, 'AgentUpdateTried');
    const own = tried.filter(({ agent, steps }) => agent === 'concepts' && steps > 0);
    expect(own.map(({ decision, attempt, beta }) => [decision, attempt, Number(beta.toFixed(4))])).toEqual([
      ['taken back', 0, 0.1],
      ['taken back', 1, 0.15],
      ['given up', 2, 0.225],
    ]);
    const untouched = await openTuner(newWorld());
    const zero = await untouched.engine.begin({ adapter: null });
    const [updated] = await teamEvents(tuner.log, 'AgentUpdated');
    expect(updated).toMatchObject({ adapterDigest: (await zero.exportAdapter()).digest, distance: 0 });
  });

  it('is absent where a control has no gate: every pass is kept', async () => {
    const { tuner } = await tuned({ gate: null });
    const tried = await teamEvents(tuner.log, 'AgentUpdateTried');
    expect(new Set(tried.map(({ decision, target }) => `${decision} ${target}`))).toEqual(new Set(['accepted null']));
  });
});

describe('other ways to tune', () => {
  it('learn from one batch, simultaneously or with truncated weights, with as many rollouts', async () => {
    for (const settings of [{ updates: 'simultaneous' }, { resample: false }]) {
      const { tuner } = await tuned(settings);
      const sampled = await teamEvents(tuner.log, 'TeamBatchSampled');
      expect(sampled.map(({ batch, rollouts }) => [batch, rollouts])).toEqual([[0, 24]]);
      const turns = await teamEvents(tuner.log, 'TeamTurnTaken');
      expect(turns.every(({ adapterDigest }) => adapterDigest === null)).toBe(true);
      const ratios = (await teamEvents(tuner.log, 'AgentUpdated')).map((event) => event.effectiveSampleRatio);
      expect(ratios[0]).toBe(1);
      expect(ratios.slice(1).every((ratio) => ratio === 1)).toBe('updates' in settings);
    }
  });

  it('order the agents as configured', async () => {
    for (const order of ['random', 'information']) {
      const { tuner } = await tuned({ order });
      const agents = (await teamEvents(tuner.log, 'AgentUpdated')).map(({ agent }) => agent);
      expect(agents.toSorted()).toEqual(['concepts', 'pitfalls', 'strategy']);
      // Of the hinted problems the concept alone decides.
      if (order === 'information') expect(agents[0]).toBe('concepts');
    }
  });

  it('estimate advantages by values, to the same digest each time', async () => {
    const gae = { advantage: { kind: 'gae' } };
    expect(await calmly(gae)).toBe(await calmly(gae));
    expect(await calmly(gae)).not.toBe(await calmly());
  });
});
