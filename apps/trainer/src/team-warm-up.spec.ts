/** An agent's warm-up on the trainer's own path: preferred answers are learned, recorded and promoted; killed and done again. */

import { encodeEvent } from '@seamstream/events';
import { newWorld, type World } from '@seamstream/testing';
import { openTuner, publishPairs, publishProblems, type Tuner, teamEvents } from './team-world.fake.js';

const { signal } = new AbortController();
const PAIRS = ['oak', 'ash', 'yew', 'oak', 'ash', 'yew', 'oak'].map((word, at) => ({
  domain: 'wood',
  prompt: `Number ${at + 1} asks for ${word}.`,
  chosen: JSON.stringify({ concepts: [word] }),
  rejected: 'I do not know.',
}));

describe('a warm-up of an agent', () => {
  it('learns the chosen answers of the pairs before the first stage, which begins with it', async () => {
    const { tuner, preferences } = await published();
    expect((await warmUp(tuner, { preferences })).ending).toMatchObject([{ type: 'AdapterPromoted', slot: 'team' }]);
    const [event] = await teamEvents(tuner.log, 'AgentWarmedUp');
    expect(event).toMatchObject({ agent: 'concepts', slot: 'team/concepts', setDigest: preferences, pairs: 7 });
    expect(event).toMatchObject({ steps: 8, parent: null });
    const learned = tuner.engine.begun[0]!.stepped.flat();
    const { tokenizer } = tuner.generator;
    for (const [at, { tokenIds, targets }] of learned.entries()) {
      const text = tokenizer.decode(tokenIds);
      const pair = PAIRS.find(({ prompt }) => text.includes(prompt))!;
      expect([at, text.endsWith(pair.chosen)]).toEqual([at, true]);
      // The schema leaves one choice, how the word begins; what is asked is no part of the loss.
      expect(tokenizer.decode(targets.map((target) => tokenIds[target]!))).toMatch(/^[oay]\w*"?$/);
    }
    for (const step of tuner.engine.begun[0]!.stepped)
      expect(step.flatMap(({ weights }) => weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9);
    await publishProblems(tuner.log, 0, 6);
    expect(await tuner.tune(1)).toBe('AdapterPromoted');
    const [first] = await teamEvents(tuner.log, 'TeamTurnTaken');
    expect(first).toMatchObject({ agent: 'concepts', adapterDigest: event!.adapterDigest });
  });

  it('comes to the same team when every process is killed at its third write, and again from the log alone', async () => {
    const calm = await published();
    await warmUp(calm.tuner, { preferences: calm.preferences });
    const [expected] = await teamEvents(calm.tuner.log, 'AdapterPublished');
    const world = newWorld();
    const { preferences } = await published(world);
    let kills = 0;
    for (let ended = false; !ended; ) {
      const tuner = await openTuner(world, { failAt: 3 });
      try {
        await warmUp(tuner, { preferences });
        ended = true;
      } catch (error) {
        if (++kills > 20) throw error;
      }
    }
    expect(kills).toBeGreaterThanOrEqual(3);
    const again = await openTuner(world);
    const [made, ...others] = await teamEvents(again.log, 'AdapterPublished');
    expect([made!.runId, made!.adapterDigest, others]).toEqual([expected!.runId, expected!.adapterDigest, []]);
    expect(await teamEvents(again.log, 'AdapterPromoted')).toHaveLength(1);
    expect(await again.onDemand.verify(made!.adapterDigest, signal)).toMatchObject({ matches: true });
    expect([again.log.writes, again.generator.requests]).toEqual([0, []]);
  });

  it('learns nothing from what was rejected: a pair is no reward', async () => {
    const [pair] = PAIRS;
    const made = async (rejected: string): Promise<string> => {
      const { tuner, preferences } = await published(newWorld(), [{ ...pair!, rejected }]);
      await warmUp(tuner, { preferences });
      expect(await teamEvents(tuner.log, 'TeamRolloutJudged')).toEqual([]);
      return (await teamEvents(tuner.log, 'AgentWarmedUp'))[0]!.adapterDigest;
    };
    expect(await made('ash')).toBe(await made('a much longer and still worse answer'));
  });

  it('leaves the problems of the first stage to it, and is compared on their domains', async () => {
    const { tuner, preferences } = await published();
    await publishProblems(tuner.log, 0, 6);
    await warmUp(tuner, { preferences });
    const [planned] = await teamEvents(tuner.log, 'TrainingRunPlanned');
    expect(JSON.parse(planned!.configuration)).toMatchObject({ domains: ['herbs', 'wood'] });
    expect(await tuner.tune(1)).toBe('AdapterPromoted');
  });

  it.each<[string, object, RegExp]>([
    ['names no set', { preferences: undefined }, /Name it \(--set preferences=DIGEST\)/],
    ['names a set that is not in the log', { preferences: 'ab'.repeat(32) }, /got no record of it/],
  ])('is not planned where it %s', async (_, settings, says) => {
    const { tuner } = await published();
    await expect(warmUp(tuner, settings)).rejects.toThrow(says);
    expect(await teamEvents(tuner.log, 'TrainingRunPlanned')).toEqual([]);
  });

  it.each([
    ['a pair of it was changed', { chosen: '{"concepts":["ash"]}' }, 7],
    ['a pair was added to it', { index: 7, pairs: 8 }, 8],
  ])('is refused where %s, until its file is published again', async (_, change, count) => {
    const { tuner, preferences } = await published();
    const [first] = await teamEvents(tuner.log, 'TeamPreferencePublished');
    await tuner.log.append([encodeEvent({ ...first!, ...change })]);
    await expect(warmUp(tuner, { preferences })).rejects.toThrow(`got ${count} pairs with another digest`);
    await publishPairs(tuner.log, PAIRS);
    expect((await warmUp(tuner, { preferences })).ending).toMatchObject([{ type: 'AdapterPromoted' }]);
  });

  it.each<[string, object, object, RegExp]>([
    ['an agent that is not there', { agent: 'critic' }, {}, /expected one of the agents concepts, strategy, pitfalls/],
    [
      'a text that the agent may not write',
      {},
      { chosen: 'oak' },
      /row 2 to prefer JSON with the field concepts alone/,
    ],
    ['a text that is too long', {}, { prompt: 'oak '.repeat(600) }, /row 2 to prefer at most 512 tokens, got \d+ with/],
  ])('fails with %s, and nothing is learned', async (_, settings, changed, says) => {
    const pairs = [PAIRS[0]!, { ...PAIRS[1]!, ...changed }];
    const { tuner, preferences } = await published(newWorld(), pairs);
    const { ending } = await warmUp(tuner, { preferences, ...settings });
    expect(ending).toMatchObject([{ type: 'TrainingRunFailed', reason: expect.stringMatching(says) }]);
    expect([tuner.engine.steps, await teamEvents(tuner.log, 'AgentWarmedUp')]).toEqual([0, []]);
  });
});

async function published(world: World = newWorld(), pairs = PAIRS) {
  const tuner = await openTuner(world);
  return { tuner, preferences: await publishPairs(tuner.log, pairs) };
}

function warmUp({ onDemand }: Tuner, settings: object) {
  const request = { agent: 'concepts', epochs: 4, batchSize: 4, ...settings };
  return onDemand.handle({ algorithm: 'warm-up', settings: request }, signal);
}
