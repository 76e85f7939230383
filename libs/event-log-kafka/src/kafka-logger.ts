import kafkajs, { type Logger } from 'kafkajs';
import loggers from 'kafkajs/src/loggers/index.js';

/** Where log lines go, kafkajs' and the driver's few. What cannot be mended reaches the caller as an error. */
export type KafkaLogSink = (line: {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
  readonly broker?: string;
  /** A line of this driver, for whoever runs the process; the others are kafkajs', for diagnosis. */
  readonly isOwn?: true;
}) => void;

export const silent: KafkaLogSink = () => undefined;

const LEVELS: Readonly<Record<number, 'error' | 'warn' | 'info'>> = {
  [kafkajs.logLevel.ERROR]: 'error',
  [kafkajs.logLevel.WARN]: 'warn',
  [kafkajs.logLevel.INFO]: 'info',
};

/** kafkajs' logger on a sink. Of a line's extras only the broker is kept: the rest may hold requests. */
export function kafkaLogger(sink: KafkaLogSink): Logger {
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
