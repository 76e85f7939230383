import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';

/** Structured lines: facts first, then a sentence. */
export type ServiceLogger = Pick<pino.Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'>;

/** JSON lines on stderr, so that stdout stays free for what a command prints. */
export function createServiceLogger(service: string, level: string): ServiceLogger {
  return pino(
    { name: `seam/${service}`, level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
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
    this.logger.error({ context: rest.at(-1), err: message instanceof Error ? message : undefined }, String(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: rest.at(-1) }, String(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.trace({ context: rest.at(-1) }, String(message));
  }
}
