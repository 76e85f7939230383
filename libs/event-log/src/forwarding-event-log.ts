/** An event log in front of another one: a subclass overrides what it changes on the way in or out, and only that. */
import {
  type Claim,
  type ConsumedOffset,
  type ConsumeOptions,
  EventLog,
  type LogRecord,
  type NewRecord,
  type ReadOptions,
  type RecordPosition,
  type Subscription,
  type TopicSpec,
  type Transaction,
  type Watermarks,
} from './event-log.js';

export class ForwardingEventLog extends EventLog {
  constructor(protected readonly log: EventLog) {
    super();
  }

  identity(): Promise<string> {
    return this.log.identity();
  }

  createTopics(topics: readonly TopicSpec[]): Promise<void> {
    return this.log.createTopics(topics);
  }

  topics(): Promise<readonly TopicSpec[]> {
    return this.log.topics();
  }

  append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]> {
    return this.log.append(records);
  }

  transact(transaction: Transaction): Promise<readonly RecordPosition[]> {
    return this.log.transact(transaction);
  }

  claim(name: string): Promise<Claim> {
    return this.log.claim(name);
  }

  release(claim: Claim): Promise<void> {
    return this.log.release(claim);
  }

  consume(options: ConsumeOptions): Promise<Subscription> {
    return this.log.consume(options);
  }

  read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    return this.log.read(options);
  }

  follow(options: Parameters<EventLog['follow']>[0]): AsyncIterable<readonly LogRecord[]> {
    return this.log.follow(options);
  }

  offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number> {
    return this.log.offsetForTime(topic, partition, timestampMs);
  }

  committedOffsets(group: string): Promise<readonly ConsumedOffset[]> {
    return this.log.committedOffsets(group);
  }

  watermarks(topic: string): Promise<readonly Watermarks[]> {
    return this.log.watermarks(topic);
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
