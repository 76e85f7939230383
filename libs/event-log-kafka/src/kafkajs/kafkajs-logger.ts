import kafkajs, { type Logger } from 'kafkajs';
import type { KafkaLogSink } from '../broker-protocol.port.js';
import { loggers } from './kafkajs-internals.js';

const LEVELS: Readonly<Record<number, 'error' | 'warn' | 'info'>> = {
  [kafkajs.logLevel.ERROR]: 'error',
  [kafkajs.logLevel.WARN]: 'warn',
  [kafkajs.logLevel.INFO]: 'info',
};

/** kafkajs' logger on a sink. Of a line's extras only the broker is kept: the rest may hold requests. */
export function kafkajsLogger(sink: KafkaLogSink): Logger {
  return loggers.createLogger({
    level: kafkajs.logLevel.INFO,
    logCreator:
      () =>
      ({ level, namespace, log }) => {
        const known = LEVELS[level];
        if (known === undefined) return;
        const broker = (log as { broker?: unknown }).broker;
        sink({
          level: known,
          message: `${namespace}: ${log.message}`,
          ...(typeof broker === 'string' ? { broker } : {}),
        });
      },
  });
}
