/** People sign in to the dashboard at the OpenID provider (authorization code with PKCE), and come back with a session. */
import { isSeamError, messageOf } from '@seamstream/kernel';
import type { Principal } from '../access/principal.js';
import { RefusedError } from '../access/refused-error.js';
import type { Sessions } from '../access/sessions.js';
import type { Tokens } from '../access/tokens.js';
import { ApiError } from '../http/api-error.js';
import { Cookie } from '../http/cookies.js';
import { type IssuerClient, LoginError } from './issuer-client.js';
import type { LoginSettings } from './login.config.js';
import { attemptIn, newAttempt } from './login-attempt.js';
import { returnAddress } from './return-address.decide.js';

/** Time to sign in at the provider. */
const ATTEMPT_MS = 600_000;
/** Codes that are taken to the provider at a time: forged ones are no flood of requests to it. */
const MOST_AT_ONCE = 8;

export interface LoginWorld {
  readonly client: IssuerClient;
  readonly tokens: Pick<Tokens, 'signedIn'>;
  readonly sessions: Sessions;
  /** Learns of a login that failed for another reason than its user. */
  readonly onFault: (reason: string) => void;
}

/** Where a browser is sent, and what it is to keep. */
export interface Sent {
  readonly location: string;
  readonly cookies: readonly string[];
  /** For the list of refusals; absent where no one was refused. */
  readonly refused?: RefusedError;
}

export class Login {
  private readonly attempts: Cookie;
  private underWay = 0;

  constructor(
    private readonly settings: LoginSettings,
    private readonly world: LoginWorld,
  ) {
    this.attempts = new Cookie('seam-login', settings.origin);
  }

  /** @param to the address of the dashboard that the user wants to see */
  async begin(to: unknown): Promise<Sent> {
    const value = newAttempt(returnAddress(to, this.settings.origin));
    try {
      const location = await this.world.client.beginAddress(attemptIn(value)!);
      return { location, cookies: [this.attempts.set(value, ATTEMPT_MS)] };
    } catch (error) {
      if (!isSeamError(error)) throw error;
      this.world.onFault(error.message);
      return { location: pageSaying('unavailable'), cookies: [] };
    }
  }

  /**
   * The provider sent the browser back.
   * @param query with the code
   * @param cookies as the request has them
   */
  async finish(query: string, cookies: string | undefined): Promise<Sent> {
    const attempt = attemptIn(this.attempts.in(cookies));
    // One attempt, one answer.
    const forget = this.attempts.set('', 0);
    if (attempt === undefined) return refusal('expired', forget);
    if (this.underWay >= MOST_AT_ONCE) return { location: pageSaying('unavailable'), cookies: [] };
    this.underWay++;
    try {
      const idToken = await this.world.client.idTokenFor(query, attempt);
      const principal = await this.world.tokens.signedIn(idToken, this.settings.clientId);
      const { sessionMs, origin } = this.settings;
      const secret = await this.world.sessions.begin(principal as Principal & { readonly id: string }, sessionMs);
      const session = this.world.sessions.cookie.set(secret, sessionMs);
      return { location: returnAddress(attempt.returnTo, origin), cookies: [session, forget] };
    } catch (error) {
      return this.failed(error, forget);
    } finally {
      this.underWay--;
    }
  }

  /** Ends the session here; @returns where the browser ends it at the provider */
  async end(principal: Principal & { readonly id: string; readonly sessionId: string }): Promise<Sent> {
    await this.world.sessions.end(principal);
    return { location: this.world.client.endAddress() ?? '/', cookies: [this.world.sessions.cookie.set('', 0)] };
  }

  private failed(error: unknown, forget: string): Sent {
    if (error instanceof LoginError) {
      if (error.fault !== 'denied') this.world.onFault(error.message);
      return error.fault === 'unavailable'
        ? { location: pageSaying('unavailable'), cookies: [forget] }
        : refusal(error.fault, forget);
    }
    if (error instanceof RefusedError) {
      const isWithoutRole = error.status === 403;
      if (!isWithoutRole) this.world.onFault(messageOf(error));
      return { location: pageSaying(isWithoutRole ? 'no-role' : 'failed'), cookies: [forget], refused: error };
    }
    const isElsewhere = isSeamError(error) || (error instanceof ApiError && error.status === 503);
    if (!isElsewhere) throw error;
    this.world.onFault(messageOf(error));
    return { location: pageSaying('unavailable'), cookies: [forget] };
  }
}

/** Why no one is signed in, in words that the page knows. */
type Outcome = 'denied' | 'expired' | 'failed' | 'no-role' | 'unavailable';

const pageSaying = (outcome: Outcome): string => `/?sign-in=${outcome}`;

function refusal(outcome: Outcome, forget: string): Sent {
  const facts = { status: 401, message: 'Cannot sign in: expected a login of this browser.', code: `login_${outcome}` };
  return { location: pageSaying(outcome), cookies: [forget], refused: new RefusedError(facts, null) };
}
