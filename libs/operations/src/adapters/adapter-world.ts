/** What operations on adapters touch of the world. */
import type { EventLog } from '@seamstream/event-log';
import type { Clock } from '@seamstream/kernel';
import type { Adapter, DigestedCheckpoint } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import type { SigningKey, Trust } from '@seamstream/signatures';
import type { KeptLog } from '../read-models/kept-log.js';

/** A base model, for who takes adapters in and out. */
export interface BaseModel {
  readonly checkpoint: DigestedCheckpoint;
  /** What the model with this adapter, or alone, answers to fixed prompts; compiles the model. */
  fingerprint(adapter?: Adapter): Promise<string>;
}

export interface AdapterWorld {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `create` makes an empty log where there is none, otherwise that is NOT_FOUND. */
  openLog(mode: 'append' | 'create'): Promise<EventLog>;
  openKeptLog(): Promise<KeptLog>;
  openObjects(): Promise<ObjectStore>;
  /** The generators' base model, or the one in a folder. @param named the folder, and what an error calls it by */
  openBaseModel(named?: { readonly folder: string; readonly name: string }): Promise<BaseModel>;
  readInput(path: string): Promise<Uint8Array>;
  signing(): Promise<{ readonly key: SigningKey | null; readonly trust: Trust }>;
}
