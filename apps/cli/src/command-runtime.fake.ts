/** A world in memory for specs: the command line runs in it as it runs in a process. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesInMemory } from '@seamstream/datasets';
import { type ExecutorModel, PromptInjection } from '@seamstream/environments';
import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import { type Problem, TOPICS } from '@seamstream/events';
import { type EntrySchemas, entrySchemas } from '@seamstream/experience';
import { ManualClock, SeamError } from '@seamstream/kernel';
import { presetNamed } from '@seamstream/learning';
import { InMemoryObjectStore, type ObjectStore } from '@seamstream/object-store';
import type { BaseModel } from '@seamstream/operations/adapters';
import { showLogAddress } from '@seamstream/operations/copy';
import type { TrainedModel } from '@seamstream/operations/cost';
import type { LearnerModel, Models, OutputOptions } from '@seamstream/operations/evaluate';
import type { KeptLog } from '@seamstream/operations/read-models';
import type { GeneratorModel } from '@seamstream/rollout';
import type { SchemaRegistry } from '@seamstream/schema-registry';
import type { EditWriter, TextSimilarity } from '@seamstream/self-edits';
import type { Setting } from '@seamstream/service-kit';
import { type SigningKey, TRUST_ALL, type Trust } from '@seamstream/signatures';
import type { StartOptions } from '@seamstream/standalone';
import { builtInVerifiers, type Verifiers } from '@seamstream/verifiers';
import { type CommandRuntime, outputTaken, type Shell, STANDARD_STREAM } from './command-runtime.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { runSeam } from './main.js';
import { NO_PROGRESS } from './terminal/progress.js';
import { PLAIN_STYLE } from './terminal/style.js';
import { jsonLine } from './terminal/terminal.js';
import { fakeTrainer } from './train/trainer-client.fake.js';

/** The executor's model itself, which specs exchange; commands get it in an environment. */
type FakeModels = Omit<Models, 'environment'> & { readonly executor: ExecutorModel };

export interface FakeWorld {
  /** Runs `seam` with these arguments, as a process would. */
  seam(...args: string[]): Promise<ExitCode>;
  readonly log: EventLog;
  /** Other logs by their address, as the command line shows it. */
  readonly otherLogs: Map<string, EventLog>;
  /** Of every "seam start", which ends here without having converged. */
  readonly starts: readonly StartOptions[];
  readonly objects: ObjectStore;
  readonly clock: ManualClock;
  /** Files by path; "-" is standard input. */
  readonly files: Map<string, Uint8Array>;
  /** What was written to stdout since the last call. */
  takeOutput(): string;
  /** What was written to stderr since the last call. */
  takeErrors(): string;
  /** The JSON values on stdout since the last call, one per line. */
  takeJson(): unknown[];
  /** As Ctrl-C. */
  interrupt(): void;
  /** What commands find as the generators' base model; none until it is set. */
  baseModel: BaseModel | undefined;
  /** Base models of a team's agents, by folder. */
  readonly baseModels: Map<string, BaseModel>;
  /** What is trained by studies; none until it is set. */
  learner: LearnerModel | undefined;
  /** The model of writers, to be trained; none until it is set. */
  trainedWriter: TrainedModel | undefined;
  /** What judges answers; without a model that judges until it is set. */
  verifiers: Verifiers;
  /** Models in folders that a team names, by folder. */
  readonly checkpoints: Map<string, GeneratorModel>;
  /** Who writes self-edits; none until it is set. */
  editWriter: EditWriter | undefined;
  /** Who compares meanings; none until it is set. */
  similarity: TextSimilarity | undefined;
  /** Of the disk: a cache lies in it. */
  dataFolder: string;
  /** What evaluations ask: at first a model whose entry solves what equals 1. */
  models: FakeModels;
  /** Where snapshots of read models are kept; nowhere until it is set. */
  snapshots: KeptLog['snapshots'];
  /** What `seam config` finds. */
  settings: readonly Setting[];
  /** Signs what is published; none until it is set. */
  key: SigningKey | null;
  /** Whose signatures are believed. */
  trust: Trust;
  /** Folders with experts, by path. */
  readonly catalogues: Map<string, ObjectStore>;
  /** What generator and executor are asked by, by file. */
  templates: ReadonlyMap<string, string>;
  /** Whether the object store's bucket is there. */
  hasBucket: boolean;
  /** The schema registry, for topics with the prefix `x.`; none until it is set. */
  registry: SchemaRegistry | undefined;
}

/** A generator that always writes the same valid entry, and an executor that answers with its prompt's last number. */
const models: FakeModels = {
  generator: {
    digest: 'b'.repeat(64),
    config: { maxPositions: 10_000 },
    tokenizer: {
      digest: 't'.repeat(64),
      encode: (text) => [...Buffer.from(text)],
      decode: (ids) => Buffer.from(ids).toString(),
    },
    generate: (requests) =>
      Promise.resolve(
        requests.map(({ seeds }) =>
          seeds.map(() => {
            const tokenIds = [...Buffer.from('{"concepts":["sums"],"strategy":["add 1"],"pitfalls":[]}')];
            const each = (value: number): number[] => tokenIds.map(() => value);
            return {
              tokenIds,
              logProbs: each(0),
              legalMass: each(1),
              forced: tokenIds.map(() => false),
              finishReason: 'completed',
            };
          }),
        ),
      ),
  },
  executor: {
    identity: { model: 'fake', revision: 'r', decoding: '{}' },
    answer: (prompts) =>
      Promise.resolve(
        prompts.map((prompt) => {
          const text = `#### ${prompt.includes('add 1') ? '1' : '0'}`;
          return { status: 'answered', text, finished: true, promptTokens: 1, responseTokens: 1 };
        }),
      ),
    // Draws 1 with every seed but the first: of four answers three are 1.
    sample: (requests) =>
      Promise.resolve(
        requests.map(({ seeds }) =>
          seeds.map((seed) => {
            const text = `#### ${seed.endsWith('/0') ? '0' : '1'}`;
            return { status: 'answered', text, finished: true, promptTokens: 1, responseTokens: 1 };
          }),
        ),
      ),
  },
  prompts: {
    executorSystem: null,
    judged: (response) => response,
    executorTemplate: 'fake',
    generatorTemplate: 'fake',
    fixedHint: 'think',
    generator: (problem) => problem,
    executor: (problem, entry) => (entry === null ? problem : `${problem}\n${entry}`),
    wrapperOnly: (problem) => problem,
  },
  maxEntryTokens: 64,
  maxResponseTokens: 32,
};

/** Solved by the fake generator's entry when n is 1. */
const worldProblem = (set: string, n: number): Problem => ({
  problemId: `${set}-${n}`,
  domain: 'world',
  prompt: `Question ${n}?`,
  reference: String(n),
  verifier: { kind: 'numeric', version: '1', options: {} },
  metadata: {},
});

function present<T>(value: T | undefined, what: string): Promise<T> {
  if (value !== undefined) return Promise.resolve(value);
  return Promise.reject(new SeamError('CHECKPOINT_INVALID', `Cannot open ${what}: this world has none.`));
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value);
}

/** Starts with the topics and nothing in them, at noon of 31 January 2030. @param schemaFor of entries; by default the general one */
export async function fakeWorld(schemaFor: EntrySchemas = entrySchemas()): Promise<FakeWorld> {
  const clock = new ManualClock(Date.UTC(2030, 0, 31, 12));
  const log = new InMemoryEventLog({ clock });
  await log.createTopics(TOPICS);
  const otherLogs = new Map<string, EventLog>();
  const starts: StartOptions[] = [];
  const objects = new InMemoryObjectStore();
  const files = new Map<string, Uint8Array>();
  let controller = new AbortController();
  let output = '';
  let errors = '';
  const takeOutput = (): string => {
    const taken = output;
    output = '';
    return taken;
  };
  const readInput = (path: string): Promise<Uint8Array> => {
    const found = files.get(path);
    if (found !== undefined) return Promise.resolve(found);
    return Promise.reject(new SeamError('NOT_FOUND', `Cannot read ${path}: there is no such file.`));
  };
  const checkOutput = (path: string, options?: OutputOptions): Promise<void> =>
    path !== STANDARD_STREAM && files.has(path) && options?.replace !== true
      ? Promise.reject(outputTaken(path))
      : Promise.resolve();
  const runtime = (json: boolean): CommandRuntime => ({
    clock,
    signal: controller.signal,
    terminal: {
      json,
      style: PLAIN_STYLE,
      rows: undefined,
      print: (text) => shell.write(text),
      printJson: (value) => shell.write(jsonLine(value)),
      remark: (text) => shell.writeError(`${text}\n`),
      progress: () => NO_PROGRESS,
      drained: () => Promise.resolve(),
    },
    readInput,
    openInput: async (path) => bytesInMemory(await readInput(path)),
    checkOutput,
    async writeOutput(path, body, options) {
      await checkOutput(path, options);
      if (path === STANDARD_STREAM) shell.write(Buffer.from(body).toString());
      else files.set(path, body);
    },
    async growOutput(path, options = {}) {
      await checkOutput(path, options);
      const partPath = `${path}.${options.work ?? 'work'}.part`;
      const left = Buffer.from(files.get(partPath) ?? [])
        .toString()
        .split('\n')
        .slice(0, -1);
      const kept = (await options.keep?.(each(left))) ?? 0;
      let lines = left
        .slice(0, kept)
        .map((line) => `${line}\n`)
        .join('');
      return {
        kept,
        partPath,
        append(more) {
          lines += more;
          files.set(partPath, Buffer.from(lines));
          return Promise.resolve();
        },
        finish(whole) {
          files.set(path, whole ?? Buffer.from(lines));
          files.delete(partPath);
          return Promise.resolve();
        },
        close: () => Promise.resolve(),
      };
    },
    isPresent: (path) => Promise.resolve(files.has(path)),
    makeFolder: () => Promise.resolve(),
    openLog: () => Promise.resolve(log),
    openKeptLog: (options) => Promise.resolve({ log, snapshots: world.snapshots, ...options }),
    openUnsignedLog: () => Promise.resolve(log),
    signing: () => Promise.resolve({ key: world.key, trust: world.trust }),
    openLogAt(address, mode) {
      const name = showLogAddress(address);
      const found = otherLogs.get(name);
      if (found === undefined && mode === 'read')
        return Promise.reject(new SeamError('NOT_FOUND', `Cannot open ${name}: there is no such log.`));
      const opened = found ?? new InMemoryEventLog({ clock });
      otherLogs.set(name, opened);
      return Promise.resolve(opened);
    },
    openAcls: () =>
      Promise.reject(new SeamError('INVALID_CONFIGURATION', 'Cannot open rights: this world has no Kafka cluster.')),
    openTopics: () =>
      Promise.reject(new SeamError('INVALID_CONFIGURATION', 'Cannot open topics: this world has no Kafka cluster.')),
    openObjects: () => Promise.resolve(objects),
    openCatalogue: (folder) => {
      const opened = world.catalogues.get(folder) ?? new InMemoryObjectStore();
      world.catalogues.set(folder, opened);
      files.set(folder, new Uint8Array());
      return Promise.resolve(opened);
    },
    openBucket: () =>
      Promise.resolve({
        name: 'lessons',
        exists: () => Promise.resolve(world.hasBucket),
        make() {
          world.hasBucket = true;
          return Promise.resolve();
        },
      }),
    openSchemaRegistry: () =>
      Promise.resolve(world.registry === undefined ? undefined : { registry: world.registry, topicPrefix: 'x.' }),
    worldProblems: (set) => Promise.resolve([1, 2, 3].map((n) => worldProblem(set, n))),
    algorithmSettings: (algorithm, preset) =>
      Promise.resolve(
        preset === undefined
          ? algorithm === 'grpo'
            ? { clip: { high: 0.3 } }
            : {}
          : (presetNamed(preset).algorithms[algorithm] ?? {}),
      ),
    openTrainer: () => Promise.resolve(fakeTrainer),
    openModels: () => {
      const { executor, ...others } = world.models;
      return Promise.resolve({ ...others, environment: new PromptInjection(executor, others.prompts) });
    },
    openLearner: () =>
      world.learner === undefined
        ? Promise.reject(new SeamError('CHECKPOINT_INVALID', 'Cannot open the executor: this world has none to train.'))
        : Promise.resolve(world.learner),
    openTrainedWriter: () => present(world.trainedWriter, 'the writer to be trained'),
    editSampling: () => Promise.resolve({ temperature: 1, topP: 1, maxTokens: 16 }),
    openVerifiers: () => Promise.resolve(world.verifiers),
    openCheckpoint: (folder, name) => present(world.checkpoints.get(folder), name),
    openBaseModel: (named) =>
      named === undefined
        ? present(world.baseModel, 'the base model')
        : present(world.baseModels.get(named.folder), named.name),
    openEditWriter: () => present(world.editWriter, 'the writer of edits'),
    openSimilarity: () => present(world.similarity, 'a server of embeddings'),
    person: () => Promise.resolve('user-of-this-machine'),
    dataFolder: () => Promise.resolve(world.dataFolder),
    toldStart: async () => (await import('@seamstream/standalone')).toldStart(world.dataFolder),
    entrySchemas: () => Promise.resolve(schemaFor),
    promptTemplates: () => Promise.resolve(world.templates),
    settings: () => Promise.resolve(world.settings),
  });
  const shell: Shell = {
    write(text) {
      output += text;
    },
    writeError(text) {
      errors += text;
    },
    withRuntime: (options, action) => action(runtime(options.json ?? false)),
    async start(options) {
      starts.push(options);
      return EXIT.notConverged;
    },
  };
  const world: FakeWorld = {
    baseModel: undefined,
    learner: undefined,
    trainedWriter: undefined,
    verifiers: builtInVerifiers,
    baseModels: new Map(),
    checkpoints: new Map(),
    editWriter: undefined,
    similarity: undefined,
    dataFolder: join(tmpdir(), 'data'),
    models,
    snapshots: null,
    settings: [],
    key: null,
    trust: TRUST_ALL,
    hasBucket: false,
    catalogues: new Map(),
    templates: new Map([['generator.txt', 'Problem: {problem}']]),
    registry: undefined,
    seam(...args) {
      controller = new AbortController();
      return runSeam(args, shell);
    },
    log,
    starts,
    otherLogs,
    objects,
    clock,
    files,
    takeOutput,
    takeErrors() {
      const taken = errors;
      errors = '';
      return taken;
    },
    takeJson: () =>
      takeOutput()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown),
    interrupt: () =>
      controller.abort(new SeamError('ABORTED', 'Cannot finish: expected to run to the end, got a request to stop.')),
  };
  return world;
}
