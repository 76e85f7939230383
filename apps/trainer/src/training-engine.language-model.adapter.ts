import { canonicalJson } from '@seamstream/kernel';
import type {
  Adapter,
  ExecutionProvider,
  LanguageModel,
  TrainableSettings,
  TrainingObjective,
} from '@seamstream/language-model';
import { TrainingSession } from '@seamstream/language-model';
import { TrainingEngine, type TrainingWeights } from './training-engine.port.js';

/** Trains a model folder in process. The model that serves answers the fingerprint probe: what it proves is what will serve. */
export class LanguageModelTraining extends TrainingEngine {
  constructor(
    private readonly folder: string,
    private readonly model: Pick<LanguageModel, 'digest' | 'fingerprint' | 'tokenizer'>,
    private readonly compute: { readonly threads: number; readonly executionProvider: ExecutionProvider },
  ) {
    super();
  }

  override get baseModelDigest(): string {
    return this.model.digest;
  }

  /** Sessions whose runs are over, by what they are compiled for; another run of the kind begins in one at once. */
  private readonly idle = new Map<string, TrainingSession>();
  private isClosed = false;

  override async begin(settings: {
    readonly adapter: Adapter | null;
    readonly trainable: TrainableSettings;
    readonly objective: TrainingObjective;
  }): Promise<TrainingWeights> {
    const kind = canonicalJson({ objective: settings.objective, trainable: { ...settings.trainable, seed: '' } });
    const session = await this.sessionOf(kind, settings);
    return {
      get steps() {
        return session.steps;
      },
      step: (sequences, optimizer) => session.step(sequences, optimizer),
      logProbabilities: (sequences) => session.logProbabilities(sequences),
      exportAdapter: () => session.exportAdapter(),
      saveState: () => session.saveState(),
      restoreState: (bytes) => session.restoreState(bytes),
      close: () => this.giveBack(kind, session),
    };
  }

  private async sessionOf(
    kind: string,
    { adapter, trainable, objective }: Parameters<TrainingEngine['begin']>[0],
  ): Promise<TrainingSession> {
    const known = this.idle.get(kind);
    const start = adapter === null ? {} : { adapter };
    if (known === undefined) {
      return TrainingSession.create({ checkpoint: this.folder, trainable, objective, ...this.compute, ...start });
    }
    this.idle.delete(kind);
    try {
      await known.restart({ trainable, ...start });
      return known;
    } catch (error) {
      await known.close();
      throw error;
    }
  }

  private async giveBack(kind: string, session: TrainingSession): Promise<void> {
    if (this.isClosed || !session.isReusable || this.idle.has(kind)) await session.close();
    else this.idle.set(kind, session);
  }

  /** Ends the sessions that wait for another run. Those of runs that go on end with their runs. */
  async close(): Promise<void> {
    this.isClosed = true;
    const sessions = [...this.idle.values()];
    this.idle.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  override decode(tokenIds: readonly number[]): string {
    return this.model.tokenizer.decode(tokenIds);
  }

  override fingerprint(adapter: Adapter): Promise<string> {
    return this.model.fingerprint(adapter);
  }
}
