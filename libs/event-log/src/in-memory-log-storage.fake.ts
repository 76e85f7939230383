/** The state of an in-memory log, which several instances of the fake may share. */
import { newId } from '@seamstream/kernel';
import { type ConsumerLoop } from './consumer-loop.js';
import type { ConsumedOffset, ConsumeOptions, LogRecord } from './event-log.js';

export interface Seat {
  readonly memberId: string;
  readonly topics: readonly string[];
  readonly instance: string;
  readonly sharing: ConsumeOptions['sharing'] | undefined;
  readonly turn: number | undefined;
  readonly from: 'earliest' | 'latest';
  readonly loop: ConsumerLoop;
}

export interface Group {
  readonly members: Map<string, Seat>;
  readonly owners: Map<string, { readonly memberId: string; readonly generation: number }>;
  readonly offsets: Map<string, ConsumedOffset>;
}

/** Proof of ownership: one partition, and how many times it had changed hands. A claimed name is partition 0 of itself. */
export interface Token {
  readonly topic: string;
  readonly partition: number;
  readonly generation: number;
}

/** What a broker would keep. */
export class InMemoryLogStorage {
  readonly identity = newId();
  readonly topics = new Map<string, LogRecord[][]>();
  readonly groups = new Map<string, Group>();
  readonly listeners = new Set<() => void>();
  keyless = 0;
  nextMember = 0;
  nextInstance = 0;
  nextGeneration = 0;
}

export function copyOf(record: LogRecord): LogRecord {
  return { ...record, value: record.value && new Uint8Array(record.value), headers: { ...record.headers } };
}
