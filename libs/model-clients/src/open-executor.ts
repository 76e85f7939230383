/** The executor that a configuration chooses. */

import { type EnvironmentKind, type Environments, type ExecutorModel, environmentKind } from '@seamstream/environments';
import type { Prompts } from '@seamstream/experience';
import { SeamError, systemClock } from '@seamstream/kernel';
import { type Adapter, encodePeft, fromNamedFolder, LanguageModel, type PeftFiles } from '@seamstream/language-model';
import { EndpointClient, type EndpointWorld, type TokenCount } from '@seamstream/openai-endpoint';
import { ToolServers } from '@seamstream/tool-servers';
import { actingByTools } from './act-by-tools.js';
import type { ExecutorChoice } from './executor.config.js';
import { EndpointExecutor, type WayToAnswer } from './executor.endpoint.adapter.js';
import { LanguageModelExecutor } from './executor.language-model.adapter.js';
import { loadLearned } from './learned-folder.js';
import { assertAnswers } from './start-checks.js';
import { LanguageModelTraining } from './training-engine.language-model.adapter.js';

export interface OpenExecutorOptions {
  /** Of the process: the endpoint's key is in it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly prompts: Prompts;
  /** Among which the choice names one; those of the library when absent. */
  readonly environments?: Environments | undefined;
  /** Which setting names the model's folder; SEAM_EXECUTOR_MODEL_FOLDER when absent. */
  readonly folderSetting?: string;
  /** What executors of this model have used before, where a budget is to hold for all of it. */
  readonly spentBefore?: (model: string) => Promise<TokenCount>;
  /** Called with what an operator should know and nothing stops for. */
  readonly onNotice?: (message: string) => void;
  readonly onExchange?: EndpointWorld['onExchange'];
}

export interface OpenedExecutor {
  readonly model: ExecutorModel;
  /** For an operator: what it is, and what was spent. @throws SeamError where it answers no request */
  status(): Readonly<Record<string, unknown>>;
  /** Absent where its weights are not at hand. */
  readonly weights?: {
    /** Digest of those that it learned and kept; null: the bare model. */
    readonly parent: string | null;
    /** Weights that it learns, as PEFT's files. */
    readonly encode: (adapter: Adapter) => PeftFiles;
  };
  close(): Promise<void>;
}

/**
 * Loads the checkpoint, or asks the endpoint for its first token.
 * @throws INVALID_CONFIGURATION for what does not fit together, and for an unknown environment; otherwise as the drivers do
 */
export async function openExecutor(choice: ExecutorChoice, options: OpenExecutorOptions): Promise<OpenedExecutor> {
  const kind = environmentKind(choice.environment, options.environments);
  if (choice.driver === 'endpoint') return openEndpoint(choice, options);
  if (choice.driver === 'tools') return openActing(choice, options);
  const { folderSetting = 'SEAM_EXECUTOR_MODEL_FOLDER' } = options;
  return fromNamedFolder(folderSetting, choice.modelFolder, openCheckpoint(choice, kind, options));
}

async function openCheckpoint(
  choice: ExecutorChoice,
  kind: EnvironmentKind,
  { prompts }: OpenExecutorOptions,
): Promise<OpenedExecutor> {
  if (prompts.executorSystem !== null) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot open the executor: the template ${choice.template} has a system message, and a checkpoint is asked by one message of a user. Use a template without system.txt, or the driver endpoint.`,
    );
  }
  const { modelFolder, adapterFolder, threads, executionProvider, chatTemplate, name, maxTokens, expectedDigest } =
    choice;
  const loaded = await LanguageModel.load(modelFolder, { threads, executionProvider, chatTemplate });
  try {
    assertAnswers(loaded, kind, prompts, maxTokens);
    const learned = adapterFolder === undefined ? undefined : await loadLearned(adapterFolder, loaded);
    const training = new LanguageModelTraining(modelFolder, loaded, { threads, executionProvider });
    const model = new LanguageModelExecutor(loaded, {
      name,
      maxTokens,
      training,
      ...(expectedDigest === undefined ? {} : { expectedDigest }),
      ...(learned === undefined ? {} : { learned }),
    });
    if (kind.trains === true) model.assertContinues(choice.innerUpdate);
    const { revision } = model.identity;
    return {
      model,
      status: () => ({ model: name, revision }),
      weights: {
        parent: learned?.digest ?? null,
        encode: (adapter) => encodePeft(adapter, loaded.config, modelFolder),
      },
      close: () => closeAll(training, loaded),
    };
  } catch (error) {
    await loaded.close();
    throw error;
  }
}

async function closeAll(...opened: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const each of opened) await each.close();
}

/** The endpoint's model with the tools of its servers. */
async function openActing(choice: ExecutorChoice, options: OpenExecutorOptions): Promise<OpenedExecutor> {
  const { servers, maxResultBytes, maxMessageBytes, callTimeoutMs, timeMs, ...limits } = choice.tools;
  const tools = await ToolServers.open(
    { servers, limits: { maxResultBytes, maxMessageBytes, callTimeoutMs } },
    options.environment,
  );
  try {
    const { concurrency } = choice.endpoint;
    const opened = await openEndpoint(choice, options, actingByTools(tools, { limits, timeMs, concurrency }));
    const names = tools.offered.map(({ name }) => name);
    return {
      model: opened.model,
      status: () => ({ ...opened.status(), tools: names }),
      close: () => closeAll(opened, tools),
    };
  } catch (error) {
    await tools.close();
    throw error;
  }
}

async function openEndpoint(
  { endpoint, maxTokens }: ExecutorChoice,
  { environment, prompts, spentBefore, onNotice, onExchange }: OpenExecutorOptions,
  way?: WayToAnswer,
): Promise<OpenedExecutor> {
  const { url, model, keyVariable, revision, budget, ...settings } = endpoint;
  if (url === undefined || model === undefined)
    throw new SeamError('INVALID_CONFIGURATION', 'Cannot open the executor: an endpoint needs an address and a model.');
  const client = new EndpointClient(
    {
      url,
      ...keyOf(keyVariable, 'SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE', environment),
      limits: {
        ...settings,
        requestsPerMinute: settings.requestsPerMinute ?? null,
        tokensPerMinute: settings.tokensPerMinute ?? null,
      },
      budget: {
        tokens: budget.tokens ?? null,
        money: budget.money ?? null,
        promptPrice: budget.promptPrice ?? 0,
        responsePrice: budget.responsePrice ?? 0,
      },
    },
    { clock: systemClock, chance: Math.random, ...(onExchange === undefined ? {} : { onExchange }) },
  );
  try {
    const isLimited = budget.tokens !== undefined || budget.money !== undefined;
    if (isLimited && spentBefore !== undefined) client.addSpent(await spentBefore(model));
    const { temperature, topP, maxTokensField, seed = null, stop, extraBody } = settings;
    const executor = await EndpointExecutor.open(
      client,
      {
        model,
        revision: revision ?? null,
        system: prompts.executorSystem,
        decoding: { temperature, topP, maxTokens, maxTokensField, seed, stop, extraBody },
        ...(onNotice === undefined ? {} : { onNotice }),
      },
      () => performance.now(),
      way,
    );
    return {
      model: executor,
      status: () => {
        executor.assertAnswering();
        return { model, revision: executor.identity.revision, spent: executor.spent };
      },
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * The key that a variable holds; none where no variable is named.
 * @param setting which names the variable
 * @throws INVALID_CONFIGURATION for a variable that is not set
 */
export function keyOf(
  variable: string | undefined,
  setting: string,
  environment: OpenExecutorOptions['environment'],
): { readonly key: string | null; readonly keyName: string } {
  if (variable === undefined) return { key: null, keyName: setting };
  const key = (environment[variable] ?? '').trim();
  if (key !== '') return { key, keyName: variable };
  // Keys of some providers could be names of variables: what looks like one is not repeated.
  const shown = /^[A-Z_][A-Z0-9_]{0,39}$/.test(variable) ? variable : `that ${setting} names`;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot open an endpoint: expected its key in the environment variable ${shown}, which is not set or empty. Set it, or name another (${setting}).`,
  );
}
