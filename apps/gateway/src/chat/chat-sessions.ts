/**
 * Sessions of clients that learn from what is said in them. They are in this process alone, and none of their words is written anywhere. A
 * session belongs to the client that named it: the same name of another client is another session.
 *
 *   request ─► visit: the adapter that it has ─► answer in the log ─► the session gets the message ─► perhaps a training, which no request waits for
 */
import {
  type LearnedModel,
  SessionAdapters,
  type SessionSettings,
  type SessionStanding,
  type TrainableExecutor,
} from '@seamstream/environments';
import type { ChatRequest } from '@seamstream/gateway-contract';
import { canonicalJson, isSeamError, withDeadline } from '@seamstream/kernel';
import type { ServiceMetrics } from '@seamstream/service-kit';
import { type Principal, scopeOf } from '../access/principal.js';
import type { GatewayWorld } from '../gateway-world.js';
import { ApiError } from '../http/api-error.js';
import { messageIn } from './conversation.decide.js';

type Owner = Pick<Principal, 'id' | 'tenant'>;

/** The session of a request, as it was when the request came. */
export interface ChatVisit {
  /** What its adapter is now; null: the frozen executor answers. */
  learned(): LearnedModel | null;
  /** The answer is in the log: the session hears the message, unless it is forgotten. */
  answered(): void;
}

type SessionsWorld = Pick<GatewayWorld, 'clock' | 'config' | 'logger' | 'metrics'>;

/** Two looks at idle sessions are between a second and a minute apart. */
const LOOK_MS = [1_000, 60_000] as const;

export class ChatSessions {
  private readonly adapters: SessionAdapters | undefined;
  private readonly counts: SessionCounts | undefined;
  private readonly learning = new Set<Promise<void>>();
  private readonly closing = new AbortController();

  /** @param executor undefined: there are no sessions */
  constructor(
    settings: SessionSettings,
    executor: TrainableExecutor | undefined,
    private readonly world: SessionsWorld,
  ) {
    if (executor === undefined) return;
    const counts = countsIn(world.metrics);
    const adapters = new SessionAdapters(executor, settings, world.clock, (why) => counts.forgotten.inc({ why }));
    this.adapters = adapters;
    this.counts = counts;
    showSessions(world.metrics, adapters);
    const everyMs = Math.min(Math.max(settings.forgottenAfterMs / 4, LOOK_MS[0]), LOOK_MS[1]);
    const looking = setInterval(() => adapters.forgetIdle(), everyMs).unref();
    this.closing.signal.addEventListener('abort', () => clearInterval(looking));
  }

  /**
   * The session that a request names; null where it names none.
   * @throws ApiError 400 where there are no sessions, INVALID_INPUT for a message that is too long to be learned
   */
  visit(owner: Owner, { messages, seam }: Pick<ChatRequest, 'messages' | 'seam'>): ChatVisit | null {
    if (seam?.session === undefined) return null;
    if (this.adapters === undefined) throw withoutSessions();
    const message = messageIn(messages);
    if (message !== null) this.adapters.assertLearnable(message);
    const visit = this.adapters.visit(keyOf(owner, seam.session), scopeOf(owner));
    return {
      learned: () => visit.learned(),
      answered: () => {
        if (message === null) return;
        const learning = this.tell(() => visit.tell(message, this.closing.signal)).finally(() =>
          this.learning.delete(learning),
        );
        this.learning.add(learning);
      },
    };
  }

  /** Undefined where there is none. */
  standingOf(owner: Owner, name: string): SessionStanding | undefined {
    return this.adapters?.standingOf(keyOf(owner, name));
  }

  /** @returns whether there was one */
  forget(owner: Owner, name: string): boolean {
    return this.adapters?.forget(keyOf(owner, name)) ?? false;
  }

  /** Ends the training under way. A step of it that takes longer than the time at shutdown is left behind: nothing of a session is kept. */
  async close(): Promise<void> {
    this.closing.abort();
    await withDeadline(this.world.config.gateway.shutdownGraceMs, Promise.all(this.learning)).catch(() =>
      this.world.logger.warn({}, 'a training of a session did not end in time; the gateway closes without it'),
    );
  }

  /** A training that fails is no request's fault: the session answers as before. */
  private async tell(telling: () => Promise<string>): Promise<void> {
    const startedMs = performance.now();
    try {
      const lesson = await telling();
      if (lesson === 'kept') return;
      this.counts?.lessons.inc({ result: lesson });
      if (lesson === 'learned') this.counts?.seconds.observe((performance.now() - startedMs) / 1000);
    } catch (error) {
      if (this.closing.signal.aborted) return;
      const isLate = isSeamError(error, 'DEADLINE_EXCEEDED');
      this.counts?.lessons.inc({ result: isLate ? 'late' : 'failed' });
      this.world.logger.warn({ err: error }, 'a session has NOT LEARNED; it answers as before');
    }
  }
}

/** No client chooses who it is, so none names the session of another. */
function keyOf(owner: Owner, name: string): string {
  return canonicalJson([scopeOf(owner), name]);
}

function withoutSessions(): ApiError {
  return new ApiError({
    status: 400,
    message:
      'Cannot answer in a session: expected a gateway with sessions, got one without. Leave the session out, or set SEAM_GATEWAY_SESSIONS_EVERY.',
    param: 'seam.session',
    code: 'no_sessions',
  });
}

type SessionCounts = ReturnType<typeof countsIn>;

/** No series names a session or its client. */
function countsIn(metrics: ServiceMetrics) {
  return {
    lessons: metrics.counter('seam_session_trainings_total', 'Trainings of sessions by their result.', ['result']),
    seconds: metrics.histogram(
      'seam_session_training_seconds',
      'From a message to the adapter that was learned with it, its wait for others included.',
      [],
      [0.1, 0.3, 1, 3, 10, 30, 100],
    ),
    forgotten: metrics.counter(
      'seam_sessions_forgotten_total',
      'Sessions that were forgotten: on request, when they were idle, or for the room that another one needed.',
      ['why'],
    ),
  };
}

function showSessions(metrics: ServiceMetrics, adapters: SessionAdapters): void {
  metrics.gauge('seam_sessions', 'Sessions that are remembered.', async () => adapters.size);
  metrics.gauge('seam_session_adapter_bytes', 'Of the adapters of all sessions.', async () => adapters.bytes);
}
