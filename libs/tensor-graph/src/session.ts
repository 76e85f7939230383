/**
 * A compiled graph on ONNX Runtime. `run` blocks its thread while it computes: keep sessions in workers.
 */
import './native-environment.js';

import { dirname, sep } from 'node:path';
import { messageOf, SeamError } from '@seamstream/kernel';
import { env, InferenceSession, listSupportedBackends, Tensor } from 'onnxruntime-node';
import { Graph } from './graph.js';
import { nativeCall } from './native-calls.js';
import { encodeModel } from './onnx-model.js';

/** What computes a session. Operators that another than `cpu` lacks are computed by `cpu`. */
export const EXECUTION_PROVIDERS = ['cpu', 'webgpu', 'cuda'] as const;
export type ExecutionProvider = (typeof EXECUTION_PROVIDERS)[number];

/**
 * Refuses a provider that this machine or installation lacks, by computing nearly nothing on it.
 * @throws INVALID_CONFIGURATION with what is bundled, the runtime's own words and what to do
 */
export async function assertExecutionProvider(executionProvider: ExecutionProvider): Promise<void> {
  if (executionProvider === 'cpu') return;
  const graph = new Graph('probe of a provider');
  const x = graph.input('x', 'float32', [1]);
  graph.output('y', graph.apply('Exp', [x]));
  try {
    const session = await Session.create(graph, { executionProvider });
    await session.run({ x: { data: Float32Array.of(0), dims: [1] } });
    await session.close();
  } catch (cause) {
    const bundled = listSupportedBackends().flatMap(({ name, bundled: isBundled }) => (isBundled ? [name] : []));
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot compute on execution provider ${executionProvider}: it does not work here (${messageOf(cause).replace(/\s+/g, ' ').trim()}). This installation brings ${bundled.join(', ')}; webgpu needs a graphics driver with Vulkan, cuda the CUDA files of onnxruntime-node. Install what is missing, or choose cpu.`,
      { details: { executionProvider, bundled }, cause },
    );
  }
}

/** Version of ONNX Runtime. */
export const runtimeVersion = env.versions.common;

export interface SessionSettings {
  readonly executionProvider?: ExecutionProvider;
  /** Threads that one operator may use; 1 makes results independent of the number of cores. */
  readonly threads?: number;
  /**
   * Lay weights out again for faster products, in the session's memory (default). Without, products read them
   * where they are: slower by a tenth for many rows, by half for few.
   */
  readonly repacksWeights?: boolean;
  /**
   * Threads of an operator wait for the next one in a loop (default): at once where they are awaited, and as much work as computing.
   * Without, they sleep: of large products on a busy machine that is twice as fast.
   */
  readonly spins?: boolean;
  /** Fuse operators (default). Without, a graph is compiled sooner, and runs as it is. */
  readonly fusesOperators?: boolean;
}

/** Row-major content and sizes. The session reads the content in place while it runs. */
export interface TensorData {
  /** Booleans are bytes. */
  readonly data: Float32Array | Int32Array | BigInt64Array | Uint8Array;
  readonly dims: readonly number[];
}

export interface FloatTensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

export class Session {
  readonly #session: InferenceSession;
  readonly #name: string;

  private constructor(name: string, session: InferenceSession) {
    this.#name = name;
    this.#session = session;
  }

  /**
   * Compiles a graph.
   * @throws SESSION_FAILED with the runtime's own words.
   */
  static async create(graph: Graph, settings: SessionSettings = {}): Promise<Session> {
    const folder = commonFolder(graph.initializers.flatMap(({ data }) => ('file' in data ? [data.file] : [])));
    const { repacksWeights = true, fusesOperators = true, spins = true } = settings;
    try {
      const options = {
        executionProviders: [settings.executionProvider ?? 'cpu'],
        intraOpNumThreads: settings.threads ?? 1,
        interOpNumThreads: 1,
        executionMode: 'sequential',
        graphOptimizationLevel: fusesOperators ? 'all' : 'disabled',
        // Warnings about unused outputs of fused nodes say nothing to a user.
        logSeverityLevel: 3,
        extra: {
          session: {
            model_external_initializers_file_folder_path: folder,
            disable_prepacking: repacksWeights ? '0' : '1',
            intra_op: { allow_spinning: spins ? '1' : '0' },
          },
        },
      } as const;
      const session = await nativeCall(() => InferenceSession.create(encodeModel(graph, folder), options));
      return new Session(graph.name, session);
    } catch (cause) {
      throw new SeamError('SESSION_FAILED', `Cannot compile graph ${graph.name}: ${messageOf(cause)}`, { cause });
    }
  }

  /**
   * One run. Feeds by input name; every output of the graph, or those named.
   * @param into where outputs are written to, by name; all others get new memory.
   * @throws SESSION_FAILED with the runtime's own words.
   */
  async run(
    feeds: Readonly<Record<string, TensorData>>,
    outputs: readonly string[] = this.#session.outputNames,
    into: Readonly<Record<string, FloatTensor>> = {},
  ): Promise<Record<string, FloatTensor>> {
    const inputs = Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, tensorOf(feed)]));
    const fetches = Object.fromEntries(outputs.map((name) => [name, into[name] ? tensorOf(into[name]) : null]));
    try {
      const outputs = await nativeCall(() => this.#session.run(inputs, fetches));
      return outputs as unknown as Record<string, FloatTensor>;
    } catch (cause) {
      throw new SeamError('SESSION_FAILED', `Cannot run graph ${this.#name}: ${messageOf(cause)}`, { cause });
    }
  }

  async close(): Promise<void> {
    await nativeCall(() => this.#session.release());
  }
}

/** The deepest folder that holds all files. */
function commonFolder(files: readonly string[]): string {
  const folders = files.map((file) => dirname(file).split(sep));
  const first = folders[0] ?? [];
  const depth = first.findIndex((name, at) => folders.some((folder) => folder[at] !== name));
  return (depth < 0 ? first : first.slice(0, depth)).join(sep) || sep;
}

function tensorOf({ data, dims }: TensorData): Tensor {
  if (data instanceof Float32Array) return new Tensor('float32', data, dims);
  if (data instanceof Int32Array) return new Tensor('int32', data, dims);
  if (data instanceof Uint8Array) return new Tensor('bool', data, dims);
  return new Tensor('int64', data, dims);
}
