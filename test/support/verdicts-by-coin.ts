/**
 * The negative control of everything that claims to learn: one round of the demonstration, by its real models and services, where
 * a coin takes the verifier's place. The coin falls by the experience's id, so it says nothing about entries or problems. The gate
 * is open: candidates are measured by the true verifier. For comparison the same entries, by the same learner, with the true verdicts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bufferService, bufferServiceConfigSchema } from '@seamstream/buffer';
import { type EventLog, InMemoryEventLog, InMemoryLogStorage, type Transaction } from '@seamstream/event-log';
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
import { worldSource } from '../../apps/standalone/src/problem-stream.js';
import { eventsOf, ofType } from './recorded-run.js';

/** What became of a run's adapter. */
export interface RunEnding {
  readonly type: SeamEvent['type'];
  readonly evaluation: EventOf<'TrainingRunRejected'>['evaluation'];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Judges again what the executor records: heads is a success. */
class CoinFlippingLog extends InMemoryEventLog {
  constructor(
    storage: InMemoryLogStorage,
    private readonly headsRatio: number,
    /** Receives every outcome as the verifier judged it. */
    private readonly onJudged: (outcome: EventOf<'OutcomeRecorded'>) => void,
  ) {
    super({ storage });
  }

  override async transact(transaction: Transaction): ReturnType<InMemoryEventLog['transact']> {
    const records = transaction.records.map((record) => {
      const event = decodeEvent({ partition: 0, ...record, offset: 0 });
      if (event.type !== 'OutcomeRecorded') return record;
      this.onJudged(event);
      const success = Random.of('coin', event.experienceId).float() < this.headsRatio;
      return encodeEvent({ ...event, success, reward: success ? 1 : 0 });
    });
    return super.transact({ ...transaction, records });
  }
}

/**
 * Explores one round by the base model, and trains on it.
 * @param headsRatio share of entries that the coin calls successes
 */
export async function verdictsByCoin(settings: {
  readonly seed: number;
  readonly problems: number;
  readonly headsRatio: number;
}): Promise<{ readonly byCoin: Readonly<Record<'sft' | 'grpo', RunEnding>>; readonly byVerifier: RunEnding }> {
  const { seed, problems, headsRatio } = settings;
  const dataFolder = await mkdtemp(join(tmpdir(), 'seam-coin-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(dataFolder, { recursive: true, force: true })];
  try {
    await writeWorldFiles(dataFolder);
    const environment = {
      ...embeddedEnvironment({ dataFolder, seed, roundSize: problems, algorithm: 'sft' }, {}),
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
    const assets = { model, executor: executor.model, prompts, schemaFor };

    const judged: SeamEvent[] = [];
    const storage = new InMemoryLogStorage();
    const log = await withTopics(new InMemoryEventLog({ storage }));
    const objects: InMemoryObjects = new Map();
    const around = (own: EventLog) => ({
      drivers: { log: own, objects: new InMemoryObjectStore(objects) },
      serveHttp: false,
    });
    const coin = new CoinFlippingLog(storage, headsRatio, (outcome) => judged.push(outcome));
    const services = [
      await startService(generatorService(assets), { config: configs.generator, ...around(log) }),
      await startService(executorService(assets), { config: configs.executor, ...around(coin) }),
      await startService(bufferService(assets), { config: configs.buffer, ...around(log) }),
    ];
    closers.push(...services.map((service) => () => service.close()));
    const published = worldSource(seed)({
      round: 1,
      phase: 'base',
      roundSize: problems,
      startIndex: 0,
      count: problems,
      occurredAt: 0,
    });
    await log.append(published.map(encodeEvent));
    await Promise.race([committed(log), ...services.map(({ ended }) => ended)]);

    const trainerOn = async (own: EventLog) => {
      const logger = createServiceLogger('trainer', 'silent');
      const context = { config: configs.trainer, ...around(own), logger, onClose: () => undefined };
      const { onDemand } = await createTrainer(context, assets);
      return async (algorithm: string): Promise<RunEnding> => {
        const { ending } = await onDemand.handle({ algorithm }, new AbortController().signal);
        const [last] = ending;
        if (last?.type !== 'AdapterPromoted' && last?.type !== 'TrainingRunRejected')
          throw new Error(`expected a judged adapter, got ${JSON.stringify(last)}`);
        const completed = ofType(await eventsOf(own), 'TrainingRunCompleted').find(({ runId }) => runId === last.runId);
        return { type: last.type, evaluation: last.evaluation, metrics: completed?.metrics ?? {} };
      };
    };
    const train = await trainerOn(log);
    const byCoin = { sft: await train('sft'), grpo: await train('grpo') };

    const truth = await withTopics(new InMemoryEventLog());
    const experiences = ofType(await eventsOf(log), 'ExperienceGenerated');
    await truth.append([...published, ...experiences, ...judged].map(encodeEvent));
    return { byCoin, byVerifier: await (await trainerOn(truth))('grpo') };
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

async function withTopics(log: InMemoryEventLog): Promise<InMemoryEventLog> {
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  return log;
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
