/**
 * The services on a simulated cluster: two of each as separate processes on one log and one object store, all in virtual
 * time, under kills, freezes, orderly restarts and a bad network, until it calms down and everything is worked off. One seed
 * decides it all: the same seed is the same run, to the byte.
 */
import { bufferService, bufferServiceConfigSchema } from '@seamstream/buffer';
import { InMemoryEventLog, InMemoryLogStorage, type NewRecord } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import { executorConfigSchema, executorService } from '@seamstream/executor';
import { domainEntrySchema, entrySchemas, loadPrompts } from '@seamstream/experience';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { canonicalJson, derivedId, Random, sha256 } from '@seamstream/kernel';
import { InMemoryObjectStore, type InMemoryObjects } from '@seamstream/object-store';
import { createServiceLogger, startService } from '@seamstream/service-kit';
import {
  bufferConfigSchema,
  commit,
  decodeManifest,
  evolve,
  initialState,
  readVersion,
  rowsDigest,
  shardsOf,
} from '@seamstream/success-buffer';
import { createTrainer, trainerConfigSchema, trainerService } from '@seamstream/trainer';
import { FAKE_BASE_MODEL, FakeEngine } from '@seamstream/training-contract/testing';
import { AdapterEvaluation } from '@seamstream/training-runs';
import { groupOf } from '../../../apps/buffer/src/outcomes.consumer.js';
import { allEventsOf, ofType, type RecordedRun, readable, recordedRun } from '../recorded-run.js';
import { Place } from './place.js';
import { SimulatedProcess, type Surroundings, type Weather } from './simulated-process.js';
import { VirtualTime } from './virtual-time.js';

// --- the world without models: everything is a function of texts and seeds ------------------------------------------------

const DOMAINS = ['sums', 'words', 'timber'];
const WORDS = ['carry', 'borrow', 'halve', 'double'];
const schemaFor = entrySchemas(
  Object.fromEntries(
    DOMAINS.map((domain) => [
      domain,
      domainEntrySchema({ concepts: { words: WORDS }, strategy: { words: ['once'] }, pitfalls: { words: ['none'] } }),
    ]),
  ),
);
const bytesOf = (text: string): number[] => [...Buffer.from(text)];
/** 0 … n − 1, a function of the text. */
const drawOf = (text: string, n: number): number => Number.parseInt(sha256(text).slice(0, 8), 16) % n;

// Read now: files take time that is not virtual.
const prompts = await loadPrompts();

const generator = generatorService({
  schemaFor,
  prompts,
  model: {
    digest: FAKE_BASE_MODEL,
    config: { maxPositions: 4096 },
    tokenizer: { digest: sha256('bytes'), encode: bytesOf, decode: (ids) => Buffer.from(ids).toString() },
    generate: async (requests) =>
      requests.map(({ seeds }) =>
        seeds.map((seed) => {
          const concept = WORDS[drawOf(seed, WORDS.length)];
          const tokenIds = bytesOf(`{"concepts":["${concept}"],"strategy":["once"],"pitfalls":["none"]}`);
          return {
            tokenIds,
            logProbs: tokenIds.map(() => -0.5),
            legalMass: tokenIds.map(() => 0.5),
            forced: tokenIds.map((_, at) => at % 2 === 0),
            finishReason: 'completed' as const,
          };
        }),
      ),
    fingerprint: async () => sha256('no weights'),
  },
});
const executor = executorService({
  schemaFor,
  prompts,
  executor: {
    identity: { model: 'none', revision: '1', decoding: '{}' },
    answer: async (prompts) =>
      prompts.map((prompt) =>
        drawOf(prompt, 17) === 0
          ? { status: 'failed', code: 'SESSION_FAILED', reason: 'this one never answers', retryable: true }
          : {
              status: 'answered',
              text: `Answer: ${drawOf(prompt, 3) === 0 ? 4 : 5}`,
              finished: true,
              promptTokens: 9,
              responseTokens: 2,
            },
      ),
  },
});
const buffer = bufferService({ schemaFor });

/** No adapter is ever better than the base model, so that what is generated does not depend on when a run ends. */
class Discouraging extends AdapterEvaluation {
  override readonly problemSet = 'none';
  override readonly problemSetDigest = sha256('none');
  override under = (): Promise<this> => Promise.resolve(this);

  sizes(): Record<string, number> {
    return { none: 20 };
  }
  digestOf(): string {
    return sha256('none');
  }
  async measure(adapter: object | null) {
    return Array.from({ length: 20 }, () => ({ domain: 'none', solved: adapter === null }));
  }
}
const trainerAssets = {
  schemaFor,
  // Long enough for what may happen in the middle of a run.
  engine: new FakeEngine(() => new Promise((resolve) => setTimeout(resolve, 300))),
  evaluation: new Discouraging(),
};
const trainer = trainerService(trainerAssets);

// What dies here is killed by the plan, not by a record: nothing is given up for it.
const common = { logging: { level: 'silent' }, consuming: { maxDeaths: 1_000_000, maxAttempts: 2 } };
const starters = {
  generator: (process: SimulatedProcess) =>
    startService(generator, {
      ...surroundingsOf(process),
      config: generatorConfigSchema.parse({ ...common, generator: { groupSize: 4, maxBatchRecords: 3 } }),
    }),
  executor: (process: SimulatedProcess) =>
    startService(executor, {
      ...surroundingsOf(process),
      config: executorConfigSchema.parse({ ...common, executor: { maxBatchRecords: 5 } }),
    }),
  buffer: (process: SimulatedProcess, { shards, maxAgeRecords }: Simulation) =>
    startService(buffer, {
      ...surroundingsOf(process),
      config: bufferServiceConfigSchema.parse({
        ...common,
        buffer: { shards, rules: { maxAgeRecords }, commitEveryProblems: 4, maxBatchRecords: 7, formats: ['jsonl'] },
      }),
    }),
  trainer: (process: SimulatedProcess) => startService(trainer, { ...surroundingsOf(process), config: trainerConfig }),
};
const trainerConfig = trainerConfigSchema.parse({
  ...common,
  trainer: {
    // Without releases; test/resilience/releases-killed.spec.ts has them.
    roles: ['planner', 'worker'],
    trainEveryProblems: 4,
    algorithm: 'grpo',
    checkpointEverySteps: 2,
    maxBatchRecords: 9,
    algorithms: { grpo: { batchSize: 4, duration: { unit: 'steps', steps: 6 } } },
  },
});
const surroundingsOf = ({ log, objects }: SimulatedProcess) =>
  ({ drivers: { log, objects }, serveHttp: false, isOwnProcess: true }) as const;

/** 1 January 2026. */
const START_MS = 1_767_225_600_000;
const PROBLEMS = 24;
const problems: readonly NewRecord[] = Array.from({ length: PROBLEMS }, (_, index) => {
  const problemId = `problem-${index}`;
  if (index % 8 === 5) return { topic: TOPIC.problems, key: problemId, value: bytesOfNoise(index) };
  return encodeEvent({
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task: null,
    meta: originMeta({
      messageId: derivedId(problemId, 'problem'),
      correlationId: problemId,
      source: 'test/simulation',
      occurredAt: START_MS,
      sourceClass: 'trusted',
    }),
    problem: {
      problemId,
      domain: DOMAINS[index % DOMAINS.length]!,
      prompt: `Statement ${sha256(problemId).slice(0, 12)} of problem ${index}`,
      reference: '4',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    mode: 'explore',
    expiresAt: index % 8 === 3 ? 1 : null, // long ago
  });
});

function bytesOfNoise(seed: number): Uint8Array {
  return Uint8Array.from({ length: 20 }, (_, at) => (seed * 31 + at * 7) % 256);
}

// --- the run ------------------------------------------------------------------------------------------------------------

const CALM: Weather = { lostCalls: 0, lostAnswers: 0, latencyMs: 3 };
/** So long things happen; then nothing happens any more but work. */
const STORM_MS = 60_000;
/** The longest wait for the end of the work, in virtual time. */
const PATIENCE_MS = 1_800_000;

export interface SimulatedRun extends RecordedRun {
  /** SHA-256 over everything that happened, and everything in the log. */
  readonly trace: string;
  /** Processes that ended by themselves, and why. */
  readonly ended: readonly string[];
  /** Commits that were refused because the claim was another's by then. */
  readonly fenced: number;
  /** Sequences of the versions by shard, in the order of the log. */
  readonly versions: Readonly<Record<number, readonly number[]>>;
  /** Versions of the buffer that do not hold what their offsets say. */
  readonly wrongVersions: readonly number[];
  /** Successes that were admitted last and are not in the newest versions, or the other way round. */
  readonly saidOtherwise: readonly string[];
  /** Runs of the trainer whose window does not follow on the one before, or that began or ended more or less than once. */
  readonly wrongRuns: readonly string[];
  readonly windows: number;
  /** Adapters that come out otherwise when their run is done again from the log. */
  readonly wrongAdapters: readonly string[];
  /** Records that are no events, and the dead letters of topics of work. */
  readonly unreadable: number;
}

export interface Simulation {
  /** Decides everything. */
  readonly seed: string;
  /** Whether anything is to go wrong. */
  readonly stormy: boolean;
  /** That the buffer is divided into. */
  readonly shards: number;
  /** Of the buffer's rules; 0: nothing ages. */
  readonly maxAgeRecords: number;
}

export async function simulate(simulation: Simulation): Promise<SimulatedRun> {
  const { seed, stormy, shards } = simulation;
  const time = new VirtualTime(START_MS);
  const storage = new InMemoryLogStorage();
  const objects: InMemoryObjects = new Map();
  const lines: string[] = [];
  const trace = (line: string): void => void lines.push(`${time.now - START_MS} ${line}`);
  const world: Surroundings = { time, storage, objects, weather: CALM, trace, fenced: 0 };
  const newProcess = (name: string): SimulatedProcess => new SimulatedProcess(name, Random.of(seed, name), world);
  const log = new InMemoryEventLog({ storage, clock: { now: () => time.now } });
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));

  const random = Random.of(seed, 'storm');
  const ended: string[] = [];
  let isOver = false;
  let published = false;
  const places = Object.entries(starters).flatMap(([name, start]) =>
    [0, 1].map((instance) => new Place(`${name}-${instance}`, (process) => start(process, simulation), newProcess)),
  );
  const publish = async (): Promise<void> => {
    const client = newProcess('client');
    for (let at = 0; at < problems.length; ) {
      try {
        await client.log.append(problems.slice(at, at + 4));
        at += 4;
      } catch {
        // It cannot know whether they are there: it publishes them again.
      }
      await time.sleep(stormy ? random.int(8_000) : 10);
    }
    published = true;
  };
  const storm = async (): Promise<void> => {
    while (time.now < START_MS + STORM_MS) {
      world.weather = {
        lostCalls: random.float() * 0.1,
        lostAnswers: random.float() * 0.1,
        latencyMs: [2, 20, 400][random.int(3)]!,
      };
      await time.sleep(random.int(4_000));
      const place = places[random.int(places.length)]!;
      const what = random.float();
      if (what < 0.5) place.kill();
      else if (what < 0.7) void place.process?.freeze(1_000 + random.int(40_000));
      else if (what < 0.9) void place.service?.close();
    }
    world.weather = CALM;
  };
  const groups = {
    'seam.generator': TOPIC.problems,
    'seam.executor': TOPIC.experiences,
    ...Object.fromEntries(shardsOf(shards).map((shard) => [groupOf(shard), TOPIC.outcomes])),
    'seam.trainer': TOPIC.outcomes,
  };
  const isWorkedOff = (): boolean =>
    published &&
    time.now > START_MS + (stormy ? STORM_MS : 0) &&
    Object.entries(groups).every(([group, topic]) =>
      storage.topics
        .get(topic)!
        .every(
          ({ length }, partition) =>
            (storage.groups.get(group)?.offsets.get(`${topic}/${partition}`)?.nextOffset ?? 0) === length,
        ),
    ) &&
    haveRunsEnded(storage);

  time.install();
  try {
    const keeping = places.map((place) => place.keep({ isOver: () => isOver, sleep: (ms) => time.sleep(ms), ended }));
    void publish();
    if (stormy) void storm();
    if (!(await time.runUntil(isWorkedOff, START_MS + PATIENCE_MS))) ended.push('not everything is worked off');
    isOver = true;
    for (const place of places) void place.service?.close();
    if (!(await time.runWhile(Promise.all(keeping), time.now + PATIENCE_MS)))
      ended.push('some process does not stop when it is asked to');
    const adapters = wrongAdapters(log, objects);
    await time.runWhile(adapters, time.now + PATIENCE_MS);
    return {
      ...(await recordedRun(log)),
      trace: sha256(canonicalJson([lines, await contentOf(log)])),
      ended,
      ...(await checkVersions(log, objects)),
      fenced: world.fenced,
      ...(await checkRuns(log)),
      wrongAdapters: await adapters,
      unreadable: storage.topics
        .get(TOPIC.problems)!
        .flat()
        .filter((record) => readable(record) === undefined).length,
    };
  } finally {
    time.uninstall();
  }
}

/** Whether every planned run has its end. */
function haveRunsEnded({ topics }: InMemoryLogStorage): boolean {
  const events = [TOPIC.training, TOPIC.adapters].flatMap((topic) =>
    topics
      .get(topic)!
      .flat()
      .flatMap((record) => readable(record) ?? []),
  );
  const ended = new Set(ofType(events, ...RUN_ENDS).map(({ runId }) => runId));
  return ofType(events, 'TrainingRunPlanned').every(({ runId }) => ended.has(runId));
}

const RUN_ENDS = ['AdapterPromoted', 'TrainingRunRejected', 'TrainingRunFailed'] as const;

interface RunWindow {
  readonly index: number;
  readonly outcomes: readonly { readonly partition: number; readonly to: number }[];
}

async function contentOf(log: InMemoryEventLog): Promise<string[]> {
  const digests: string[] = [];
  for (const { name, partitions } of await log.topics())
    for (let partition = 0; partition < partitions; partition++)
      for await (const records of log.read({ topic: name, partition, from: 0 }))
        for (const { key, value, headers, timestampMs } of records)
          digests.push(sha256(canonicalJson([name, partition, key, headers, timestampMs, [...(value ?? [])]])));
  return digests;
}

/** Each version again, from the outcomes alone; and the decision on each success next to what the newest versions hold. */
async function checkVersions(
  log: InMemoryEventLog,
  stored: InMemoryObjects,
): Promise<Pick<SimulatedRun, 'versions' | 'wrongVersions' | 'saidOtherwise'>> {
  const objects = new InMemoryObjectStore(stored);
  const events = await allEventsOf(log, [TOPIC.buffer]);
  const wrongVersions: number[] = [];
  const versions: Record<number, number[]> = {};
  const kept = new Map<number, readonly string[]>();
  for (const { sequence, bufferDigest, inputs, shard, shards, manifestKey } of ofType(events, 'BufferCommitted')) {
    const manifest = decodeManifest(await objects.get(manifestKey));
    const rows = await readVersion(manifest, (key) => objects.get(key));
    const own = (versions[shard] ??= []);
    own.push(sequence);
    let state = initialState(bufferConfigSchema.parse(manifest.config), { index: shard, of: shards });
    for (const { topic, partition, from, to } of inputs)
      for await (const records of log.read({ topic, partition, from, to }))
        for (const record of records) {
          const event = decodeEvent(record);
          if (event.type === 'OutcomeRecorded' || event.type === 'ExecutionFailed')
            state = evolve(state, event, record);
        }
    const again = commit(state, { validateEntry: () => undefined });
    if (sequence !== own.length || again.bufferDigest !== bufferDigest || rowsDigest(rows) !== bufferDigest)
      wrongVersions.push(sequence);
    kept.set(
      shard,
      again.rows.map(({ outcomeId }) => outcomeId),
    );
  }
  const said = new Map<string, boolean>();
  for (const { type, outcomeId } of ofType(events, 'SuccessAdmitted', 'SuccessRejected'))
    said.set(outcomeId, type === 'SuccessAdmitted');
  const held = new Set([...kept.values()].flat());
  const saidOtherwise = [...new Set([...said.keys(), ...held])].filter(
    (id) => (said.get(id) ?? false) !== held.has(id),
  );
  return { versions, wrongVersions, saidOtherwise };
}

/** Windows are 1, 2, 3, … in some order of the log's partitions, none ends before the one before it, each run starts and ends once. */
async function checkRuns(log: InMemoryEventLog): Promise<Pick<SimulatedRun, 'wrongRuns' | 'windows'>> {
  const events = await allEventsOf(log, [TOPIC.training, TOPIC.adapters]);
  const windows = ofType(events, 'TrainingRunStarted')
    .map(({ runId, configuration }) => ({ runId, ...(JSON.parse(configuration) as { window: RunWindow }).window }))
    .sort((a, b) => a.index - b.index);
  const ends = ofType(events, ...RUN_ENDS);
  const reached = new Map<number, number>();
  const wrongRuns = windows.flatMap(({ runId, index, outcomes }, at) => {
    const goesBack = outcomes.some(({ partition, to }) => to < (reached.get(partition) ?? 0));
    for (const { partition, to } of outcomes) reached.set(partition, to);
    const endings = ends.filter((end) => end.runId === runId).map(({ type }) => type);
    const isRight = index === at + 1 && !goesBack && endings.join() === 'TrainingRunRejected';
    return isRight
      ? []
      : [`window ${index} of run ${runId}: ${goesBack ? 'goes back, ' : ''}ended by ${endings.join()}`];
  });
  return { wrongRuns, windows: windows.length };
}

async function wrongAdapters(log: InMemoryEventLog, stored: InMemoryObjects): Promise<string[]> {
  const objects = new InMemoryObjectStore(stored);
  const logger = createServiceLogger('test', 'silent');
  const { onDemand } = await createTrainer(
    { config: trainerConfig, drivers: { log, objects }, logger, onClose: () => undefined },
    trainerAssets,
  );
  const wrong: string[] = [];
  for (const { adapterDigest } of ofType(await allEventsOf(log, [TOPIC.adapters]), 'AdapterPublished'))
    if (!(await onDemand.verify(adapterDigest, new AbortController().signal)).matches) wrong.push(adapterDigest);
  return wrong;
}
