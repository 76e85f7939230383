import { z } from 'zod';

export const meReplySchema = z.strictObject({
  /** Public part of a key, or the name of a user; null where the gateway is open. */
  id: z.string().nullable(),
  role: z.string(),
  /** Whose problems and answers they publish and read. */
  tenant: z.string(),
  /** Milliseconds since the Unix epoch; null: never. */
  expiresAt: z.number().nullable(),
  /** Whether it is the session of a browser, which can sign out. */
  session: z.boolean(),
});

export const signedOutReplySchema = z.strictObject({
  /** Where the browser goes, so that its session at the provider ends too. */
  location: z.string(),
});

export type SignedOutReply = Readonly<z.infer<typeof signedOutReplySchema>>;

export type MeReply = Readonly<z.infer<typeof meReplySchema>>;
