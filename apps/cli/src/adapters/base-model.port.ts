import type { Adapter, DigestedCheckpoint } from '@seamstream/language-model';

/** The generators' base model, for commands that take adapters in and out. */
export interface BaseModel {
  readonly checkpoint: DigestedCheckpoint;
  /** What the model with this adapter answers to fixed prompts; compiles the model. */
  fingerprint(adapter: Adapter): Promise<string>;
}
