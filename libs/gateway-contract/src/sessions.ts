/** A session learns what its client says in it (docs/how-to/gateway.md). The session of a browser is another thing: `DELETE /api/session`. */
import { z } from 'zod';
import { nameSchema } from './names.js';

export const sessionQuerySchema = z.strictObject({ id: nameSchema });

export const sessionReplySchema = z.strictObject({
  id: z.string(),
  /** Messages since it began. */
  messages: z.number(),
  /** The last of them, which are kept and learned. */
  keptMessages: z.number(),
  /** Trainings that gave it an adapter. */
  updates: z.number(),
  /** What answers in it; null: the frozen executor. */
  adapter: z.strictObject({ digest: z.string(), bytes: z.number() }).nullable(),
  /** A training of it waits or runs. */
  isLearning: z.boolean(),
  /** When it is forgotten unless it is used before, in milliseconds since the Unix epoch. */
  expiresAt: z.number(),
});

export const sessionForgottenSchema = z.strictObject({
  id: z.string(),
  /** Whether there was one. */
  wasKnown: z.boolean(),
});

export type SessionReply = Readonly<z.infer<typeof sessionReplySchema>>;
export type SessionForgotten = Readonly<z.infer<typeof sessionForgottenSchema>>;
