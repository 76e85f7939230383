import { sessionSchema } from '@seamstream/environments';
import { connectionShape, executorChoiceShape } from '@seamstream/model-clients';
import { commonConfigSchema } from '@seamstream/service-kit/config';
import { z } from 'zod';
import { issuerSchema } from './access/issuer.config.js';
import { loginSchema } from './login/login.config.js';

const milliseconds = z.int().positive();

const fallbackSchema = z.strictObject({
  ...connectionShape,
  url: connectionShape.url.unwrap(),
  model: connectionShape.model.unwrap(),
  revision: z.string().min(1).optional(),
});

const checkpointSchema = z
  .object({
    /** Folder of the frozen model. Without it there is none. */
    modelFolder: z.string().min(1).optional(),
    /** `auto` asks in its chat template where it has one, `none` gives it text to continue. */
    chatTemplate: executorChoiceShape.chatTemplate,
    /** What answers call it. */
    name: executorChoiceShape.name,
    /** Refuse to start with other weights. SHA-256 of the checkpoint. */
    expectedDigest: executorChoiceShape.expectedDigest,
    /** Threads that generate; results do not depend on it. */
    threads: executorChoiceShape.threads,
    /** cpu, or a graphics processor by webgpu or cuda where the installation has it. */
    executionProvider: executorChoiceShape.executionProvider,
    /** Most tokens of a response. */
    maxTokens: executorChoiceShape.maxTokens,
    /** How it is asked: plain, qwen, deepseek, or one of the own ones. */
    template: executorChoiceShape.template,
    /** Folder of own templates, one subfolder each. */
    templatesFolder: executorChoiceShape.templatesFolder,
  })
  .prefault({});

/** Everything that the gateway reads: SEAM_GATEWAY_… and the common settings. */
export const gatewayConfigSchema = commonConfigSchema.extend({
  gateway: z
    .object({
      /** Address that clients are answered on. Health and metrics have another one (SEAM_HTTP_HOST). */
      host: z.string().min(1).default('127.0.0.1'),
      /** 0 takes a free port; it is logged. */
      port: z.int().min(0).max(65535).default(7080),
      /** `open`: every program on this machine may ask, where the host is an address of this machine alone. `keys`: by key (seam gateway keys), or by token (SEAM_GATEWAY_ISSUER_URL). */
      access: z.enum(['open', 'keys']).default('open'),
      /** Lets other machines ask by plain http: where a proxy before it speaks TLS. */
      allowPlaintext: z.boolean().default(false),
      /** A larger body is refused with 413. Images in messages count. */
      maxBodyBytes: z
        .int()
        .positive()
        .default(8 * 1024 ** 2),
      /** Longest time for a client to send its whole request. */
      requestTimeoutMs: milliseconds.default(30_000),
      /** Time that answers under way get at shutdown. */
      shutdownGraceMs: z.int().nonnegative().default(10_000),
      /** Most requests that are answered at a time; one more gets 429 and is to come again. */
      maxConcurrent: z.int().positive().default(256),
      /** A stream gets a comment after so much silence, so that no proxy takes it for dead. */
      keepAliveMs: milliseconds.default(15_000),
      /** A client that reads nothing of its answer for so long is taken for gone. */
      stalledMs: milliseconds.default(60_000),
      /** Further names that clients may give as their model, as a JSON list. */
      models: z.array(z.string().min(1)).default(['seam']),
      /** Longest wait for an experience. Then the executor is asked without one, and the answer says so. */
      experienceWithinMs: z.int().nonnegative().default(800),
      /** Longest time for a whole answer; then its request fails. A request that is older and has no result belonged to a gateway that died. */
      answerWithinMs: milliseconds.default(600_000),
      /** Tokens that are reserved for an answer whose client sets no limit, where the client has limits (seam gateway quotas). */
      reserveTokens: z.int().nonnegative().default(4096),
      /** Fraction of conversations that get no experience: the control arm. */
      controlShare: z.number().min(0).max(1).default(0.1),
      /** Salt of the draw of arms. Another name divides the conversations afresh. */
      experiment: z.string().min(1).max(128).default('gateway'),
      /** Milliseconds in which feedback on an answer counts; then it is ungraded. A week. */
      feedbackWithinMs: milliseconds.default(604_800_000),
      /** As SEAM_GENERATOR_INLINE_CONTENT_BYTES of the generators: results copy of their problem what experiences copy. */
      inlineContentBytes: z.int().nonnegative().default(1024),
      /** The frozen executor, an OpenAI-compatible server. `npm start` has its own. */
      upstream: z
        .object({
          ...connectionShape,
          /** What answers name as the model's revision. Default: the fingerprint that each answer reports. */
          revision: z.string().min(1).optional(),
          /** Longest wait for a connection. */
          connectTimeoutMs: milliseconds.default(10_000),
          /** Longest silence of the server, before its answer and within it. */
          silenceMs: milliseconds.default(300_000),
          /** A longer answer is cut off, and counts as failed. */
          maxAnswerBytes: z
            .int()
            .positive()
            .default(16 * 1024 ** 2),
        })
        .prefault({}),
      /**
       * Further executors, as a JSON list of objects with url, model, keyVariable and revision, with the limits of the first. Each is asked
       * where those before it gave no answer (no connection, 429, 5xx), and nothing of an answer was sent yet.
       */
      fallbacks: z.array(fallbackSchema).max(8).meta({ secretWhenRefused: true }).default([]),
      /** A frozen executor in this process, in place of a server: it answers text, greedily. `npm start` has its own. */
      checkpoint: checkpointSchema,
      /** Sessions of clients with an adapter each (docs/how-to/gateway.md). They are off, and need an executor in this process. */
      sessions: sessionSchema.prefault({}),
      issuer: issuerSchema,
      login: loginSchema,
    })
    .refine(({ upstream, checkpoint }) => upstream.url === undefined || checkpoint.modelFolder === undefined, {
      path: ['checkpoint', 'modelFolder'],
      error: 'expected none, since a server answers (SEAM_GATEWAY_UPSTREAM_URL)',
    })
    .refine(({ upstream, sessions }) => upstream.url === undefined || sessions.every === 0, {
      path: ['sessions', 'every'],
      error: 'expected 0, since a server answers (SEAM_GATEWAY_UPSTREAM_URL), whose weights are not at hand',
    })
    .refine(({ access, issuer }) => access === 'keys' || issuer.url === undefined, {
      path: ['access'],
      error: 'expected keys, since where the gateway is open no token is asked for',
    })
    .refine(({ issuer, login }) => login.clientId === undefined || issuer.url !== undefined, {
      path: ['issuer', 'url'],
      error: 'expected the provider at which people sign in (SEAM_GATEWAY_LOGIN_CLIENT_ID)',
    })
    .prefault({}),
});

export type { IssuerSettings } from './access/issuer.config.js';
export type GatewayConfig = z.infer<typeof gatewayConfigSchema>;
