import { commonConfigSchema } from '@seamstream/service-kit/config';
import { z } from 'zod';

const milliseconds = z.int().positive();

/** Everything that the gateway reads: SEAM_GATEWAY_… and the common settings. */
export const gatewayConfigSchema = commonConfigSchema.extend({
  gateway: z
    .object({
      /** Address that clients are answered on. Health and metrics have another one (SEAM_HTTP_HOST). */
      host: z.string().min(1).default('127.0.0.1'),
      /** 0 takes a free port; it is logged. */
      port: z.int().min(0).max(65535).default(7080),
      /** A larger body is refused with 413. Images in messages count. */
      maxBodyBytes: z
        .int()
        .positive()
        .default(8 * 1024 ** 2),
      /** Longest time for a client to send its whole request. */
      requestTimeoutMs: milliseconds.default(30_000),
      /** Time that answers under way get at shutdown. */
      shutdownGraceMs: z.int().nonnegative().default(10_000),
    })
    .prefault({}),
});

export type GatewayConfig = z.infer<typeof gatewayConfigSchema>;
