/** Bearer tokens of an OpenID provider: whether one is genuine and meant for this gateway, and who comes with it. */
import { DEFAULT_TENANT } from '@seamstream/events';
import { type Clock, isSeamError, type SeamError } from '@seamstream/kernel';
import { userIdOf } from '@seamstream/operations/access';
import { type JWTPayload, jwtVerify } from 'jose';
import type { IssuerSettings } from '../config.js';
import { ApiError } from '../http/api-error.js';
import { IssuerKeys, type KeyRhythm } from './issuer-keys.js';
import type { Principal } from './principal.js';
import { readIssuer } from './read-issuer.js';
import { RefusedError } from './refused-error.js';
import { roleOfClaims, tenantOfClaims } from './role-of-claims.decide.js';
import { tokenRefusal } from './token-refusal.decide.js';

/** Clocks of issuer and gateway may differ by so much. */
const CLOCK_TOLERANCE_MS = 5_000;
/** Of access tokens (RFC 9068) and of those without a separate name. A token for another purpose (logout+jwt) is not one. */
const TYPES = /^(application\/)?(at\+)?jwt$/i;
/** Most that OpenID Connect allows. */
const MAX_SUBJECT_LENGTH = 255;

export interface TokensWorld {
  readonly clock: Clock;
  /** Learns of each reading of the issuer's keys; the error of one that failed. */
  readonly onRead: (error: SeamError | undefined) => void;
}

export class Tokens {
  private constructor(
    private readonly settings: IssuerSettings,
    /** Of the issuer. */
    readonly keys: IssuerKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Asks the issuer for its keys, and follows them until the signal aborts. One that is away is asked again.
   * @throws INVALID_CONFIGURATION where its answer is not that of an issuer of this name
   */
  static async open(
    settings: IssuerSettings,
    { clock, onRead }: TokensWorld,
    signal: AbortSignal,
    rhythm?: KeyRhythm,
  ): Promise<[Tokens, Promise<void>]> {
    const read = (until: AbortSignal) => readIssuer(settings.url, until);
    const [keys, reading] = await IssuerKeys.open({ read, clock, onRead }, signal, rhythm);
    return [new Tokens(settings, keys, clock), reading];
  }

  /** @throws ApiError: 401 for a token that is not genuine, not for this gateway, or not valid now; 403 without a role; 503 without keys */
  async principalOf(token: string): Promise<Principal> {
    return this.userOf(await this.claimsOf(token, this.settings.audience));
  }

  /** Who signed in. @param idToken of the issuer, for the client as which the gateway is registered there @throws as principalOf */
  async signedIn(idToken: string, clientId: string): Promise<Principal> {
    return this.userOf(await this.claimsOf(idToken, clientId));
  }

  /** Whether users of another tenant than the default one may come. */
  get hasTenants(): boolean {
    return Object.values(this.settings.tenants).some((tenant) => tenant !== DEFAULT_TENANT);
  }

  private userOf(claims: JWTPayload): Principal {
    const { url, rolesClaim, roles, tenantsClaim, tenants } = this.settings;
    const { sub, exp } = claims;
    // A number or a list would name another user than its text does.
    const isNamed = typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_LENGTH;
    if (!isNamed || exp === undefined) throw tokenRefusal(undefined);
    const role = roleOfClaims(claims, rolesClaim, roles);
    const id = userIdOf(url, sub);
    const message = `Cannot answer: expected a token whose ${rolesClaim} names a group with a role, got one without. Ask an admin for a role.`;
    if (role === undefined) throw new RefusedError({ status: 403, message, code: 'no_role' }, inNoTenant(id));
    const tenant = tenantOfClaims(claims, tenantsClaim, tenants);
    if (tenant === undefined) throw withoutTenant(tenantsClaim, id);
    return { id, role, tenant, expiresAt: exp * 1000 + CLOCK_TOLERANCE_MS };
  }

  private async claimsOf(token: string, audience: string): Promise<JWTPayload> {
    const { url, algorithms } = this.settings;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (header, given) => this.keys.find(header, given), {
        ...{ issuer: url, audience, algorithms: [...algorithms] },
        ...{ clockTolerance: CLOCK_TOLERANCE_MS / 1000, currentDate: new Date(this.clock.now()) },
      });
      if (protectedHeader.typ !== undefined && !TYPES.test(protectedHeader.typ)) throw tokenRefusal(undefined);
      return payload;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw isSeamError(error) ? issuerSilent(url) : tokenRefusal(error);
    }
  }
}

/** Whom no tenant has is refused by the operator of the whole system. */
const inNoTenant = (id: string) => ({ id, tenant: DEFAULT_TENANT });

function withoutTenant(claim: string, id: string): RefusedError {
  const message = `Cannot answer: expected a token whose ${claim} names one tenant, got none or several. Ask an admin for one.`;
  return new RefusedError({ status: 403, message, code: 'no_tenant' }, inNoTenant(id));
}

function issuerSilent(issuer: string): ApiError {
  return new ApiError({
    status: 503,
    message: `Cannot check the token now: expected the keys of ${issuer}, got no answer. Try again.`,
    code: 'issuer_unavailable',
    headers: { 'retry-after': '30' },
  });
}
