/**
 * The negative control of everything that claims to learn: two rounds of a demonstration, by its real models and services, whose verdicts
 * are then replaced, by the toss of a coin or by those of other entries. The gate is open: candidates are measured by the true verifier.
 * For comparison the same entries, by the same learner, with the true verdicts.
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
import { Random } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import { openExecutor } from '@seamstream/model-clients';
import { InMemoryObjectStore, type InMemoryObjects } from '@seamstream/object-store';
import { createServiceLogger, loadConfig, startService } from '@seamstream/service-kit';
import { embeddedEnvironment, writeWorldFiles } from '@seamstream/standalone';
import { createTrainer, trainerConfigSchema } from '@seamstream/trainer';
import { attributeSource, worldSource } from '../../apps/standalone/src/problem-stream.js';
import { type Judging, rejudged } from '../../apps/standalone/src/study/real-model/shuffled-verdicts.js';
import { allEventsOf, ofType } from './recorded-run.js';

export const byVerifier: Judging = (outcomes) => outcomes;

/** The coin falls by the experience's id, so it says nothing about entries or problems. @param headsRatio share of successes */
export const byCoin =
  (headsRatio: number): Judging =>
  (outcomes) =>
    outcomes.map((outcome) => {
      const success = Random.of('coin', outcome.experienceId).float() < headsRatio;
      return { ...outcome, success, reward: success ? 1 : 0 };
    });

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

interface Learning {
  readonly judging: Judging;
  readonly algorithm: 'sft' | 'grpo';
}

export interface LearnedAfter {
  readonly first: RunEnding;
  /** In the order of what was asked for. */
  readonly others: readonly RunEnding[];
}

/** Learns from one and the same exploration under several judgings. */
export interface RejudgedRound {
  /** Success rate of the first round's explored entries, by the verifier. */
  readonly explored: number;
  /** From the first round, beginning at the base model. */
  learnedBy(judging: Judging, algorithm: Learning['algorithm']): Promise<RunEnding>;
  /** From the first round by one, then from the second by each of the others, which all begin at what the first learned. */
  learnedAfter(first: Learning, others: readonly Learning[]): Promise<LearnedAfter>;
  close(): Promise<void>;
}

/** Explores by the base model, a second round where one is asked for; what is learned begins at it each time. */
export async function exploreRound(settings: RoundSettings): Promise<RejudgedRound> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'seam-rejudged-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(dataFolder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const each of closers.toReversed()) await each();
  };
  try {
    await writeWorldFiles(dataFolder, settings);
    const opened = await openModels(settings, dataFolder, closers);
    // 1. The rounds, as any: entries, answers, verdicts.
    const round = await explored(opened, settings, 1);
    let second: Promise<readonly SeamEvent[]> | undefined;
    const entries = ofType(round, 'OutcomeRecorded').filter(({ arm }) => arm === 'explore');
    // 2. The same entries with other verdicts, in a separate log.
    const lesson = ({ judging, algorithm }: Learning, of: readonly SeamEvent[]): Lesson => ({
      algorithm,
      events: rejudged(of, judging),
    });
    return {
      explored: entries.filter(({ success }) => success).length / entries.length,
      learnedBy: async (judging, algorithm) =>
        (await learned(opened, await emptyStores(), lesson({ judging, algorithm }, round))).ending,
      learnedAfter: async (first, others) => {
        second ??= explored(opened, settings, 2);
        const before = await learned(opened, await emptyStores(), lesson(first, round));
        const endings: RunEnding[] = [];
        for (const each of others)
          endings.push((await learned(opened, await copyOf(before.stores), lesson(each, await second))).ending);
        return { first: before.ending, others: endings };
      },
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

/** What the log holds of a round when every problem of it is judged. */
async function explored(opened: Opened, settings: RoundSettings, round: number): Promise<readonly SeamEvent[]> {
  const { method, seed, problems } = settings;
  const source = method === 'experiences' ? worldSource(seed) : attributeSource({ method, seed });
  const place = { round, phase: 'base', roundSize: problems, startIndex: (round - 1) * problems } as const;
  const log = await withTopics();
  const services = await servicesOn(log, new InMemoryObjectStore(new Map()), opened, [
    'generator',
    'executor',
    'buffer',
  ]);
  try {
    await log.append(source({ ...place, count: problems, occurredAt: 0 }).map(encodeEvent));
    await Promise.race([committed(log, 1), ...services.map(({ ended }) => ended.then(endedEarly))]);
    return await allEventsOf(log);
  } finally {
    await Promise.all(services.map((service) => service.close()));
  }
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

interface Lesson {
  readonly algorithm: string;
  readonly events: readonly SeamEvent[];
}

/** What a run reads and writes. */
interface Stores {
  readonly log: InMemoryEventLog;
  readonly objects: InMemoryObjects;
}

/** @returns what became of the lesson, which begins at what is served, and the stores with it */
async function learned(
  opened: Opened,
  stores: Stores,
  { algorithm, events }: Lesson,
): Promise<{ readonly ending: RunEnding; readonly stores: Stores }> {
  const { log } = stores;
  const objects = new InMemoryObjectStore(stores.objects);
  const versions = ofType(await allEventsOf(log, [TOPIC.buffer]), 'BufferCommitted').length;
  const [buffer] = await servicesOn(log, objects, opened, ['buffer']);
  try {
    const context = { config: opened.configs.trainer, drivers: { log, objects }, serveHttp: false };
    const logger = createServiceLogger('trainer', 'silent');
    const { onDemand } = await createTrainer({ ...context, logger, onClose: () => undefined }, opened.assets);
    await log.append(events.map(encodeEvent));
    await Promise.race([committed(log, versions + 1), buffer!.ended.then(endedEarly)]);
    const { ending } = await onDemand.handle({ algorithm }, new AbortController().signal);
    return { ending: await endingOf(log, ending.at(-1)), stores };
  } finally {
    await buffer!.close();
  }
}

async function emptyStores(): Promise<Stores> {
  return { log: await withTopics(), objects: new Map() };
}

/** Stores with the same records at the same places, and the same objects, in which something else can happen. */
async function copyOf({ log, objects }: Stores): Promise<Stores> {
  const copy = await withTopics();
  for (const { name: topic } of TOPICS)
    for (const { partition, low, high } of await log.watermarks(topic))
      for await (const records of log.read({ topic, partition, from: low, to: high })) await copy.append(records);
  return { log: copy, objects: new Map(objects) };
}

async function endingOf(log: EventLog, last: SeamEvent | undefined): Promise<RunEnding> {
  if (last?.type !== 'AdapterPromoted' && last?.type !== 'TrainingRunRejected')
    throw new Error(`expected a judged adapter, got ${JSON.stringify(last)}`);
  const completed = ofType(await allEventsOf(log), 'TrainingRunCompleted').find(({ runId }) => runId === last.runId);
  return { type: last.type, evaluation: last.evaluation, metrics: completed?.metrics ?? {} };
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

/** When the buffer has so many versions: then every problem of as many rounds is judged. */
async function committed(log: EventLog, versions: number): Promise<void> {
  const watermarks = await log.watermarks(TOPIC.buffer);
  const from = watermarks.map(({ partition }) => ({ topic: TOPIC.buffer, partition, nextOffset: 0 }));
  const found = new AbortController();
  let seen = 0;
  for await (const records of log.follow({ topics: [TOPIC.buffer], from, signal: found.signal })) {
    seen += records.filter((record) => decodeEvent(record).type === 'BufferCommitted').length;
    if (seen >= versions) break;
  }
  found.abort();
}
