/** A log as it was at a moment: later records are not there. It is for reading alone, and says nothing of how far consumers were. */
import { SeamError } from '@seamstream/kernel';
import type { LogRecord, ReadOptions, Watermarks } from './event-log.js';
import { ForwardingEventLog } from './forwarding-event-log.js';

export class PastEventLog extends ForwardingEventLog {
  /** @param asOfMs records of this moment are there, in milliseconds since the Unix epoch */
  constructor(
    log: ForwardingEventLog['log'],
    private readonly asOfMs: number,
  ) {
    super(log);
  }

  /** In each partition up to its first record of a later time: clocks of writers may differ. */
  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    return Promise.all(
      (await super.watermarks(topic)).map(async ({ partition, low, high }) => {
        const end = await super.offsetForTime(topic, partition, Math.max(0, this.asOfMs + 1));
        return { partition, low, high: Math.max(low, Math.min(high, end)) };
      }),
    );
  }

  override async committedOffsets(): ReturnType<ForwardingEventLog['committedOffsets']> {
    return [];
  }

  override async *read(options: ReadOptions): AsyncGenerator<readonly LogRecord[]> {
    const { topic, partition, to } = options;
    const end = to ?? (await this.watermarks(topic)).find((each) => each.partition === partition)?.high;
    yield* super.read(end === undefined ? options : { ...options, to: end });
  }

  override follow(): never {
    throw ofThePast('follow');
  }

  override createTopics = refused;
  override append = refused;
  override transact = refused;
  override claim = refused;
  override consume = refused;

  /** The log itself stays open: its owner closes it. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

function ofThePast(act: string): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot ${act} a log as it was: expected the log of now, got one of the past. Leave out the moment.`,
  );
}

function refused(): Promise<never> {
  return Promise.reject(ofThePast('write to'));
}
