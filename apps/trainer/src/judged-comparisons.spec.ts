/** A trainer whose validation problems have answers in words: a model behind a real server judges them. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { worldProblems } from '@seamstream/embedded-world';
import { FakeExecutor } from '@seamstream/environments/testing';
import { encodeEvent, type Problem } from '@seamstream/events';
import { entrySchemas } from '@seamstream/experience';
import { LanguageModel } from '@seamstream/language-model';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger, loadConfig } from '@seamstream/service-kit';
import { eventsOf, newWorld, openLog, type World } from '@seamstream/testing';
import { partsOf } from '@seamstream/testing/judge-server';
import { chatCompletion, ModelServer, type SeenRequest } from '@seamstream/testing/model-server';
import { publicationOf } from '@seamstream/testing/result-log';
import { FakeEngine } from '@seamstream/training-contract/testing';
import { FakeEvaluation } from '@seamstream/training-runs/testing';
import { createTrainer, type TrainerAssets, trainerConfigSchema } from './app.module.js';
import { teamEvents } from './team-world.fake.js';
import { closeServices, consumed, playRounds, publish, serve } from './trainer-world.fake.js';

let folder: string;
let server: ModelServer;
/** What the server reports of itself, request by request, and then the last one. */
let revisions: readonly string[];
let closers: (() => Promise<void>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'judged-'));
  revisions = ['fp_1'];
  server = await ModelServer.start((request) => ({
    ...{ kind: 'answer' },
    body: chatCompletion(opinionOn(request), {
      fingerprint: revisions[Math.min(server.seen.length, revisions.length) - 1]!,
    }),
  }));
  closers = [];
});
afterEach(async () => {
  await closeServices();
  for (const close of closers.reverse()) await close();
  await server.stop();
  await rm(folder, { recursive: true });
});

describe('a trainer with problems that a model has to judge', () => {
  it('measures adapters by the verdicts of the model that its settings name', async () => {
    const world = newWorld();
    await publish(world, 0, 6);
    const model = await LanguageModel.load(modelAt('generator-base'), { threads: 1 });
    closers.push(() => model.close());
    const executor = new FakeExecutor((prompt) => `Answer: so ${prompt.length} it is`);
    const { onDemand } = await trainerOf(world, JUDGE, {
      ...{ model, executor, engine: new FakeEngine() },
      validation: { name: 'words', problems: inWords('validation', 8).map((each) => ({ ...each, domain: 'sums' })) },
    });
    const solved = await (
      await onDemand.trials({ algorithm: 'grpo', settings: {} }, new AbortController().signal)
    ).before();
    expect(solved).toHaveLength(8);
    const taken = server.seen.filter((request) => opinionOn(request) === 'CORRECT');
    expect(server.seen).toHaveLength(8);
    expect(solved.filter((each) => each === true)).toHaveLength(taken.length);
    expect(JSON.stringify(server.seen[0]!.body)).toContain('"model":"words-judge"');
  }, 60_000);

  it('tunes a team on such problems, and rollouts and comparison on record name who judged', async () => {
    const { log, ending } = await tunedTeam();
    const judges = [{ model: 'words-judge', revision: 'tiny/fp_1', verdicts: expect.any(Number) }];
    expect(ending).toMatchObject([{ type: 'AdapterPromoted', evaluation: { problems: 4, judges } }]);
    const questions = new Set(server.seen.map((request) => partsOf(request).question));
    expect([...questions].filter((question) => question.startsWith('stage'))).not.toEqual([]);
    expect([...questions].filter((question) => question.startsWith('validation'))).not.toEqual([]);
    expect(await teamEvents(log, 'AgentUpdated')).toHaveLength(2);
    const judged = await teamEvents(log, 'TeamRolloutJudged');
    expect(judged).toHaveLength(8);
    for (const { response, judge } of judged)
      expect(judge).toEqual(/answer:/i.test(response) ? { model: 'words-judge', revision: 'tiny/fp_1' } : null);
    expect((await teamEvents(log, 'TeamBatchSampled')).map((batch) => batch.judges)).toEqual([judges, judges]);
  }, 120_000);

  it('learns from no problem whose rollouts different revisions judged, and says of how many rollouts', async () => {
    revisions = ['fp_1', 'fp_2'];
    const { log } = await tunedTeam();
    const groups = Map.groupBy(await teamEvents(log, 'TeamRolloutJudged'), ({ problemId }) => problemId);
    const revisionsOf = [...groups.values()].map((group) => new Set(group.map(({ judge }) => judge?.revision)));
    expect(revisionsOf.map(({ size }) => size)).toEqual([2, 1, 1, 1]);
    const [published] = await teamEvents(log, 'AdapterPublished');
    expect(published!.metrics).toMatchObject({ rollouts: 8, judgedApart: 2 });
  }, 120_000);

  it('makes no team where no rollout counts because the revision changes with each answer', async () => {
    revisions = Array.from({ length: 100 }, (_, request) => `fp_${request}`);
    const { log, ending } = await tunedTeam();
    const reason = expect.stringContaining('different revisions of the judge');
    expect(ending).toMatchObject([
      { type: 'TrainingRunRejected', adapterDigest: null, reason, metrics: { judgedApart: 8 } },
    ]);
    expect(await teamEvents(log, 'AdapterPublished')).toEqual([]);
  }, 120_000);

  it.each([
    ['the same revision of the model judged both', 'fp_1', 1],
    ['another revision judges now', 'fp_2', 2],
  ])('takes the success of a parent from its record, or measures it again, where %s', async (_, then, times) => {
    const world = newWorld();
    const evaluation = new JudgedEvaluation();
    await serve(world, { evaluation });
    await playRounds(world, 1);
    const [first] = await eventsOf(world, 'AdapterPromoted');
    expect(first!.evaluation!.judges).toEqual([{ model: 'judge', revision: 'fp_1', verdicts: 40 }]);
    evaluation.revision = then;
    await publish(world, 6, 12, { adapterDigest: first!.adapterDigest });
    await consumed(world);
    const measured = evaluation.measured.filter((digest) => digest === first!.adapterDigest);
    expect(measured).toHaveLength(times);
    expect(await eventsOf(world, 'AdapterPublished')).toHaveLength(2);
  });

  it.each([
    ['measures both again until one revision judged both', ['fp_2', 'fp_3', 'fp_3', 'fp_3'], 'fp_3'],
    ['fails where that never comes about', Array.from({ length: 40 }, (_, index) => `fp_${index + 2}`), null],
  ])(
    'decides nothing where a parent that is measured again is judged by another revision: it %s',
    async (_, then, judge) => {
      const world = newWorld();
      const evaluation = new JudgedEvaluation();
      await serve(world, { evaluation });
      await playRounds(world, 1);
      const [first] = await eventsOf(world, 'AdapterPromoted');
      evaluation.next = [...then];
      await publish(world, 6, 12, { adapterDigest: first!.adapterDigest });
      await consumed(world);
      const second = (await eventsOf(world, 'AdapterPromoted')).slice(1);
      const failed = await eventsOf(world, 'TrainingRunFailed');
      const judges = [{ model: 'judge', revision: judge, verdicts: 40 }];
      expect(second).toMatchObject(judge === null ? [] : [{ evaluation: { judges } }]);
      expect(failed).toMatchObject(judge === null ? [{ code: 'VERIFIER_FAILED' }] : []);
      // It is not trained again.
      expect(await eventsOf(world, 'AdapterPublished')).toHaveLength(2);
    },
  );

  it('promotes no adapter while old problems are judged apart, and records how many', async () => {
    const world = newWorld();
    await publish(world, 0, 6);
    await (await openLog(world)).append(inWords('old', 4).map((problem) => encodeEvent(publicationOf(problem))));
    const evaluation = new JudgedEvaluation();
    const { onDemand } = await trainerOf(
      world,
      {},
      { evaluation, engine: new FakeEngine(), schemaFor: entrySchemas() },
    );
    const trained = async (steps: number) => {
      const settings = { duration: { unit: 'steps', steps } };
      const retention = { mostCost: 1, problems: inWords('old', 4).map(({ problemId }) => problemId) };
      return (await onDemand.handle({ algorithm: 'grpo', settings, retention }, new AbortController().signal)).ending;
    };
    evaluation.ofOld = ['fp_1', 'fp_2'];
    expect(await trained(2)).toMatchObject([
      { type: 'TrainingRunRejected', evaluation: { judgedApart: 20 }, reason: expect.stringContaining('20 problems') },
    ]);
    evaluation.ofOld = ['fp_2', 'fp_2'];
    expect(await trained(3)).toMatchObject([{ type: 'AdapterPromoted', evaluation: { judgedApart: 0 } }]);
  });

  it('does not start without that model, and says so before it loads any other', async () => {
    const nowhere = { SEAM_TRAINER_MODEL_FOLDER: 'nowhere', SEAM_TRAINER_EXECUTOR_FOLDER: 'nowhere' };
    const refusal = (message: RegExp) => ({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(message),
    });
    await expect(trainerOf(newWorld(), nowhere, { validation: VALIDATION })).rejects.toMatchObject(
      refusal(/^Cannot verify by judge@1: expected a model that judges, got none\..*SEAM_TRAINER_EXECUTOR_JUDGE_URL/),
    );
    const keyed = { ...JUDGE, ...nowhere, SEAM_TRAINER_EXECUTOR_JUDGE_KEY_VARIABLE: 'NOT_SET_ANYWHERE' };
    await expect(trainerOf(newWorld(), keyed, { validation: VALIDATION })).rejects.toMatchObject(
      refusal(/NOT_SET_ANYWHERE, which is not set or empty.*SEAM_TRAINER_EXECUTOR_JUDGE_KEY_VARIABLE/),
    );
    expect(() => loadConfig(trainerConfigSchema, { SEAM_TRAINER_EXECUTOR_JUDGE_MODEL: 'm' })).toThrow(
      /expected both the address and the name of the model, or neither/,
    );
  });
});

/** A double whose verdicts are a model's. */
class JudgedEvaluation extends FakeEvaluation {
  revision = 'fp_1';
  /** Of the measurements to come. */
  next: string[] = [];
  /** Of old problems: with the parent, and with the candidate. */
  ofOld: string[] = [];

  override over(): JudgedEvaluation {
    return Object.assign(new JudgedEvaluation(), { next: [...this.ofOld] });
  }

  override async measure(...asked: Parameters<FakeEvaluation['measure']>): ReturnType<FakeEvaluation['measure']> {
    const judgedBy = { model: 'judge', revision: this.next.shift() ?? this.revision };
    return (await super.measure(...asked)).map((result) => ({ ...result, judgedBy }));
  }
}

const modelAt = (name: string): string => fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
const EXECUTOR = modelAt('executor');
const VOTE = { agents: ['one', 'two'].map((name) => ({ name, path: EXECUTOR, role: '{problem}\nSolution:' })) };
const VALIDATION = { name: 'words', problems: inWords('validation', 4) };
const JUDGE = {
  get SEAM_TRAINER_EXECUTOR_JUDGE_URL() {
    return server.url;
  },
  SEAM_TRAINER_EXECUTOR_JUDGE_MODEL: 'words-judge',
};
const TEAM = {
  SEAM_PRESET: 'sat-seq',
  get SEAM_TRAINER_TEAM() {
    return join(folder, 'team.json');
  },
};

/** A stage of a vote of two agents, to its end. */
async function tunedTeam() {
  const world = newWorld();
  await writeFile(join(folder, 'team.json'), JSON.stringify(VOTE));
  const { onDemand } = await trainerOf(world, { ...JUDGE, ...TEAM }, { validation: VALIDATION });
  const log = await openLog(world);
  await log.append(inWords('stage', 4).map((problem) => encodeEvent(publicationOf(problem))));
  const settings = { sampling: { maxTokens: 24 }, groupSize: 2 };
  const { ending } = await onDemand.handle({ algorithm: 'sat-seq', settings }, new AbortController().signal);
  return { log, ending };
}

/** So that answers differ in what they earn. */
function opinionOn(request: SeenRequest): string {
  const { answer } = partsOf(request);
  return Buffer.from(answer).reduce((sum, byte) => sum + byte, 0) % 2 === 0 ? 'CORRECT' : 'INCORRECT';
}

/** No answer is one of them word for word. */
function inWords(seed: string, count: number): readonly Problem[] {
  return worldProblems({ seed, split: 'heldOut', variant: 'base', count }).map((problem) => ({
    ...problem,
    reference: `it is ${problem.reference}`,
    verifier: { kind: 'judge', version: '1', options: { question: `${seed}: ${problem.prompt}` } },
  }));
}

async function trainerOf(world: World, environment: Readonly<Record<string, string>>, assets: TrainerAssets) {
  const config = loadConfig(trainerConfigSchema, {
    SEAM_EVIDENCE: 'none',
    SEAM_TRAINER_MODEL_FOLDER: modelAt('generator-base'),
    SEAM_TRAINER_EXECUTOR_FOLDER: EXECUTOR,
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '24',
    SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
    SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
    ...environment,
  });
  const drivers = { log: await openLog(world), objects: new InMemoryObjectStore(world.objects) };
  const logger = createServiceLogger('trainer', 'silent');
  const onClose = (close: () => Promise<void>) => void closers.push(close);
  return createTrainer({ config, drivers, logger, onClose }, assets);
}
