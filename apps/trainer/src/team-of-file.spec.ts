/** A stage of a team from a file, by the shipped models and the real engine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { worldProblems } from '@seamstream/embedded-world';
import { InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, type Problem, TOPICS } from '@seamstream/events';
import { presets } from '@seamstream/learning';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger, loadConfig } from '@seamstream/service-kit';
import { TeamMethod, tuningSettings } from '@seamstream/team-tuning';
import { publicationOf } from '@seamstream/testing/result-log';
import { createTrainer, trainerConfigSchema } from './app.module.js';
import { assertReadsOutcomes } from './team-of-file.js';
import { teamEvents } from './team-world.fake.js';

const modelAt = (name: string): string => fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
const EXECUTOR = modelAt('executor');
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
    await log.append(problemsOf('stage', 4).map((problem) => encodeEvent(publicationOf(problem))));
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

describe('the preset sat-seq', () => {
  it('holds settings that sequential tuning accepts, with the values of the release', () => {
    const given = presets.get('sat-seq')!.algorithms['sat-seq']!;
    expect(tuningSettings(given)).toMatchObject(given);
    expect(tuningSettings(given)).toMatchObject({
      ...{ groupSize: 4, clip: { low: 0.2, high: 0.2 }, kl: { beta: 0.001 } },
      gate: { target: 0.05, quantile: 0.99, maxBacktracks: 5 },
    });
  });
});

async function trainerOf(team: unknown, environment: Record<string, string> = {}) {
  const file = join(folder, 'team.yaml');
  await writeFile(file, typeof team === 'string' ? team : JSON.stringify(team));
  const log = new InMemoryEventLog();
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
  const drivers = { log, objects: new InMemoryObjectStore() };
  const validation = { name: 'validation', problems: problemsOf('validation', 4) };
  const context = {
    ...{ config, drivers, logger: createServiceLogger('trainer', 'silent') },
    onClose: (close: () => Promise<void>) => void closers.push(close),
  };
  return { log, objects: drivers.objects, ...(await createTrainer(context, { validation })) };
}

function problemsOf(seed: string, count: number): readonly Problem[] {
  return worldProblems({ seed, split: 'heldOut', variant: 'base', count });
}
