/**
 * The negative control of everything that claims to learn: rounds of a demonstration, by its real models and services, whose verdicts are
 * then replaced, by the toss of a coin or by those of other entries. The gate is open: candidates are measured by the true verifier. For
 * comparison the same entries, by the same learner, with the true verdicts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bufferService, bufferServiceConfigSchema } from '@seamstream/buffer';
import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { executorConfigSchema, executorService } from '@seamstream/executor';
import { loadEntrySchemas, loadPrompts } from '@seamstream/experience';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { compareText, Random } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import { openExecutor } from '@seamstream/model-clients';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger, loadConfig, startService } from '@seamstream/service-kit';
import { embeddedEnvironment, writeWorldFiles } from '@seamstream/standalone';
import { createTrainer, trainerConfigSchema } from '@seamstream/trainer';
import { attributeSource, worldSource } from '../../apps/standalone/src/problem-stream.js';
import { eventsOf, ofType } from './recorded-run.js';

type Outcome = EventOf<'OutcomeRecorded'>;
/** What a round's results are taken for. */
export type Judging = (outcomes: readonly Outcome[]) => readonly Outcome[];

/** What completes a group next to its verdicts. */
const ATTEMPTED: ReadonlySet<string> = new Set([
  ...['ExperienceGenerated', 'ExperienceWithheld', 'AttemptUngraded', 'ExecutionFailed'],
]);

export const byVerifier: Judging = (outcomes) => outcomes;

/** The coin falls by the experience's id, so it says nothing about entries or problems. @param headsRatio share of successes */
export const byCoin =
  (headsRatio: number): Judging =>
  (outcomes) =>
    outcomes.map((outcome) => {
      const success = Random.of('coin', outcome.experienceId).float() < headsRatio;
      return { ...outcome, success, reward: success ? 1 : 0 };
    });

/** Every explored entry has the verdict of another one, of any problem: as many successes as there were, on entries that did not earn them. */
export const shuffled: Judging = (outcomes) => {
  const explored = outcomes
    .filter(({ arm }) => arm === 'explore')
    .toSorted((a, b) => compareText(a.experienceId, b.experienceId));
  const others = Random.of('shuffled rewards').shuffled(explored);
  const given = new Map(explored.map(({ experienceId }, at) => [experienceId, others[at]!]));
  return outcomes.map((outcome) => {
    const { success, reward } = given.get(outcome.experienceId) ?? outcome;
    return { ...outcome, success, reward };
  });
};

/** What became of a run's adapter. */
export interface RunEnding {
  readonly type: SeamEvent['type'];
  readonly evaluation: EventOf<'TrainingRunRejected'>['evaluation'];
  readonly metrics: Readonly<Record<string, number>>;
}

interface RoundSettings {
  readonly method: 'experiences' | 'attributes' | 'familiar-attributes';
  readonly seed: number;
  readonly problems: number;
}

/** Learns from one and the same round under several judgings. */
export interface RejudgedRound {
  /** Success rate of its explored entries, by the verifier. */
  readonly explored: number;
  learnedBy(judging: Judging, algorithm: 'sft' | 'grpo'): Promise<RunEnding>;
  close(): Promise<void>;
}

/** Explores by the base model; what is learned begins at it each time. */
export async function exploreRound(settings: RoundSettings): Promise<RejudgedRound> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'seam-rejudged-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(dataFolder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const each of closers.toReversed()) await each();
  };
  try {
    await writeWorldFiles(dataFolder, settings);
    const opened = await openModels(settings, dataFolder, closers);
    const published = publishedBy(settings);
    // 1. The round, as any: entries, answers, verdicts.
    const log = await withTopics();
    const objects = new InMemoryObjectStore(new Map());
    const started = await servicesOn(log, objects, opened, ['generator', 'executor', 'buffer']);
    closers.push(...started.map((service) => () => service.close()));
    await log.append(published.map(encodeEvent));
    await Promise.race([committed(log), ...started.map(({ ended }) => ended.then(endedEarly))]);
    const events = await eventsOf(log);
    const outcomes = ofType(events, 'OutcomeRecorded');
    const explored = outcomes.filter(({ arm }) => arm === 'explore');
    return {
      explored: explored.filter(({ success }) => success).length / explored.length,
      // 2. The same entries with other verdicts, in a separate log.
      learnedBy: (judging, algorithm) =>
        learned(
          opened,
          [...published, ...events.filter(({ type }) => ATTEMPTED.has(type)), ...judging(outcomes)],
          algorithm,
        ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Opened = Awaited<ReturnType<typeof openModels>>;

async function openModels(
  { method, seed, problems }: RoundSettings,
  dataFolder: string,
  closers: (() => Promise<unknown>)[],
) {
  const environment = {
    ...embeddedEnvironment({ dataFolder, method, seed, roundSize: problems, algorithm: 'sft' }, {}),
    SEAM_LOGGING_LEVEL: 'silent',
  };
  const configs = {
    generator: loadConfig(generatorConfigSchema, environment),
    executor: loadConfig(executorConfigSchema, environment),
    buffer: loadConfig(bufferServiceConfigSchema, environment),
    trainer: loadConfig(trainerConfigSchema, environment),
  };
  const prompts = await loadPrompts();
  const schemaFor = await loadEntrySchemas(configs.generator.entrySchemas);
  const model = await LanguageModel.load(configs.generator.generator.modelFolder, {});
  closers.push(() => model.close());
  const executor = await openExecutor(configs.executor.executor, { environment, prompts });
  closers.push(() => executor.close());
  return { configs, assets: { model, executor: executor.model, prompts, schemaFor } };
}

function publishedBy({ method, seed, problems }: RoundSettings): readonly SeamEvent[] {
  const source = method === 'experiences' ? worldSource(seed) : attributeSource(seed, method);
  return source({ round: 1, phase: 'base', roundSize: problems, startIndex: 0, count: problems, occurredAt: 0 });
}

function servicesOn(
  log: EventLog,
  objects: InMemoryObjectStore,
  { configs, assets }: Opened,
  names: readonly ('generator' | 'executor' | 'buffer')[],
) {
  const around = { drivers: { log, objects }, serveHttp: false };
  const starts = {
    generator: () => startService(generatorService(assets), { config: configs.generator, ...around }),
    executor: () => startService(executorService(assets), { config: configs.executor, ...around }),
    buffer: () => startService(bufferService(assets), { config: configs.buffer, ...around }),
  };
  return Promise.all(names.map((name) => starts[name]()));
}

async function learned(opened: Opened, events: readonly SeamEvent[], algorithm: string): Promise<RunEnding> {
  const log = await withTopics();
  const objects = new InMemoryObjectStore(new Map());
  const [buffer] = await servicesOn(log, objects, opened, ['buffer']);
  try {
    await log.append(events.map(encodeEvent));
    await Promise.race([committed(log), buffer!.ended.then(endedEarly)]);
    const context = { config: opened.configs.trainer, drivers: { log, objects }, serveHttp: false };
    const logger = createServiceLogger('trainer', 'silent');
    const { onDemand } = await createTrainer({ ...context, logger, onClose: () => undefined }, opened.assets);
    const { ending } = await onDemand.handle({ algorithm }, new AbortController().signal);
    const [last] = ending;
    if (last?.type !== 'AdapterPromoted' && last?.type !== 'TrainingRunRejected')
      throw new Error(`expected a judged adapter, got ${JSON.stringify(last)}`);
    const completed = ofType(await eventsOf(log), 'TrainingRunCompleted').find(({ runId }) => runId === last.runId);
    return { type: last.type, evaluation: last.evaluation, metrics: completed?.metrics ?? {} };
  } finally {
    await buffer!.close();
  }
}

async function withTopics(): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  return log;
}

/** Without a version of the buffer nothing may be learned from. */
function endedEarly(): never {
  throw new Error('expected a version of the buffer, got the end of a service');
}

/** When the buffer has a version: then every problem of the round is judged. */
async function committed(log: EventLog): Promise<void> {
  const watermarks = await log.watermarks(TOPIC.buffer);
  const from = watermarks.map(({ partition }) => ({ topic: TOPIC.buffer, partition, nextOffset: 0 }));
  const found = new AbortController();
  for await (const records of log.follow({ topics: [TOPIC.buffer], from, signal: found.signal }))
    if (records.some((record) => decodeEvent(record).type === 'BufferCommitted')) break;
  found.abort();
}
