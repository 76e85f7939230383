/** The two read models that decisions rest on, read on from where they stood. Where nothing is tried, only the small one is read. */
import {
  type KeptProjection,
  type Lift,
  liftProjection,
  type ReleaseProgress,
  releaseProgressProjection,
} from '@seamstream/read-models';
import { type KeptLog, openReading, type ReadingOptions } from '../read-models/kept-log.js';
import type { ReleaseFacts } from './release-evidence.js';

interface OpenModel<Answer> {
  readOn(options: ReadingOptions): Promise<Answer>;
  close(): void;
}

export class ReleaseFactsReader {
  private progressModel: Promise<OpenModel<ReleaseProgress>> | undefined;
  private liftModel: Promise<OpenModel<Lift>> | undefined;

  constructor(private readonly kept: KeptLog) {}

  /** What is planned, decided and served. @throws the signal's reason when it aborts, and what the log throws */
  async progress(options: ReadingOptions): Promise<ReleaseProgress> {
    this.progressModel ??= openModel(this.kept, releaseProgressProjection);
    return (await this.progressModel).readOn(options);
  }

  /** With the results of all problems. */
  async facts(options: ReadingOptions): Promise<ReleaseFacts> {
    this.liftModel ??= openModel(this.kept, liftProjection);
    const lift = await (await this.liftModel).readOn(options);
    // After the results: what was decided until then is known.
    return { lift, progress: await this.progress(options) };
  }

  /** Lets go of the files. */
  async close(): Promise<void> {
    const models = [this.progressModel, this.liftModel];
    this.progressModel = this.liftModel = undefined;
    for (const model of models) (await model?.catch(() => undefined))?.close();
  }
}

/** Reads both once. */
export async function readFacts(kept: KeptLog, options: ReadingOptions): Promise<ReleaseFacts> {
  const reader = new ReleaseFactsReader(kept);
  try {
    return await reader.facts(options);
  } finally {
    await reader.close();
  }
}

async function openModel<State extends object, Answer>(
  kept: KeptLog,
  projection: KeptProjection<State, Answer>,
): Promise<OpenModel<Answer>> {
  const reading = await openReading(kept);
  const model = reading.of(projection);
  return {
    async readOn(options) {
      await reading.readOn(options);
      return model.answer();
    },
    close: () => reading.close(),
  };
}
