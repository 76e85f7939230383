import { z } from 'zod';
import { httpAddress, isPlaintextElsewhere } from '../config/addresses.js';
import { secret, secretWhenRefused } from '../config/load-config.js';

/** Names and values that a header may have: no line breaks. */
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/, 'expected the name of a header');
const headerValue = z.string().regex(/^[\t\x20-\x7e]{0,8192}$/, 'expected printable characters on one line');

/** Where spans are sent: docs/how-to/telemetry.md. Without a URL nothing is traced. */
export const tracingConfigSchema = z
  .object({
    /** Base address of a collector that takes OTLP over HTTP. Spans are sent to `v1/traces` below it. */
    url: secretWhenRefused(httpAddress).optional(),
    /** JSON object of headers that every request to the collector has, for its keys. */
    headers: secret(z.record(headerName, headerValue)).optional(),
    /** Lets the headers go over http to another machine. */
    allowPlaintext: z.boolean().default(false),
    /** Fraction of requests that are traced. Those that a client does not sample are never traced. */
    sampleRatio: z.number().min(0).max(1).default(1),
    /** Most spans that wait to be sent. Further ones are dropped and counted. */
    maxQueueSpans: z.int().positive().max(65_536).default(2048),
    /** Longest time to send spans, tries included; then they are dropped and counted. */
    timeoutMs: z.int().positive().default(5_000),
  })
  .refine(({ url, headers, allowPlaintext }) => allowPlaintext || headers === undefined || !isPlaintextElsewhere(url), {
    path: ['url'],
    error:
      'expected https, since the headers go with every request; SEAM_TRACING_ALLOW_PLAINTEXT=true takes it nevertheless',
  });

export type TracingConfig = z.infer<typeof tracingConfigSchema>;
