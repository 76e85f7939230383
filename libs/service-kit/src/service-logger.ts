import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import { lineFacts, lineText } from './line-text.js';
import { traceFacts } from './tracing/current-trace.js';

/** Structured lines: facts first, then a sentence. */
export type ServiceLogger = Pick<pino.Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'>;

/** Stderr, written at once, so that nothing is lost when the process ends; stdout stays free for what a command prints. */
export function standardError(): pino.DestinationStream {
  return pino.destination({ dest: 2, sync: true });
}

/**
 * JSON lines. Their texts are short and hold no control characters, regardless of their author (line-text.ts).
 * @param namesTraces lines that are written in a trace name it
 */
export function createServiceLogger(
  service: string,
  level: string,
  destination: pino.DestinationStream = standardError(),
  namesTraces = false,
): ServiceLogger {
  return pino(
    {
      ...(namesTraces ? { mixin: () => ({ ...traceFacts() }) } : {}),
      ...{ name: `seam/${service}`, level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime },
      formatters: { log: lineFacts },
      serializers: { msg: (sentence: unknown) => (typeof sentence === 'string' ? lineText(sentence) : sentence) },
    },
    destination,
  );
}

/** What NestJS itself says, through the same lines; its chatter about modules and routes is debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: ServiceLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: rest.at(-1) }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    const err = message instanceof Error ? message : undefined;
    // These two also throw what they report, and the caller that started the service logs it once.
    const level = context === 'ExceptionHandler' || context === 'NestApplication' ? 'debug' : 'error';
    this.logger[level]({ context, err }, String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: rest.at(-1) }, String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.trace({ context: rest.at(-1) }, String(message));
  }
}
