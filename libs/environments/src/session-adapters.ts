/**
 * Test-time adaptation: a session (a conversation, a document) has its own adapter. After every few messages a small LoRA is trained on
 * the session's messages, and answers of that session come from it. No session learns from another, and none is remembered after it was
 * forgotten. Off unless `every` is set.
 */
import { innerUpdateSchema } from '@seamstream/inner-update';
import { type Clock, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import type { ExecutorModel } from './executor-model.port.js';
import type { TrainableExecutor } from './trainable-executor.js';

const positive = z.int().positive();

export const sessionSchema = z.strictObject({
  /** Messages after which a session learns; 0: sessions never learn. */
  every: z.int().nonnegative().default(0),
  /** Rank of the LoRA pairs. */
  rank: positive.max(64).default(4),
  /** Optimizer steps of a training, each over all of the session's messages. */
  steps: positive.max(64).default(8),
  learningRate: z.number().positive().default(1e-3),
  /** The last messages of a session that are kept and learned. */
  mostMessages: positive.max(1024).default(32),
  /** Characters of a message. */
  mostCharacters: positive.default(8_000),
  /** Sessions at a time; the one that was idle for the longest is forgotten for a new one. */
  mostSessions: positive.default(16),
  /** Milliseconds without a message or an answer after which a session is forgotten. */
  forgottenAfterMs: positive.default(1_800_000),
});

export type SessionSettings = z.infer<typeof sessionSchema>;

/** What answers in a session. */
export type SessionModel = Pick<ExecutorModel, 'answer' | 'sample' | 'score'>;

interface Session {
  messages: readonly string[];
  told: number;
  usedAt: number;
  /** Null: it has learned nothing yet, and the frozen model answers. */
  model: SessionModel | null;
  /** One training at a time. */
  training: Promise<void>;
}

export class SessionAdapters {
  /** In the order of their last use. */
  private readonly sessions = new Map<string, Session>();

  constructor(
    private readonly executor: TrainableExecutor,
    private readonly settings: SessionSettings,
    private readonly clock: Clock,
  ) {}

  /** Sessions that are remembered now. */
  get size(): number {
    this.forgetIdle();
    return this.sessions.size;
  }

  /**
   * Adds a message, and trains where it is the session's turn to learn.
   * @returns whether the session has learned
   * @throws INVALID_INPUT for a message that is too long; ABORTED; what training throws: the session answers as before
   */
  async tell(id: string, message: string, signal?: AbortSignal): Promise<boolean> {
    const { every, mostMessages, mostCharacters } = this.settings;
    if (every === 0) return false;
    if (message.length > mostCharacters)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot learn from a message: expected at most ${mostCharacters} characters, got ${message.length}. Divide it.`,
      );
    const session = this.used(id) ?? this.opened(id);
    session.messages = [...session.messages, message].slice(-mostMessages);
    session.told++;
    if (session.told % every !== 0) return false;
    return this.learn(id, session, signal);
  }

  /** Its adapter; null: the frozen model answers. */
  modelOf(id: string): SessionModel {
    return this.used(id)?.model ?? this.executor;
  }

  /** @returns whether there was one. A training of it that is under way comes to nothing. */
  forget(id: string): boolean {
    return this.sessions.delete(id);
  }

  /** Always from the frozen weights: equal messages give equal adapters, however often a session has learned before. */
  private async learn(id: string, session: Session, signal: AbortSignal | undefined): Promise<boolean> {
    const { messages } = session;
    const settings = innerUpdateSchema.parse({
      ...{ rank: this.settings.rank, alpha: 2 * this.settings.rank, learningRate: this.settings.learningRate },
      ...{ epochs: this.settings.steps, batchSize: messages.length, plateau: { patience: 0 } },
    });
    let hasLearned = false;
    const training = session.training.then(async () => {
      const adaptation = await this.executor.adapt({ documents: messages, settings, seed: 'session' }, { signal });
      // Forgotten, or begun again, in the meantime.
      if (this.sessions.get(id) !== session || adaptation.status === 'refused') return;
      session.model = adaptation.model;
      hasLearned = true;
    });
    session.training = training.catch(() => undefined);
    await training;
    return hasLearned;
  }

  private used(id: string): Session | undefined {
    this.forgetIdle();
    const session = this.sessions.get(id);
    if (session === undefined) return undefined;
    session.usedAt = this.clock.now();
    this.sessions.delete(id);
    this.sessions.set(id, session);
    return session;
  }

  private opened(id: string): Session {
    const session: Session = {
      ...{ messages: [], told: 0, usedAt: this.clock.now() },
      ...{ model: null, training: Promise.resolve() },
    };
    for (const idle of this.sessions.keys()) {
      if (this.sessions.size < this.settings.mostSessions) break;
      this.sessions.delete(idle);
    }
    this.sessions.set(id, session);
    return session;
  }

  private forgetIdle(): void {
    const before = this.clock.now() - this.settings.forgottenAfterMs;
    for (const [id, { usedAt }] of this.sessions) if (usedAt <= before) this.sessions.delete(id);
  }
}
