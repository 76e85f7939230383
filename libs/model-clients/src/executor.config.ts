/** Which executor answers, as configuration: of the executor's service, of evaluations, and of the demonstration. */
import { fewShotSchema } from '@seamstream/environments';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { EXECUTION_PROVIDERS } from '@seamstream/language-model';
import { DEFAULT_LIMITS, RESERVED_FIELDS } from '@seamstream/openai-endpoint';
import { toolServersSchema } from '@seamstream/tool-servers';
import { z } from 'zod';

const positive = z.int().positive();

/** Where a server is, what it is asked for, and by which key. */
export const connectionShape = {
  /** Base address of an OpenAI-compatible server: https://host/v1. */
  url: z
    .url({ protocol: /^https?$/ })
    .refine(
      (address) => !URL.canParse(address) || (new URL(address).username === '' && new URL(address).password === ''),
      {
        error: 'expected no user and password in the address: name the variable of the key instead',
      },
    )
    .meta({ secretWhenRefused: true })
    .optional(),
  /** As the server calls it. */
  model: z.string().min(1).optional(),
  /** Name of the environment variable that holds the key. Without it no authorization is sent. */
  keyVariable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable, not the key itself')
    .meta({ secretWhenRefused: true })
    .optional(),
};

/** What may be used. Without prices a budget in money would hold nothing back. */
export const budgetSchema = z
  .object({
    /** Most tokens, of prompts and answers. */
    tokens: positive.optional(),
    /** Most money, in the currency of the prices. */
    money: z.number().positive().optional(),
    /** Of a million tokens of prompts. */
    promptPrice: z.number().nonnegative().optional(),
    /** Of a million tokens of answers. */
    responsePrice: z.number().nonnegative().optional(),
  })
  .refine(
    ({ money, promptPrice, responsePrice }) => money === undefined || (promptPrice ?? 0) + (responsePrice ?? 0) > 0,
    {
      path: ['promptPrice'],
      error: 'expected prices (promptPrice, responsePrice), since there is a budget in money',
    },
  )
  .prefault({});

/** SEAM_EXECUTOR_ENDPOINT_…: of the driver `endpoint`; docs/how-to/executors.md says more about each. */
const endpointSchema = z
  .object({
    ...connectionShape,
    /** What outcomes name as the model's revision. Default: what the server reports. */
    revision: z.string().min(1).optional(),
    /** 0 is greedy, which is what learning wants. */
    temperature: z.number().min(0).max(2).default(0),
    /** Nucleus sampling; 1 leaves all tokens. */
    topP: z.number().gt(0).max(1).default(1),
    /** Sent with every request, for servers that sample by a seed. */
    seed: z.int().nonnegative().optional(),
    /** Texts that end an answer, as a JSON list. */
    stop: z.array(z.string().min(1)).max(16).default([]),
    /** How the server calls the most tokens of an answer. */
    maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    /** Further fields of requests, as a JSON object. Recorded with every outcome: no place for secrets. */
    extraBody: z
      .record(z.string(), z.json())
      .refine((fields) => RESERVED_FIELDS.every((name) => !(name in fields)), {
        error: `expected none of ${RESERVED_FIELDS.join(', ')}: they are set elsewhere, or would give the server tools`,
      })
      .meta({ secret: true })
      .default({}),
    /** Most requests at a time. */
    concurrency: positive.default(DEFAULT_LIMITS.concurrency),
    /** Most requests in a minute; no limit when absent. */
    requestsPerMinute: positive.optional(),
    /** Of prompts and answers. */
    tokensPerMinute: positive.optional(),
    /** Longest wait for an answer to one request. */
    requestTimeoutMs: positive.default(DEFAULT_LIMITS.requestTimeoutMs),
    /** Longest wait for a connection. */
    connectTimeoutMs: positive.default(DEFAULT_LIMITS.connectTimeoutMs),
    /** Tries of a request that fails, before the service takes it up again. */
    attempts: positive.default(DEFAULT_LIMITS.attempts),
    /** Wait before the second try; it doubles with every further one. */
    firstRetryMs: positive.default(DEFAULT_LIMITS.firstRetryMs),
    /** Longest wait between two tries. */
    maxRetryMs: positive.default(DEFAULT_LIMITS.maxRetryMs),
    /** How long after its beginning a request is tried again, or waits for an end of an outage, before the service takes it up again. */
    patienceMs: positive.default(DEFAULT_LIMITS.patienceMs),
    /** An answer with more bytes is a failure. */
    maxAnswerBytes: positive.default(DEFAULT_LIMITS.maxAnswerBytes),
    budget: budgetSchema,
  })
  .prefault({});

/** SEAM_EXECUTOR_TOOLS_…: of the driver `tools`; docs/how-to/tools.md says more about each. */
const toolsSchema = z
  .object({
    /** MCP servers by a name of yours, each with the tools of it that the model may call, as JSON. */
    servers: toolServersSchema.meta({ secret: true }).default({}),
    /** Most answers of the model in one attempt, the last one included. */
    maxTurns: positive.max(100).default(12),
    /** Most calls in one attempt. */
    maxCalls: positive.max(100).default(24),
    /** Tokens of prompts and answers behind which no further turn of an attempt begins. */
    maxTokens: positive.default(100_000),
    /** Wrong calls of an attempt (an unknown tool, arguments that it does not take) that the model may correct; one more ends the attempt. */
    maxWrongCalls: z.int().nonnegative().max(100).default(0),
    /** Most bytes of a result that the model reads; the rest is cut off. */
    maxResultBytes: z.int().min(256).max(1_048_576).default(16_384),
    /** Most bytes of a server's message; a larger one is a failure of the server. */
    maxMessageBytes: z.int().min(1024).max(67_108_864).default(4_194_304),
    /** Longest wait for the result of one call; a server's start may take 10 s at least. */
    callTimeoutMs: positive.max(600_000).default(30_000),
    /** Longest time of one attempt; a longer one has failed and is tried again. */
    timeMs: positive.default(240_000),
  })
  .prefault({});

/** SEAM_EXECUTOR_…, without what only the service needs. */
export const executorChoiceShape = {
  /**
   * `checkpoint`: a model in a folder, computed here. `endpoint`: an OpenAI-compatible server. `tools`: the same server, whose model acts by
   * the tools of MCP servers before it answers.
   */
  driver: z.enum(['checkpoint', 'endpoint', 'tools']).default('checkpoint'),
  /** Of the driver checkpoint: folder of the frozen model. */
  modelFolder: z.string().min(1).default('models/executor'),
  /** Of the driver checkpoint: `auto` asks in its chat template where it has one, `none` gives it text to continue. */
  chatTemplate: z.enum(['auto', 'none']).default('auto'),
  /** Of the driver checkpoint: what outcomes call it. */
  name: z.string().min(1).default('executor'),
  /** Of the driver checkpoint: refuse to start with other weights. SHA-256 of the checkpoint. */
  expectedDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** Of the driver checkpoint: folder of weights that `seam edits train` kept; it answers with them. */
  adapterFolder: z.string().min(1).optional(),
  /** Of the driver checkpoint: threads that generate; results do not depend on it. */
  threads: positive.default(2),
  /** Of the driver checkpoint: cpu, or a graphics processor by webgpu or cuda where the installation has it. */
  executionProvider: z.enum(EXECUTION_PROVIDERS).default('cpu'),
  /** Most tokens of a response. */
  maxTokens: positive.default(64),
  /** How an entry acts on a problem: prompt-injection puts it into the executor's prompt, inner-lora-update trains the executor on it, few-shot-lora-update trains it on the problem's pairs of grids as the entry says. */
  environment: z.string().min(1).default('prompt-injection'),
  /** Of inner-lora-update and few-shot-lora-update: how the executor is trained; of the latter without rate, epochs and batch. */
  innerUpdate: innerUpdateSchema.prefault({}),
  /**
   * Of inner-lora-update: `on` refuses edits that are too short, too long, malformed, gibberish, or copies of the passage. A refused edit is
   * not trained on and earns nothing, and its outcome records the reason.
   */
  editFilters: z.enum(['on', 'off']).default('off'),
  /** Of few-shot-lora-update: how tasks on grids are trained on and asked. */
  fewShot: fewShotSchema.prefault({}),
  /** How it is asked and where its answers stand: plain, qwen, deepseek, or one of the own ones. */
  template: z.string().min(1).default('plain'),
  /** Folder of own templates, one subfolder each. */
  templatesFolder: z.string().min(1).optional(),
  endpoint: endpointSchema,
  tools: toolsSchema,
};

export type ExecutorChoice = z.infer<z.ZodObject<typeof executorChoiceShape>>;

/** What a choice lacks or contradicts itself in; a check of the object that has the shape. */
export function checkExecutorChoice(
  { driver, endpoint, tools, adapterFolder }: Pick<ExecutorChoice, 'driver' | 'endpoint' | 'tools' | 'adapterFolder'>,
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void {
  const needed = [
    ['url', 'the address of the server (https://host/v1)'],
    ['model', "the model's name at the server"],
  ] as const;
  for (const [field, meaning] of needed) {
    if (driver !== 'checkpoint' && endpoint[field] === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['endpoint', field],
        message: `expected ${meaning}, since the driver is ${driver}`,
      });
    }
    if (driver === 'checkpoint' && endpoint[field] !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['driver'],
        message: `expected endpoint, since endpoint.${field} is given; without it the folder's model would answer`,
      });
    }
  }
  if (driver !== 'checkpoint' && adapterFolder !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['adapterFolder'],
      message: `expected none, since the driver is ${driver}: the weights of a server are not at hand`,
    });
  const servers = Object.keys(tools.servers).length;
  if (driver === 'tools' && servers === 0)
    context.addIssue({
      code: 'custom',
      path: ['tools', 'servers'],
      message: 'expected at least one server with its allowed tools, since the driver is tools',
    });
  if (driver !== 'tools' && servers > 0)
    context.addIssue({
      code: 'custom',
      path: ['driver'],
      message: 'expected tools, since tools.servers is given; an executor of another driver has no tools',
    });
}
