/** A stage of a team from a file, by the shipped models and the real engine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { worldProblems } from '@seamstream/embedded-world';
import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, type Problem, TOPICS } from '@seamstream/events';
import { presets } from '@seamstream/learning';
import { InMemoryObjectStore, type ObjectStore } from '@seamstream/object-store';
import { createServiceLogger, loadConfig } from '@seamstream/service-kit';
import { TeamMethod, teamSettings } from '@seamstream/team-tuning';
import { FlakyLog } from '@seamstream/testing';
import { publicationOf } from '@seamstream/testing/result-log';
import { createTrainer, trainerConfigSchema } from './app.module.js';
import { assertReadsOutcomes } from './team-of-file.js';
import { publishPairs, teamEvents } from './team-world.fake.js';

const modelAt = (name: string): string => fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
const EXECUTOR = modelAt('executor');
const GENERATOR = modelAt('generator-base');
const OTHER_TOKENS = modelAt('self-edits/executor');
const VOTE = { agents: ['one', 'two'].map((name) => ({ name, path: EXECUTOR, role: '{problem}\nSolution:' })) };

let folder: string;
let closers: (() => Promise<void>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'team-'));
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  await rm(folder, { recursive: true });
});

describe('the team of a file', () => {
  it('is sampled, tuned agent by agent within the preset’s gate, published and promoted as one', async () => {
    const { log, objects, onDemand } = await trainerOf(VOTE);
    await publish(log, 'stage', 4);
    const settings = { sampling: { maxTokens: 16 }, groupSize: 2 };
    const { ending } = await onDemand.handle({ algorithm: 'sat-seq', settings }, new AbortController().signal);
    expect(ending.map(({ type }) => type)).toEqual(['AdapterPromoted']);
    const [published] = await teamEvents(log, 'AdapterPublished');
    expect(published).toMatchObject({ method: 'team', slot: 'team', algorithm: 'sat-seq', artefact: { kind: 'team' } });
    expect((await teamEvents(log, 'AgentUpdated')).map(({ agent }) => agent)).toEqual(['one', 'two']);
    const tried = await teamEvents(log, 'AgentUpdateTried');
    expect(new Set(tried.map(({ target }) => target))).toEqual(new Set([0.05]));
    const config = Buffer.from(await objects.get(`teams/${published!.adapterDigest}/train_config.yaml`)).toString();
    expect(config).toMatch(/learningRate: 0\.00001[\s\S]*quantile: 0\.99|quantile: 0\.99[\s\S]*learningRate: 0\.00001/);
  }, 120_000);

  it.each<[string, unknown, RegExp]>([
    ['a key that it does not know', { ...VOTE, gate: null }, /Unrecognized key.*gate/],
    ['no agents', 'topology: vote\n', /agents/],
    ['a folder that holds no model', { agents: [{ name: 'one', path: 'nowhere' }] }, /Correct path of agent one/],
  ])('is refused with %s', async (_, team, message) => {
    await expect(trainerOf(team)).rejects.toThrow(message);
  });

  it('is not planned after completed problems: a stage solves problems itself', () => {
    const method = new TeamMethod('team', 'team');
    expect(() => assertReadsOutcomes({ algorithm: 'sat-seq' }, method)).toThrow(/Ask for each stage \(seam train/);
    expect(() => assertReadsOutcomes({ algorithm: 'curriculum' }, method)).not.toThrow();
  });

  it('belongs to its method', async () => {
    await expect(trainerOf(VOTE, { SEAM_TRAINER_METHOD: 'seam', SEAM_TRAINER_ALGORITHM: 'grpo' })).rejects.toThrow(
      /a team belongs to the method team/,
    );
  });
});

describe('a warm-up of an agent', () => {
  it('makes the chosen answers likelier, and is made again from the log in every bit', async () => {
    const { log, onDemand } = await trainerOf(VOTE);
    const { signal } = new AbortController();
    const pairs = problemsOf('pairs', 8).map(({ domain, prompt, reference }) => ({
      ...{ domain, prompt, chosen: `So it is.\nAnswer: ${reference}`, rejected: 'Answer: none' },
    }));
    const settings = { agent: 'two', preferences: await publishPairs(log, pairs), batchSize: 8, learningRate: 3e-3 };
    const lossAfter = async (epochs: number): Promise<number> => {
      const { runId } = await onDemand.handle({ algorithm: 'warm-up', settings: { ...settings, epochs } }, signal);
      return (await teamEvents(log, 'AgentWarmedUp')).find((event) => event.runId === runId)!.loss;
    };
    // The loss of a step is that before it.
    const before = await lossAfter(1);
    expect(await lossAfter(6)).toBeLessThan(0.5 * before);
    const published = await teamEvents(log, 'AdapterPublished');
    expect(await onDemand.verify(published.at(-1)!.adapterDigest, signal)).toMatchObject({ matches: true });
  }, 240_000);
});

describe('an agent of a team', () => {
  const signal = new AbortController().signal;
  const SAMPLING = { maxTokens: 16 };

  it('gives its place to another base model that comes within the target of it, and the team learns on', async () => {
    const [one, two] = VOTE.agents;
    const changed = { agents: [one, { ...two!, path: GENERATOR, replaces: EXECUTOR }] };
    const { log, onDemand } = await trainerOf(changed);
    await publish(log, 'probes', 8);
    const swap = { ...{ agent: 'two', target: 0.05, learningRate: 3e-3, groupSize: 2 }, sampling: SAMPLING };
    const swapped = await onDemand.handle({ algorithm: 'swap-agent', settings: swap }, signal);
    expect(swapped.ending).toMatchObject([{ type: 'AdapterPromoted' }]);
    const [event] = await teamEvents(log, 'AgentSwapped');
    expect(event).toMatchObject({ agent: 'two', slot: 'team/two', target: 0.05, replacedAdapterDigest: null });
    expect(event!.joinedBaseModelDigest).not.toBe(event!.replacedBaseModelDigest);
    expect(event!.distanceBefore).toBeGreaterThan(0.5);
    expect(event!.distance).toBeLessThanOrEqual(0.05);
    const [published] = await teamEvents(log, 'AdapterPublished');
    expect(await onDemand.verify(published!.adapterDigest, signal)).toMatchObject({ matches: true });
    await publish(log, 'stage', 4);
    const stage = { sampling: SAMPLING, groupSize: 2 };
    const { ending } = await onDemand.handle({ algorithm: 'sat-seq', settings: stage }, signal);
    expect(ending).toMatchObject([{ type: 'AdapterPromoted', parent: published!.adapterDigest }]);
  }, 240_000);

  it('gives its place to an adapter of the same base model, and one within the target joins as it came', async () => {
    const [one, two] = VOTE.agents;
    const { log, onDemand } = await trainerOf({ agents: [one, { ...two!, path: GENERATOR, replaces: EXECUTOR }] });
    const swapped = async (more: object) => {
      await publish(log, JSON.stringify(more), 2);
      const settings = { agent: 'two', sampling: SAMPLING, ...more };
      const { runId } = await onDemand.handle({ algorithm: 'swap-agent', settings }, signal);
      return (await teamEvents(log, 'AgentSwapped')).find((event) => event.runId === runId)!;
    };
    const { adapterDigest: aligned, passes } = await swapped({ target: 0.3, learningRate: 3e-3 });
    expect(passes).toBeGreaterThan(0);
    const bare = await swapped({ target: 100 });
    expect(bare).toMatchObject({ replacedAdapterDigest: aligned, joinedAdapterDigest: null, passes: 0 });
    expect(bare.adapterDigest).not.toBe(aligned);
    expect(await swapped({ target: 100, adapter: aligned })).toMatchObject({
      ...{ replacedAdapterDigest: bare.adapterDigest, joinedAdapterDigest: aligned, adapterDigest: aligned, passes: 0 },
    });
  }, 240_000);

  it('keeps its place from a model that stays too far away, and the run says how far', async () => {
    const [one, two] = VOTE.agents;
    const { log, onDemand } = await trainerOf({ agents: [one, { ...two!, path: GENERATOR, replaces: EXECUTOR }] });
    await publish(log, 'probes', 2);
    const settings = { agent: 'two', target: 1e-9, maxPasses: 1, sampling: SAMPLING };
    const { ending } = await onDemand.handle({ algorithm: 'swap-agent', settings }, signal);
    const reason = expect.stringMatching(/after 1 passes what joins as two is [\d.]+ nats from what it replaces/);
    expect(ending).toMatchObject([{ type: 'TrainingRunRejected', reason }]);
    expect(await teamEvents(log, 'AgentSwapped')).toEqual([]);
  }, 120_000);

  it.each<[string, object, object, RegExp]>([
    ['no name', {}, {}, /expected one of the agents one, two, got no name/],
    ['a name that no agent has', {}, { agent: 'three' }, /expected one of the agents one, two, got three/],
    ['an adapter that is nowhere', {}, { agent: 'two', adapter: 'ab'.repeat(32) }, /got abab\w* \(/],
    ['other tokens', { two: OTHER_TOKENS }, { agent: 'two' }, /with the tokens of the one that it replaces/],
    ['two changes at once', { one: GENERATOR, two: GENERATOR }, { agent: 'two' }, /changes that of one as well/],
  ])(
    'is not swapped by a request with %s, and the problems stay for a right one',
    async (_, changed, settings, says) => {
      const joining = Object.entries(changed) as [string, string][];
      const agents = VOTE.agents.map((agent) => {
        const path = joining.find(([name]) => name === agent.name)?.[1];
        return path === undefined ? agent : { ...agent, path, replaces: EXECUTOR };
      });
      const { log, onDemand } = await trainerOf({ agents });
      await publish(log, 'probes', 2);
      const asked = (more: object) => ({ algorithm: 'swap-agent', settings: { sampling: SAMPLING, ...more } });
      const wrong = await onDemand.handle(asked(settings), signal);
      expect(wrong.ending).toMatchObject([{ type: 'TrainingRunFailed', reason: expect.stringMatching(says) }]);
      if (joining.length > 0) return;
      const { ending } = await onDemand.handle(asked({ agent: 'two', target: 10 }), signal);
      expect(ending).toMatchObject([{ type: 'AdapterPromoted' }]);
    },
    120_000,
  );

  it('is no part of a stage whose team has other base models: it is swapped first', async () => {
    const { log, objects, onDemand } = await trainerOf(VOTE);
    await publish(log, 'stage', 4);
    const stage = { algorithm: 'sat-seq', settings: { sampling: SAMPLING, groupSize: 2 } };
    await onDemand.handle(stage, signal);
    const changed = await trainerOf(
      { agents: [VOTE.agents[0], { ...VOTE.agents[1], path: GENERATOR }] },
      {},
      { log, objects },
    );
    await publish(log, 'more', 4);
    const { ending } = await changed.onDemand.handle(stage, signal);
    const reason = expect.stringMatching(/Name in "replaces" what an agent had before/);
    expect(ending).toMatchObject([{ type: 'TrainingRunFailed', reason }]);
  }, 120_000);

  it('is yet to be aligned where its team was never tuned: no stage begins, and the problems stay for the swap', async () => {
    const { log, onDemand } = await trainerOf({
      agents: [VOTE.agents[0], { ...VOTE.agents[1], path: GENERATOR, replaces: EXECUTOR }],
    });
    await publish(log, 'stage', 2);
    const stage = { algorithm: 'sat-seq', settings: { sampling: SAMPLING, groupSize: 2 } };
    await expect(onDemand.handle(stage, signal)).rejects.toThrow(/agent two within reach .* Swap it first/);
    const swap = { agent: 'two', target: 100, sampling: SAMPLING };
    const { ending: swapped } = await onDemand.handle({ algorithm: 'swap-agent', settings: swap }, signal);
    expect(swapped).toMatchObject([{ type: 'AdapterPromoted' }]);
  }, 120_000);

  it('joins without a swap in a stage that was planned and killed before its file asked for one', async () => {
    const world = { log: new FlakyLog(), objects: new InMemoryObjectStore() };
    const changed = { ...VOTE.agents[1], path: GENERATOR };
    const before = await trainerOf({ agents: [VOTE.agents[0], changed] }, {}, world);
    await publish(world.log, 'stage', 2);
    const stage = { algorithm: 'sat-seq', settings: { sampling: SAMPLING, groupSize: 2 } };
    world.log.failAt = world.log.writes + 3;
    await expect(before.onDemand.handle(stage, signal)).rejects.toThrow(/the log is away/);
    const [planned] = await teamEvents(world.log, 'TrainingRunPlanned');
    const now = await trainerOf({ agents: [VOTE.agents[0], { ...changed, replaces: EXECUTOR }] }, {}, world);
    const { runId, ending } = await now.onDemand.handle(stage, signal);
    expect([runId, ending]).toMatchObject([planned!.runId, [{ type: 'AdapterPromoted' }]]);
  }, 120_000);
});

describe('the preset sat-seq', () => {
  it('holds settings that sequential tuning accepts, with the values of the release', () => {
    const given = presets.get('sat-seq')!.algorithms['sat-seq']!;
    const settingsOf = teamSettings['sat-seq'];
    expect(settingsOf(given)).toMatchObject(given);
    expect(settingsOf(given)).toMatchObject({
      ...{ groupSize: 4, clip: { low: 0.2, high: 0.2 }, kl: { beta: 0.001 } },
      gate: { target: 0.05, quantile: 0.99, maxBacktracks: 5 },
    });
  });
});

/** A trainer with the team of a file, where others have worked before or in a new world. */
async function trainerOf(
  team: unknown,
  environment: Record<string, string> = {},
  { log, objects }: { readonly log: EventLog; readonly objects: ObjectStore } = {
    log: new InMemoryEventLog(),
    objects: new InMemoryObjectStore(),
  },
) {
  const file = join(folder, 'team.yaml');
  await writeFile(file, typeof team === 'string' ? team : JSON.stringify(team));
  await log.createTopics(TOPICS);
  const config = loadConfig(trainerConfigSchema, {
    SEAM_PRESET: 'sat-seq',
    SEAM_TRAINER_TEAM: file,
    SEAM_TRAINER_MODEL_FOLDER: modelAt('generator-base'),
    SEAM_TRAINER_EXECUTOR_FOLDER: EXECUTOR,
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '24',
    SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
    SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
    ...environment,
  });
  const drivers = { log, objects };
  const validation = { name: 'validation', problems: problemsOf('validation', 4) };
  const context = {
    ...{ config, drivers, logger: createServiceLogger('trainer', 'silent') },
    onClose: (close: () => Promise<void>) => void closers.push(close),
  };
  return { log, objects, ...(await createTrainer(context, { validation })) };
}

async function publish(log: EventLog, seed: string, count: number): Promise<void> {
  await log.append(problemsOf(seed, count).map((problem) => encodeEvent(publicationOf(problem))));
}

function problemsOf(seed: string, count: number): readonly Problem[] {
  return worldProblems({ seed, split: 'heldOut', variant: 'base', count });
}
