import type { EngineIdentity } from '@seamstream/events';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type {
  Adapter,
  ExecutionProvider,
  LanguageModel,
  TrainableSettings,
  TrainingObjective,
} from '@seamstream/language-model';
import { runtimeVersion, TrainingSession } from '@seamstream/language-model';
import { TrainingEngine, type TrainingWeights } from '@seamstream/training-contract';

/** Kinds of run whose session is kept: imitation and GRPO take turns, and GRPO has a reference besides its policy. */
const MOST_IDLE = 3;

/** Trains a model folder in process. The model that serves answers the fingerprint probe: what it proves is what will serve. */
export class LanguageModelTraining extends TrainingEngine {
  constructor(
    private readonly folder: string,
    private readonly model: Pick<LanguageModel, 'digest' | 'fingerprint' | 'tokenizer'>,
    private readonly compute: { readonly threads: number; readonly executionProvider: ExecutionProvider },
  ) {
    super();
  }

  override get identity(): EngineIdentity {
    return {
      name: 'onnxruntime',
      versions: { 'onnxruntime-node': runtimeVersion },
      device: this.compute.executionProvider,
      precision: 'float32',
      worldSize: 1,
      tolerance: null,
    };
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
    let isOver = false;
    let hasFailed = false;
    // A session in which something failed may have failed for its own state: the next run gets a new one.
    const during = async <T>(work: () => Promise<T>): Promise<T> => {
      if (isOver) throw new SeamError('INTERNAL', 'Cannot train: this run has been closed. Begin another one.');
      try {
        return await work();
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    };
    return {
      get steps() {
        return session.steps;
      },
      step: (sequences, optimizer) => during(() => session.step(sequences, optimizer)),
      logProbabilities: (sequences) => during(() => session.logProbabilities(sequences)),
      exportAdapter: () => during(() => session.exportAdapter()),
      saveState: () => during(() => session.saveState()),
      restoreState: (bytes) => during(() => session.restoreState(bytes)),
      close: async () => {
        if (isOver) return;
        isOver = true;
        await (hasFailed ? session.close() : this.giveBack(kind, session));
      },
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
    if (!known.isReusable) {
      await known.close();
      return this.sessionOf(kind, { adapter, trainable, objective });
    }
    try {
      await known.restart({ trainable, ...start });
      return known;
    } catch (error) {
      await known.close();
      throw error;
    }
  }

  private async giveBack(kind: string, session: TrainingSession): Promise<void> {
    const isWanted = !this.isClosed && session.isReusable && !this.idle.has(kind);
    if (!isWanted) {
      await session.close();
      return;
    }
    this.idle.set(kind, session);
    for (const [oldest, other] of this.idle) {
      if (this.idle.size <= MOST_IDLE) break;
      this.idle.delete(oldest);
      await other.close();
    }
  }

  /** Ends the sessions that wait for another run. Those of runs under way end with their runs. */
  async close(): Promise<void> {
    this.isClosed = true;
    const sessions = [...this.idle.values()];
    this.idle.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  override decode(tokenIds: readonly number[]): string {
    return this.model.tokenizer.decode(tokenIds);
  }

  override fingerprint(adapter: Adapter | null): Promise<string> {
    return this.model.fingerprint(adapter ?? undefined);
  }
}
