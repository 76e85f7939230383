/** A world for specs of planner and worker: results as the services record them, a log that fails on request, services on doubles. */

import type { InMemoryEventLog, NewRecord } from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC } from '@seamstream/events';
import { type EntrySchemas, entrySchemas } from '@seamstream/experience';
import { sha256 } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger, type RunningService, startService } from '@seamstream/service-kit';
import { bufferConfigSchema, encodeManifest, encodeRows, manifestDigest, rowsDigest } from '@seamstream/success-buffer';
import { eventsOf, newWorld, openLog, totalRecords, until, type World } from '@seamstream/testing';
import { bufferRow } from '@seamstream/testing/buffer-rows';
import type { TrainingEngine } from '@seamstream/training-contract';
import { FAKE_BASE_MODEL, FakeEngine } from '@seamstream/training-contract/testing';
import {
  type AdapterEvaluation,
  hasEnded,
  type MethodWithRunner,
  readTrainingHistory,
  type TrainingProgress,
  type TrainOnDemandHandler,
} from '@seamstream/training-runs';
import { type ExploredOptions, explored, FakeEvaluation } from '@seamstream/training-runs/testing';
import { createTrainer, trainerConfigSchema, trainerService } from './app.module.js';

export const BASE = FAKE_BASE_MODEL;

export function configOf(trainer: Record<string, unknown> = {}): ReturnType<typeof trainerConfigSchema.parse> {
  return trainerConfigSchema.parse({
    // Problems are not published here; forged results have a separate spec.
    evidence: 'none',
    logging: { level: 'silent' },
    eventLog: { driver: 'memory' },
    consuming: { firstRetryMs: 1, maxRetryMs: 5, shutdownGraceMs: 0 },
    trainer: {
      // Releases have a separate spec.
      roles: ['planner', 'worker'],
      trainEveryProblems: 6,
      algorithm: 'grpo',
      checkpointEverySteps: 2,
      maxBatchRecords: 500,
      algorithms: { grpo: { batchSize: 4, duration: { unit: 'steps', steps: 6 } } },
      // Ties pass, so that every window's adapter is served; the gate beyond chance has separate tests.
      promotion: { rule: 'tolerance' },
      ...trainer,
    },
  });
}

let running: RunningService[] = [];

/** Closes what {@link serve} started. */
export async function closeServices(): Promise<void> {
  await Promise.all(running.map((service) => service.close()));
  running = [];
}

export interface Setting {
  readonly log?: InMemoryEventLog;
  readonly engine?: TrainingEngine;
  readonly evaluation?: AdapterEvaluation;
  readonly config?: Record<string, unknown>;
  readonly onProgress?: (progress: TrainingProgress) => void;
  readonly schemaFor?: EntrySchemas;
  readonly methods?: readonly MethodWithRunner[];
}

export async function serve(world: World, setting: Setting = {}): Promise<RunningService> {
  const { engine = new FakeEngine(), evaluation = new FakeEvaluation(), onProgress } = setting;
  const service = await startService(
    trainerService({
      engine,
      evaluation,
      schemaFor: setting.schemaFor ?? entrySchemas(),
      methods: setting.methods ?? [],
      ...(onProgress === undefined ? {} : { onProgress }),
    }),
    {
      config: configOf(setting.config),
      drivers: { log: setting.log ?? (await openLog(world)), objects: new InMemoryObjectStore(world.objects) },
      serveHttp: false,
    },
  );
  running.push(service);
  return service;
}

/** What the command line trains and verifies with. */
export async function onDemandOf(
  world: World,
  engine: TrainingEngine = new FakeEngine(),
  { methods = [] }: Pick<Setting, 'methods'> = {},
): Promise<TrainOnDemandHandler> {
  const drivers = { log: await openLog(world), objects: new InMemoryObjectStore(world.objects) };
  const logger = createServiceLogger('trainer', 'silent');
  const { onDemand } = await createTrainer(
    { config: configOf(), drivers, logger, onClose: () => undefined },
    { engine, evaluation: new FakeEvaluation(), schemaFor: entrySchemas(), methods },
  );
  return onDemand;
}

export const encodeAll = (events: readonly SeamEvent[]): NewRecord[] => events.map(encodeEvent);

export async function publish(world: World, from: number, to: number, options: ExploredOptions = {}): Promise<void> {
  const records: NewRecord[] = [];
  for (let index = from; index < to; index++) records.push(...encodeAll(explored(index, options)));
  await (await openLog(world)).append(records);
}

/** Asks the service to stop during a step, and lets that step end when the request has had time to arrive. */
export async function closeDuring(service: RunningService, endStep: () => void): Promise<void> {
  const closing = service.close();
  await new Promise((resolve) => setTimeout(resolve, 150));
  endStep();
  await closing;
}

/** Everything is counted, and every planned run has ended. */
export async function consumed(world: World): Promise<void> {
  const log = await openLog(world);
  await until(async () => {
    const done = (await log.committedOffsets('seam.trainer')).reduce((sum, { nextOffset }) => sum + nextOffset, 0);
    if (done !== (await totalRecords(log, TOPIC.outcomes))) return false;
    return [...(await readTrainingHistory(log)).runs.values()].every(hasEnded);
  });
}

/** Rounds of six problems, each published when the decision on the one before is on record and served by what was promoted. */
export async function playRounds(world: World, rounds: number, options: ExploredOptions = {}): Promise<string[]> {
  for (let round = 0; round < rounds; round++) {
    const served = (await eventsOf(world, 'AdapterPromoted')).at(-1)?.adapterDigest ?? null;
    await publish(world, round * 6, round * 6 + 6, { adapterDigest: served, ...options });
    await consumed(world);
  }
  return digests(world);
}

export async function digests(world: World): Promise<string[]> {
  return (await eventsOf(world, 'AdapterPublished')).map(
    ({ adapterDigest, parent, runId }) => `${adapterDigest} of ${parent ?? 'base'} by ${runId}`,
  );
}

export async function undisturbed(rounds: number): Promise<string[]> {
  const world = newWorld();
  await serve(world);
  return playRounds(world, rounds);
}

export async function endsOfOutcomes(world: World): Promise<EventOf<'BufferCommitted'>['inputs']> {
  const watermarks = await (await openLog(world)).watermarks(TOPIC.outcomes);
  return watermarks.map(({ partition, high }) => ({ topic: TOPIC.outcomes, partition, from: 0, to: high }));
}

export async function commitVersion(
  world: World,
  sequence: number,
  inputs: EventOf<'BufferCommitted'>['inputs'],
  { shard, shards }: { readonly shard: number; readonly shards: number } = { shard: 0, shards: 1 },
): Promise<EventOf<'BufferCommitted'>> {
  const all = Array.from({ length: 8 }, (_, index) =>
    bufferRow(`o-${index}`, { tokenIds: [3, 4, index], baseModelDigest: BASE }),
  );
  const rows = all.filter((_, index) => index % shards === shard);
  const objects = new InMemoryObjectStore(world.objects);
  const body = encodeRows(rows, 'parquet');
  const folder = `buffer/${shard}of${shards}/${sequence}`;
  const key = `${folder}/rows.parquet`;
  await objects.put(key, body);
  const manifest = {
    sequence,
    bufferDigest: rowsDigest(rows),
    rows: rows.length,
    strata: { 'sums/hard': rows.length },
    files: [{ key, sha256: sha256(body), rows: rows.length, sizeBytes: body.length }],
    inputs: inputs.map((range) => ({ ...range })),
    config: bufferConfigSchema.parse({}),
  };
  const manifestKey = `${folder}/manifest.json`;
  await objects.put(manifestKey, encodeManifest(manifest));
  const event: EventOf<'BufferCommitted'> = {
    type: 'BufferCommitted',
    attestation: null,
    meta: originMeta({
      messageId: `b-${shard}-${sequence}`,
      correlationId: manifestKey,
      source: 'seam/buffer',
      occurredAt: 1,
      sourceClass: 'model',
    }),
    sequence,
    manifestKey,
    manifestDigest: manifestDigest(manifest),
    bufferDigest: manifest.bufferDigest,
    rows: rows.length,
    rowsPerStratum: manifest.strata,
    inputs,
    shard,
    shards,
  };
  await (await openLog(world)).append([encodeEvent(event)]);
  return event;
}
