/**
 * The keys of an issuer, as the gateway knows them. They are read again all the time, so a key that the issuer no longer publishes opens
 * nothing a few minutes later; and at once for a key that is new. While the issuer gives no answer, those that are known hold for an hour.
 */
import { type Clock, isSeamError, SeamError, sleep } from '@seamstream/kernel';
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from 'jose';

export interface KeyRhythm {
  /** Between two readings. */
  readonly everyMs: number;
  /** After a reading that failed, and least time between two for keys that are unknown: a flood of tokens is no flood of readings. */
  readonly againAfterMs: number;
  /** So long known keys hold without an answer of the issuer. */
  readonly keptMs: number;
}

const RHYTHM: KeyRhythm = { everyMs: 300_000, againAfterMs: 30_000, keptMs: 3_600_000 };

export interface IssuerKeysWorld {
  readonly read: (signal: AbortSignal) => Promise<JSONWebKeySet>;
  readonly clock: Clock;
  /** Learns of each reading; the error of one that failed. */
  readonly onRead: (error: SeamError | undefined) => void;
}

export class IssuerKeys {
  /** Of the last reading for a key that was unknown. */
  private searchedAtMs = 0;
  private failure: SeamError | undefined;
  private asking: Promise<void> | undefined;

  private constructor(
    private readonly world: IssuerKeysWorld,
    private readonly rhythm: KeyRhythm,
    private readonly signal: AbortSignal,
    private known: { readonly find: LocalJWKSet; readonly readAtMs: number },
  ) {}

  /**
   * @returns the keys, and the reading of later ones, which ends with the signal
   * @throws SeamError where there are none: then no token could be taken
   */
  static async open(
    world: IssuerKeysWorld,
    signal: AbortSignal,
    rhythm = RHYTHM,
  ): Promise<[IssuerKeys, Promise<void>]> {
    const readAtMs = world.clock.now();
    const find = createLocalJWKSet(await world.read(signal));
    const keys = new IssuerKeys(world, rhythm, signal, { find, readAtMs });
    return [keys, keys.follow()];
  }

  /**
   * The key that a token says it was signed with; nothing of the token is proven yet.
   * @throws ENDPOINT_UNAVAILABLE where the issuer would have to be asked and does not answer; jose's errors for a key that no one publishes
   */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    try {
      return await this.current()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.search();
      if (this.failure !== undefined) throw this.failure;
      return this.current()(header, token);
    }
  }

  private current(): LocalJWKSet {
    const { find, readAtMs } = this.known;
    if (this.world.clock.now() < readAtMs + this.rhythm.keptMs) return find;
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
      await sleep(this.failure === undefined ? this.rhythm.everyMs : this.rhythm.againAfterMs, this.signal);
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
      const find = createLocalJWKSet(await read(this.signal));
      this.known = { find, readAtMs };
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
