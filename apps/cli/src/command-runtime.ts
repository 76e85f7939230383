/** What a command may touch of the world. A spec hands in fakes; `main.ts` hands in the process. */

import type { FileBytes } from '@seamstream/datasets';
import type { EventLog } from '@seamstream/event-log';
import type { KafkaEventLog } from '@seamstream/event-log-kafka';
import type { Problem } from '@seamstream/events';
import type { EntrySchemas } from '@seamstream/experience';
import { type Clock, SeamError } from '@seamstream/kernel';
import type { Settings } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import type { BaseModel } from '@seamstream/operations/adapters';
import type { SchemasWorld } from '@seamstream/operations/cluster';
import type { LogAddress } from '@seamstream/operations/copy';
import type { TrainedModel } from '@seamstream/operations/cost';
import type { EditsWorld } from '@seamstream/operations/edits';
import type {
  GrowingOutput,
  GrowOptions,
  LearnerModel,
  Models,
  OutputOptions,
  TeamWorld,
  WorldSet,
} from '@seamstream/operations/evaluate';
import type { KeptLog } from '@seamstream/operations/read-models';
import type { TrainerClient } from '@seamstream/operations/train';
import type { EditSampling } from '@seamstream/self-edits';
import type { LogMode, Setting, Signing } from '@seamstream/service-kit';
import type { StartOptions, ToldStart } from '@seamstream/standalone';
import type { Verifiers } from '@seamstream/verifiers';
import type { ExitCode } from './exit-codes.js';
import type { Terminal } from './terminal/terminal.js';

/** Of commands that answer from read models. */
export interface ReadModelOptions {
  /** Uses no snapshot, and writes a new one. */
  readonly fromScratch?: boolean | undefined;
  /** Answers from the log as it was then, as ISO 8601. Nothing is kept of that. */
  readonly asOf?: string | undefined;
}

/** Standard input or output, where a command takes a file. */
export const STANDARD_STREAM = '-';

/** What a command says that would have to replace a file. */
export function outputTaken(path: string): SeamError {
  return new SeamError(
    'CONFLICT',
    `Cannot write ${path}: expected no file of that name, got one. Choose another name, or replace it (--force).`,
    { details: { file: path } },
  );
}

/** A bucket of an object store. */
export interface BucketDoor {
  readonly name: string;
  exists(): Promise<boolean>;
  make(): Promise<void>;
}

export interface CommandRuntime {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Aborts on Ctrl-C: work stops at the next safe place. */
  readonly signal: AbortSignal;
  /** Reads a whole file, or standard input for "-". */
  readInput(path: string): Promise<Uint8Array>;
  /** Opens a file to be read in pieces, or takes all of standard input for "-". Closed by the runtime. */
  openInput(path: string): Promise<FileBytes>;
  /** Whether there is a file or a folder of this name. */
  isPresent(path: string): Promise<boolean>;
  /**
   * For who works long before there is something to write.
   * @throws CONFLICT for a file that is there and shall not be replaced; INVALID_INPUT for what is no plain file, for an input of this command,
   * and for a folder that is not there or cannot be written
   */
  checkOutput(path: string, options?: OutputOptions): Promise<void>;
  /**
   * Writes a file whole or not at all, or to standard output for "-". Only its owner reads a new one.
   * @throws as {@link checkOutput}
   */
  writeOutput(path: string, body: Uint8Array, options?: OutputOptions): Promise<void>;
  /**
   * Begins a file that grows line by line during a long work; a stop leaves what was appended. Closed by the runtime.
   * @throws as {@link checkOutput}
   */
  growOutput(path: string, options?: GrowOptions): Promise<GrowingOutput>;
  /** Makes a folder and those that it lies in; one that exists stays as it is. */
  makeFolder(path: string): Promise<void>;
  /**
   * Opens the log. `create` makes an empty one where there is none, otherwise that is NOT_FOUND; `read` makes nothing, neither
   * topics nor schemas. Closed by the runtime.
   */
  openLog(mode: LogMode): Promise<EventLog>;
  /** The log to read, with the place of its read models' snapshots. */
  openKeptLog(options?: ReadModelOptions): Promise<KeptLog>;
  /** The configured log with every record that is in it, believed or not: for who looks into it. */
  openUnsignedLog(mode: LogMode): Promise<EventLog>;
  /** The keys that the configuration names. */
  signing(): Promise<Signing>;
  /** Opens another log than the configured one; of its topics none are made. Closed by the runtime. */
  openLogAt(address: LogAddress, mode: 'read' | 'create'): Promise<EventLog>;
  /** The topics of the configured Kafka cluster, whichever driver the log has. Closed by the runtime. */
  openTopics(): Promise<KafkaEventLog>;
  /** The rights on the configured Kafka cluster, whichever driver the log has. Closed by the runtime. */
  openAcls(): Promise<KafkaEventLog>;
  openObjects(): Promise<ObjectStore>;
  /** A folder as a separate object store; made where it is missing. Closed by the runtime. */
  openCatalogue(folder: string): Promise<ObjectStore>;
  /** The bucket of the object store, which need not exist. Closed by the runtime. */
  openBucket(): Promise<BucketDoor>;
  /** The configured schema registry; undefined where there is none. */
  openSchemaRegistry(): ReturnType<SchemasWorld['openSchemaRegistry']>;
  /** The models of generator and executor, as their services would load them. Closed by the runtime. */
  openModels(): Promise<Models>;
  /** The executor's model, which can be trained, and how it is asked. Closed by the runtime. */
  openLearner(): Promise<LearnerModel>;
  /** The generator's model, which can be trained. Closed by the runtime. */
  openTrainedWriter(): Promise<TrainedModel>;
  /** How the generator's service draws edits. */
  editSampling(): Promise<EditSampling>;
  /** The model in a folder. Closed by the runtime. */
  openCheckpoint: TeamWorld['openCheckpoint'];
  /** What judges answers, with the model that judges as the executor's service has it. Closed by the runtime. */
  openVerifiers(): Promise<Verifiers>;
  /** The base model that generators serve adapters of. What is compiled of it is closed by the runtime. */
  openBaseModel(named?: { readonly folder: string; readonly name: string }): Promise<BaseModel>;
  /** Who writes self-edits. Closed by the runtime. */
  openEditWriter: EditsWorld['openEditWriter'];
  /** Who compares meanings. Closed by the runtime. */
  openSimilarity: EditsWorld['openSimilarity'];
  /** Who acts where a command does not say: SEAM_PERSON, else the user of this machine. */
  person(): Promise<string>;
  /** Where the data of this installation is. */
  dataFolder(): Promise<string>;
  /** What the run in the data folder was begun with; null without one, and where the log is not in that folder. */
  toldStart(): Promise<ToldStart>;
  /** A set of problems of the demonstration that the data folder was begun with. INVALID_INPUT for one that it does not have. */
  worldProblems(set: WorldSet): Promise<readonly Problem[]>;
  /** The trainer on this log and these objects. Closed by the runtime. */
  openTrainer(): Promise<TrainerClient>;
  /**
   * What the configuration says about an algorithm of learning, over the settings of a preset: the configured one unless named.
   * INVALID_CONFIGURATION for an unknown preset.
   */
  algorithmSettings(algorithm: string, preset?: string): Promise<Settings>;
  /** Every setting of the services and its source, secrets hidden. INVALID_CONFIGURATION for an unknown one. */
  settings(): Promise<readonly Setting[]>;
  /** The schema that the entries of each domain are written under. */
  entrySchemas(): Promise<EntrySchemas>;
  /** The texts of the templates that generator and executor use, and of a file of entry schemas, by file. */
  promptTemplates(): Promise<ReadonlyMap<string, string>>;
}

/** Runs a command's action with the process as its runtime and keeps its exit code. */
export type RunCommand = (action: (runtime: CommandRuntime) => Promise<ExitCode>) => Promise<void>;

/** Options that every command has. */
export interface GlobalOptions {
  readonly dataDir?: string;
  readonly json?: boolean;
}

/** Around a whole command line: where help and errors go, and who makes the runtime of an action. */
export interface Shell {
  /** Cells of a line of the terminal; undefined where there is none. */
  readonly columns?: number | undefined;
  write(text: string): void;
  writeError(text: string): void;
  /** Opens the world for an action and closes what the action opened, also when it throws. */
  withRuntime(options: GlobalOptions, action: (runtime: CommandRuntime) => Promise<ExitCode>): Promise<ExitCode>;
  /** Runs the whole loop in this process, to its end. */
  start(options: StartOptions): Promise<ExitCode>;
}
