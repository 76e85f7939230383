/**
 * Test-time adaptation: a session (a conversation, a document) has its own adapter. After every few messages a small LoRA is trained on
 * the session's messages, and answers of that session come from it. No session learns from another, and none is remembered after it was
 * forgotten. Off unless `every` is set.
 *
 *   tell ─► messages ─every nth─► the queue ─► one training at a time ─► the session's adapter
 *
 * A training takes as long as it takes; meanwhile the session answers by the adapter that it has.
 */
import { type InnerUpdateSettings, innerUpdateSchema } from '@seamstream/inner-update';
import { type Clock, isSeamError, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import type { AdapterFacts, ExecutorModel } from './executor-model.port.js';
import type { TrainableExecutor } from './trainable-executor.js';

const positive = z.int().positive();

export const sessionSchema = z.strictObject({
  /** Messages after which a session learns; 0: sessions never learn. */
  every: z.int().nonnegative().default(0),
  /** Rank of the LoRA pairs. */
  rank: positive.max(64).default(4),
  /** Optimizer steps of a training, each over all messages that it learns. */
  steps: positive.max(64).default(8),
  /** Of the first step; it falls to 0. The default suits pretrained models, and teaches very small ones next to nothing. */
  learningRate: z.number().positive().default(1e-3),
  /** The last messages of a session that are kept. */
  mostMessages: positive.max(1024).default(32),
  /** Characters of a message. */
  mostCharacters: positive.default(8_000),
  /** Tokens of one step of a training: it learns the last messages that fit, and none where the last one does not. It bounds a step's time. */
  mostTokens: positive.default(2_048),
  /** Sessions at a time; for a new one that is answered, the owner of most forgets the one that was idle for the longest. */
  mostSessions: positive.default(16),
  /** Bytes of all sessions' adapters; for a new one the owner of most forgets those that were idle for the longest. */
  mostBytes: positive.default(256 * 1024 ** 2),
  /** Longest time of one training, which ends behind the step that is under way; a longer one comes to nothing. */
  trainWithinMs: positive.default(60_000),
  /** Milliseconds without a message or an answer after which a session is forgotten. */
  forgottenAfterMs: positive.default(1_800_000),
});

export type SessionSettings = z.infer<typeof sessionSchema>;

/** What answers in a session. */
export type SessionModel = Pick<ExecutorModel, 'answer' | 'sample' | 'score'>;

/** What a session has learned: the model, and which weights it adds. */
export interface LearnedModel {
  readonly model: SessionModel;
  readonly adapter: AdapterFacts;
}

/**
 * What became of a message. `kept`: it is not the session's turn to learn. `learned`: the session has a new adapter. `overtaken`: before its
 * turn came, later messages were to be learned. `forgotten`: the session, before or meanwhile. `refused`: its messages have nothing to
 * learn. `too-long`: the last message has more tokens than a step may have. `too-large`: one adapter has more bytes than all may have.
 */
export type Lesson = 'kept' | 'learned' | 'overtaken' | 'forgotten' | 'refused' | 'too-long' | 'too-large';

/** Why a session is gone: someone asked for it, it was not used, or another one needed its place. */
export type Forgotten = 'request' | 'idle' | 'room';

export interface SessionStanding {
  /** Messages since it began. */
  readonly messages: number;
  /** Messages that are kept; the last of them are learned. */
  readonly keptMessages: number;
  /** Trainings that gave it an adapter. */
  readonly trainings: number;
  /** Null: the frozen model answers. */
  readonly adapter: AdapterFacts | null;
  /** A training of it waits or runs. */
  readonly isLearning: boolean;
  /** When it is forgotten unless it is used before, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** A session as a request found it, or will begin it. Once that is forgotten it stays so, also where another one has its name. */
export interface SessionVisit {
  /** Its adapter now; null: the frozen model answers. */
  learned(): LearnedModel | null;
  /** As {@link SessionAdapters.tell}. */
  tell(message: string, signal?: AbortSignal): Promise<Lesson>;
}

interface Session {
  /** Whose it is: sessions of the same owner give room to each other before another's do. */
  readonly owner: string | null;
  messages: readonly string[];
  told: number;
  trainings: number;
  usedAt: number;
  learned: LearnedModel | null;
  /** What its next training learns; null where none waits or runs. */
  wanted: readonly string[] | null;
  /** Aborts when it is forgotten. */
  readonly ended: AbortController;
}

export class SessionAdapters {
  /** In the order of their last use. */
  private readonly sessions = new Map<string, Session>();
  /** Those that a request under way may begin. They have nothing, take no room, and are gone with their last request. */
  private readonly beginning = new Map<string, WeakRef<Session>>();
  private readonly leftBehind = new FinalizationRegistry<string>((id) => {
    if (this.beginning.get(id)?.deref() === undefined) this.beginning.delete(id);
  });
  /** The last training, of any session. */
  private training: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly executor: TrainableExecutor,
    private readonly settings: SessionSettings,
    private readonly clock: Clock,
    private readonly onForgotten: (why: Forgotten) => void = () => undefined,
  ) {}

  /** Sessions that are remembered now. */
  get size(): number {
    this.forgetIdle();
    return this.sessions.size;
  }

  /** Of all adapters that are remembered now. */
  get bytes(): number {
    this.forgetIdle();
    return this.sessions.values().reduce((sum, { learned }) => sum + (learned?.adapter.bytes ?? 0), 0);
  }

  /**
   * Uses the session. Where there is none the first message begins it, not the visit: a request that is not answered takes no one's room.
   * @param owner whose it is
   */
  visit(id: string, owner: string | null = null): SessionVisit {
    const session = this.used(id) ?? this.toBegin(id, owner);
    return {
      learned: () => session.learned,
      tell: (message, signal) => this.tellIn(id, session, message, signal),
    };
  }

  /**
   * Adds a message, and trains where it is the session's turn to learn. Resolves when that training has ended.
   * @throws INVALID_INPUT for a message that is too long; DEADLINE_EXCEEDED; ABORTED; what training throws: the session answers as before
   */
  async tell(id: string, message: string, signal?: AbortSignal): Promise<Lesson> {
    return this.settings.every === 0 ? 'kept' : this.visit(id).tell(message, signal);
  }

  /** @throws INVALID_INPUT for a message that no session can learn */
  assertLearnable(message: string): void {
    const { mostCharacters } = this.settings;
    if (message.length <= mostCharacters) return;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot learn from a message: expected at most ${mostCharacters} characters, got ${message.length}. Divide it.`,
    );
  }

  /** Its adapter, or the frozen model. */
  modelOf(id: string): SessionModel {
    return this.used(id)?.learned?.model ?? this.executor;
  }

  /** Looking is no use: it makes no session last. */
  standingOf(id: string): SessionStanding | undefined {
    this.forgetIdle();
    const session = this.sessions.get(id);
    if (session === undefined) return undefined;
    const { messages, told, trainings, learned, wanted, usedAt } = session;
    return {
      ...{ messages: told, keptMessages: messages.length, trainings, isLearning: wanted !== null },
      ...{ adapter: learned?.adapter ?? null, expiresAt: usedAt + this.settings.forgottenAfterMs },
    };
  }

  /** @returns whether there was one. A training of it that waits or runs comes to nothing. */
  forget(id: string): boolean {
    this.forgetIdle();
    // One that is still to begin is not begun by the requests that would have.
    this.beginning.get(id)?.deref()?.ended.abort();
    this.beginning.delete(id);
    return this.drop(id, 'request');
  }

  /** Forgets what was not used for too long. Every other call does so first. */
  forgetIdle(): void {
    const before = this.clock.now() - this.settings.forgottenAfterMs;
    for (const [id, { usedAt }] of this.sessions) if (usedAt <= before) this.drop(id, 'idle');
  }

  private async tellIn(id: string, session: Session, message: string, signal?: AbortSignal): Promise<Lesson> {
    const { every, mostMessages } = this.settings;
    this.assertLearnable(message);
    this.forgetIdle();
    // A later one of its name hears nothing of it.
    if (isForgotten(session)) return 'forgotten';
    if (this.used(id) === undefined) this.begin(id, session);
    session.messages = [...session.messages, message].slice(-mostMessages);
    session.told++;
    if (session.told % every !== 0) return 'kept';
    session.wanted = session.messages;
    // The queue holds no texts: those of a session that is forgotten are gone.
    const turn = session.told;
    const lesson = this.training.then(() => this.learn(session, turn, signal));
    this.training = lesson.catch(() => undefined);
    return lesson;
  }

  /** Always from the frozen weights: equal messages give equal adapters, however often a session has learned before. */
  private async learn(session: Session, turn: number, signal: AbortSignal | undefined): Promise<Lesson> {
    const messages = session.wanted;
    if (isForgotten(session) || messages === null) return 'forgotten';
    if (turn + this.settings.every <= session.told) return 'overtaken';
    const late = AbortSignal.timeout(this.settings.trainWithinMs);
    const signals = [session.ended.signal, late, ...(signal === undefined ? [] : [signal])];
    try {
      const documents = this.lastThatFit(messages);
      if (documents.length === 0) return 'too-long';
      const adaptation = await this.executor.adapt(
        { documents, settings: this.updateOf(documents), seed: 'session' },
        { signal: AbortSignal.any(signals) },
      );
      if (isForgotten(session)) return 'forgotten';
      if (adaptation.status === 'refused') return 'refused';
      const { model, adapter } = adaptation;
      if (adapter.bytes > this.settings.mostBytes) return 'too-large';
      session.learned = { model, adapter };
      session.trainings++;
      this.makeRoomBeside(session);
      return 'learned';
    } catch (error) {
      if (isForgotten(session)) return 'forgotten';
      if (late.aborted && isSeamError(error, 'ABORTED')) throw tooLate(this.settings.trainWithinMs);
      throw error;
    } finally {
      if (session.wanted === messages) session.wanted = null;
    }
  }

  /** A step cannot be ended, and all others wait for it. */
  private lastThatFit(messages: readonly string[]): readonly string[] {
    let tokens = 0;
    const first = messages.findLastIndex((message) => {
      tokens += this.executor.countTokens(message);
      return tokens > this.settings.mostTokens;
    });
    return messages.slice(first + 1);
  }

  private updateOf({ length }: readonly string[]): InnerUpdateSettings {
    const { rank, learningRate, steps } = this.settings;
    return innerUpdateSchema.parse({
      ...{ rank, alpha: 2 * rank, learningRate },
      ...{ epochs: steps, batchSize: length, plateau: { patience: 0 } },
    });
  }

  private makeRoomBeside(own: Session): void {
    const bytesOf = ({ learned }: Session): number => learned?.adapter.bytes ?? 0;
    while (this.bytes > this.settings.mostBytes && this.dropFor(own, bytesOf));
  }

  /**
   * Of the owner that has most, what is needed counted, the one that was idle for the longest goes. Between equal owners that of `own` gives
   * the room. So who has many sessions takes no room from who has few.
   * @returns whether there was one
   */
  private dropFor(own: Session, sizeOf: (session: Session) => number): boolean {
    const others = [...this.sessions].filter(([, each]) => each !== own && sizeOf(each) > 0);
    const sizes = new Map([[own.owner, sizeOf(own)]]);
    for (const [, each] of others) sizes.set(each.owner, (sizes.get(each.owner) ?? 0) + sizeOf(each));
    const most = Math.max(...others.map(([, { owner }]) => sizes.get(owner)!));
    const those = others.filter(([, { owner }]) => sizes.get(owner) === most);
    const [id] = those.find(([, { owner }]) => owner === own.owner) ?? those[0] ?? [];
    return id !== undefined && this.drop(id, 'room');
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

  private toBegin(id: string, owner: string | null): Session {
    const known = this.beginning.get(id)?.deref();
    if (known !== undefined) return known;
    const session: Session = {
      ...{ owner, messages: [], told: 0, trainings: 0, usedAt: this.clock.now() },
      ...{ learned: null, wanted: null, ended: new AbortController() },
    };
    this.beginning.set(id, new WeakRef(session));
    this.leftBehind.register(session, id);
    return session;
  }

  private begin(id: string, session: Session): void {
    this.beginning.delete(id);
    while (this.sessions.size >= this.settings.mostSessions && this.dropFor(session, () => 1));
    session.usedAt = this.clock.now();
    this.sessions.set(id, session);
  }

  private drop(id: string, why: Forgotten): boolean {
    const session = this.sessions.get(id);
    if (session === undefined) return false;
    this.sessions.delete(id);
    // Requests that found the session hold it still.
    Object.assign(session, { learned: null, messages: [], wanted: null });
    session.ended.abort();
    this.onForgotten(why);
    return true;
  }
}

/** In the meantime, say; another session may have its name now. */
function isForgotten({ ended }: Session): boolean {
  return ended.signal.aborted;
}

function tooLate(withinMs: number): SeamError {
  return new SeamError(
    'DEADLINE_EXCEEDED',
    `Cannot finish a training of a session: expected its end within ${withinMs} ms, got none. Lower the steps or the messages, or allow more time.`,
  );
}
