/** What operations on self-edits touch of the world. */
import type { Clock } from '@seamstream/kernel';
import type { SimilaritySettings, TeacherSettings } from '@seamstream/model-clients';
import type { EditWriter, TextSimilarity } from '@seamstream/self-edits';
import type { AskingWorld } from '../evaluate/asking-world.js';
import type { InputDoor } from '../publish/dataset-file.js';
import type { ReadingOptions } from '../read-models/kept-log.js';

/** Who writes: a model in a folder with an adapter, or a teacher behind an endpoint. */
export type EditWriterChoice =
  | {
      readonly by: 'generator';
      /** The configured generator when absent. */
      readonly modelFolder?: string | undefined;
      /** `base`, `served`, or the first digits of a digest. */
      readonly adapter: string;
      /** Edits that are written side by side. */
      readonly batch: number;
    }
  | ({ readonly by: 'teacher' } & TeacherSettings);

export interface EditsWorld extends InputDoor, Pick<AskingWorld, 'checkOutput' | 'growOutput'> {
  readonly clock: Clock;
  /** Aborted: the work stops, and what was written is kept. */
  readonly signal: AbortSignal;
  /** Where the data of this installation is. */
  dataFolder(): Promise<string>;
  readInput(path: string): Promise<Uint8Array>;
  /** Closed by the world. */
  openEditWriter(choice: EditWriterChoice, reading: ReadingOptions): Promise<EditWriter>;
  /** Closed by the world. */
  openSimilarity(settings: SimilaritySettings): Promise<TextSimilarity>;
}
