/** What operations that ask models need of the world, and the observer of their progress. */
import type { Environment } from '@seamstream/environments';
import type { EntrySchemas, Prompts } from '@seamstream/experience';
import type { GeneratorModel } from '@seamstream/rollout';
import type { AdapterWorld } from '../adapters/adapter-world.js';
import type { ReadingOptions } from '../read-models/kept-log.js';
import type { ProblemSources } from './evaluation-problems.js';
import type { JudgingWorld } from './judging.js';

/** What an evaluation asks. */
export interface Models {
  readonly generator: GeneratorModel;
  /** How an entry acts on a problem, over the executor's model. */
  readonly environment: Environment;
  readonly prompts: Prompts;
  /** Most tokens of an entry. */
  readonly maxEntryTokens: number;
  /** Most tokens of the executor's response. */
  readonly maxResponseTokens: number;
}

export interface OutputOptions {
  /** Whether a plain file that is there may be replaced; by default it may not. It keeps its permissions. */
  readonly replace?: boolean | undefined;
}

export interface GrowOptions extends OutputOptions {
  /** Names work that gives the same lines whenever it is done: a part of it that was left is continued. By default none is. */
  readonly work?: string;
  /** How many lines from the start of such a part hold; none by default. They are read one after the other, as many as are asked for. */
  readonly keep?: (lines: AsyncIterable<string>) => Promise<number>;
}

/** A file on its way: what was appended is on the disk, under another name until all is there. */
export interface GrowingOutput {
  /** Lines that an earlier run left, and that hold. */
  readonly kept: number;
  /** Where the lines are until then; null where they go out as they come. */
  readonly partPath: string | null;
  /** @param lines each with its line break. @throws CONFLICT where another process writes the same part */
  append(lines: string): Promise<void>;
  /** Gives the file its name. @param whole what it is to hold instead of the lines as they came; ignored where these are gone already */
  finish(whole?: Uint8Array): Promise<void>;
  /** Leaves a part that is not finished where it is, unless nothing is in it. */
  close(): Promise<void>;
}

export interface AskingWorld
  extends ProblemSources,
    JudgingWorld,
    Pick<AdapterWorld, 'clock' | 'signal' | 'openLog' | 'openKeptLog' | 'openObjects' | 'signing'> {
  /** The models of generator and executor, as their services would load them. */
  openModels(): Promise<Models>;
  /** The schema that the entries of each domain are written under. */
  entrySchemas(): Promise<EntrySchemas>;
  /**
   * For who works long before there is something to write.
   * @throws CONFLICT for a file that is there and shall not be replaced; INVALID_INPUT for what is no plain file, for an input of this operation,
   * and for a folder that is not there or cannot be written
   */
  checkOutput(path: string, options?: OutputOptions): Promise<void>;
  /**
   * Begins a file that grows line by line during a long work; a stop leaves what was appended.
   * @throws as {@link checkOutput}
   */
  growOutput(path: string, options?: GrowOptions): Promise<GrowingOutput>;
}

/** Is called while models are asked. */
export interface AskingObserver<Result> {
  /** How the log is read. */
  readonly reading: ReadingOptions;
  /** Before the first question is asked. */
  readonly opened: (models: Models, questions: readonly { readonly prompt: string }[]) => void;
  /** @param done of `total` units of the stage; less than before begins it again */
  readonly progress: (stage: string, done: number, total: number) => void;
  /** When the result is known and before anything is written: it took long, and what prevents writing must not lose it. */
  readonly measured: (result: Result) => void;
  readonly tell: (remark: string) => void;
}
