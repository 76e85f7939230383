/**
 * The keys of an issuer, as the gateway knows them. They are read again all the time, so a key that the issuer no longer publishes opens
 * nothing a few minutes later; and at once for a key that is new. While the issuer gives no answer, those that are known hold for an hour.
 * An issuer that is away at the start is asked until it answers.
 */
import { type Clock, isSeamError, SeamError, sleep } from '@seamstream/kernel';
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import type { IssuerRead } from './read-issuer.js';

export interface KeyRhythm {
  /** Between two readings. */
  readonly everyMs: number;
  /** After a reading that failed, and least time between two for keys that are unknown: a flood of tokens is no flood of readings. */
  readonly againAfterMs: number;
  /** Between two readings until the first that succeeds. */
  readonly untilFirstMs: number;
  /** So long known keys hold without an answer of the issuer. */
  readonly keptMs: number;
}

const RHYTHM: KeyRhythm = { everyMs: 300_000, againAfterMs: 30_000, untilFirstMs: 5_000, keptMs: 3_600_000 };

export interface IssuerKeysWorld {
  readonly read: (signal: AbortSignal) => Promise<IssuerRead>;
  readonly clock: Clock;
  /** Learns of each reading; the error of one that failed. */
  readonly onRead: (error: SeamError | undefined) => void;
}

interface KnownIssuer {
  readonly find: LocalJWKSet;
  readonly metadata: IssuerRead['metadata'];
  readonly readAtMs: number;
}

export class IssuerKeys {
  /** Undefined until the issuer answers for the first time. */
  private known: KnownIssuer | undefined;
  /** Of the last reading for a key that was unknown. */
  private searchedAtMs = 0;
  private failure: SeamError | undefined;
  private asking: Promise<void> | undefined;

  private readonly startedAtMs: number;

  private constructor(
    private readonly world: IssuerKeysWorld,
    private readonly rhythm: KeyRhythm,
    private readonly signal: AbortSignal,
  ) {
    this.startedAtMs = world.clock.now();
  }

  /**
   * @returns the keys, and the reading of later ones, which ends with the signal
   * @throws INVALID_CONFIGURATION where an answer comes that is not this issuer's: to ask again would not help
   */
  static async open(
    world: IssuerKeysWorld,
    signal: AbortSignal,
    rhythm = RHYTHM,
  ): Promise<[IssuerKeys, Promise<void>]> {
    const keys = new IssuerKeys(world, rhythm, signal);
    await keys.read();
    if (isSeamError(keys.failure, 'INVALID_CONFIGURATION')) throw keys.failure;
    return [keys, keys.follow()];
  }

  /** Where the issuer signs people in. @throws ENDPOINT_UNAVAILABLE where it has not answered for an hour */
  get metadata(): IssuerRead['metadata'] {
    return this.current().metadata;
  }

  /** Milliseconds since the issuer last said which keys it has; since the start where it never did. */
  get silenceMs(): number {
    return this.world.clock.now() - (this.known?.readAtMs ?? this.startedAtMs);
  }

  /** Why no token can be taken now; undefined where they are. */
  get fault(): SeamError | undefined {
    try {
      this.current();
      return undefined;
    } catch (error) {
      return error as SeamError;
    }
  }

  /**
   * The key that a token says it was signed with; nothing of the token is proven yet.
   * @throws ENDPOINT_UNAVAILABLE where the issuer would have to be asked and does not answer; jose's errors for a key that no one publishes
   */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    try {
      return await this.current().find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.search();
      if (this.failure !== undefined) throw this.failure;
      return this.current().find(header, token);
    }
  }

  private current(): KnownIssuer {
    if (this.known !== undefined && this.world.clock.now() < this.known.readAtMs + this.rhythm.keptMs)
      return this.known;
    throw this.failure ?? new SeamError('ENDPOINT_UNAVAILABLE', 'Cannot take a token: expected keys of its issuer.');
  }

  /** The issuer may have a new key. Bearers of forged tokens wait for the same reading. */
  private async search(): Promise<void> {
    const nowMs = this.world.clock.now();
    if (nowMs >= this.searchedAtMs + this.rhythm.againAfterMs) {
      this.searchedAtMs = nowMs;
      await this.read();
    } else await this.asking;
  }

  private async follow(): Promise<void> {
    for (;;) {
      const { everyMs, againAfterMs, untilFirstMs } = this.rhythm;
      const waitMs = this.known === undefined ? untilFirstMs : this.failure === undefined ? everyMs : againAfterMs;
      await sleep(waitMs, this.signal);
      if (this.signal.aborted) return;
      await this.read();
    }
  }

  /** One reading at a time. It does not throw: what is known stays. */
  private read(): Promise<void> {
    this.asking ??= this.readOnce().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async readOnce(): Promise<void> {
    const { read, clock, onRead } = this.world;
    const readAtMs = clock.now();
    try {
      const { keys, metadata } = await read(this.signal);
      this.known = { find: createLocalJWKSet(keys), metadata, readAtMs };
      this.failure = undefined;
    } catch (error) {
      // The end of the gateway is no fault of the issuer.
      if (this.signal.aborted) return;
      this.failure = isSeamError(error)
        ? error
        : new SeamError('ENDPOINT_UNAVAILABLE', 'Cannot take a token: expected keys of its issuer, got others.', {
            cause: error,
          });
    }
    onRead(this.failure);
  }
}
