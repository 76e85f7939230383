/**
 * Who may read the log for acts, costs or the past, and when: a tenant reads it for each of these once at a time. So none holds up the
 * others, and who may look at one thing alone holds up no one who may look at another.
 */
import { Semaphore } from '@seamstream/kernel';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { endedOf } from '../http/reply-stream.js';

/** In all tenants together. */
const MOST_AT_ONCE = 2;
/** Of one tenant for one thing, the one that is read among them. */
export const MOST_ASKED = 4;

interface Turn {
  readonly tenant: string;
  /** E.g. "list acts". */
  readonly what: string;
  /** It may fold the log as it was at a moment. */
  readonly isOfPast?: boolean;
}

export class ReadingTurns {
  private readonly all = new Semaphore(MOST_AT_ONCE);
  /** A fold of the past is large, so there is one. Who waits for it holds none of the turns above. */
  private readonly past = new Semaphore(1);
  /** By tenant and what is asked for. */
  private readonly own = new Map<string, { readonly turn: Semaphore; asked: number }>();

  /**
   * The text of an answer that a long reading gives. A client that leaves ends the reading, and so does a gateway that closes.
   * @param read is given what ends it
   * @throws as {@link take}, but nothing once the client has left: then the answer is empty
   */
  async answer(
    reply: FastifyReply,
    { closing, ...turn }: Turn & { readonly closing: AbortSignal },
    read: (signal: AbortSignal) => Promise<string>,
  ): Promise<string> {
    const gone = endedOf(reply);
    const signal = AbortSignal.any([gone, closing]);
    try {
      return await this.take(turn, () => read(signal), signal);
    } catch (error) {
      // No one reads the answer, and it is no fault.
      if (gone.aborted) return '';
      throw error;
    }
  }

  /**
   * Reads when it is the tenant's turn.
   * @param signal ends the waiting; the reading ends by itself
   * @throws ApiError 429 where too many of the tenant wait, ABORTED when the signal came first, and what the reading throws
   */
  async take<T>({ tenant, what, isOfPast = false }: Turn, read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const name = JSON.stringify([tenant, what]);
    const own = this.own.get(name) ?? { turn: new Semaphore(1), asked: 0 };
    if (own.asked >= MOST_ASKED) throw tooMany(what, tenant);
    this.own.set(name, own);
    own.asked++;
    try {
      const inAll = (): Promise<T> => this.all.run(read, signal);
      return await own.turn.run(() => (isOfPast ? this.past.run(inAll, signal) : inAll()), signal);
    } finally {
      if (--own.asked === 0) this.own.delete(name);
    }
  }
}

function tooMany(what: string, tenant: string): ApiError {
  return new ApiError({
    status: 429,
    message: `Cannot ${what} now: expected at most ${MOST_ASKED} readings under way for the tenant ${tenant}, got one more. Ask again when they are answered.`,
    code: 'too_many_requests',
    headers: { 'retry-after': '5' },
  });
}
