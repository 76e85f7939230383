import { z } from 'zod';

export const meReplySchema = z.strictObject({
  /** Public part of a key, or the name of a user; null where the gateway is open. */
  id: z.string().nullable(),
  role: z.string(),
  /** Milliseconds since the Unix epoch; null: never. */
  expiresAt: z.number().nullable(),
});

export type MeReply = Readonly<z.infer<typeof meReplySchema>>;
