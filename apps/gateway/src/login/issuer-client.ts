/** The gateway as a client of the OpenID provider: what a browser is sent there with, and what its code is worth (OpenID Connect Core, section 3.1). */
import { messageOf, SeamError, textWithin } from '@seamstream/kernel';
import * as oidc from 'openid-client';
import type { IssuerRead } from '../access/read-issuer.js';
import type { LoginSettings } from './login.config.js';
import type { LoginAttempt } from './login-attempt.js';

const CALLBACK = '/login/callback';

/** Longest wait for the provider to take a code. */
const TIMEOUT_S = 5;
/** Of an answer with tokens: a token of many groups has less. */
const MAX_ANSWER_BYTES = 256 * 1024;

export type LoginFault = 'denied' | 'failed' | 'unavailable';

/** Why the provider did not sign someone in. */
export class LoginError extends Error {
  constructor(
    readonly fault: LoginFault,
    /** For the operator: it holds no code, token or secret. */
    reason: string,
  ) {
    super(reason);
  }
}

export class IssuerClient {
  constructor(
    private readonly settings: LoginSettings,
    /** As the provider said it last. @throws SeamError where it never did */
    private readonly metadata: () => IssuerRead['metadata'],
  ) {}

  /** Where a browser begins. @throws ENDPOINT_UNAVAILABLE where the provider is unknown, INVALID_CONFIGURATION where it signs no one in */
  async beginAddress({ state, nonce, verifier }: LoginAttempt): Promise<string> {
    const { origin, scope } = this.settings;
    const config = this.configured();
    return oidc.buildAuthorizationUrl(config, {
      ...{ redirect_uri: `${origin}${CALLBACK}`, scope, state, nonce, response_type: 'code' },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /**
   * Takes the code to the provider. State, issuer, nonce, audience and times are checked here, the token's signature is not.
   * @param query of the address to which the provider sent the browser
   * @returns the identity token
   * @throws LoginError
   */
  async idTokenFor(query: string, { state, nonce, verifier }: LoginAttempt): Promise<string> {
    const address = new URL(CALLBACK, this.settings.origin);
    address.search = query;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    try {
      const { id_token: token } = await oidc.authorizationCodeGrant(this.configured(), address, checks);
      if (token === undefined) throw new LoginError('failed', 'no identity token');
      return token;
    } catch (error) {
      throw loginErrorOf(error);
    }
  }

  /** Where the provider ends its own session; undefined where it has no such place, or is unknown. */
  endAddress(): string | undefined {
    const { clientId, origin } = this.settings;
    let end: string | undefined;
    try {
      end = this.metadata().end_session_endpoint;
    } catch {
      // The gateway's session has ended all the same.
    }
    if (end === undefined) return undefined;
    const address = new URL(end);
    address.searchParams.set('client_id', clientId);
    address.searchParams.set('post_logout_redirect_uri', `${origin}/`);
    return address.href;
  }

  private configured(): oidc.Configuration {
    const { clientId, secret, algorithms } = this.settings;
    const { authorization_endpoint: begin, token_endpoint: token, ...metadata } = this.metadata();
    if (begin === undefined || token === undefined)
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot sign in at ${metadata.issuer}: expected its addresses of login and tokens by https, got none. Correct the provider.`,
      );
    const server = {
      ...(metadata as oidc.ServerMetadata),
      ...{
        authorization_endpoint: begin,
        token_endpoint: token,
        id_token_signing_alg_values_supported: [...algorithms],
      },
    };
    const isPost = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false;
    const known =
      secret === undefined ? oidc.None() : (isPost ? oidc.ClientSecretPost : oidc.ClientSecretBasic)(secret);
    const config = new oidc.Configuration(server, clientId, {}, known);
    config.timeout = TIMEOUT_S;
    config[oidc.customFetch] = boundedFetch;
    // Addresses in clear are on this machine alone: others were taken for none when they were read.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The library marks it so that it stands out.
    if (token.startsWith('http:')) oidc.allowInsecureRequests(config);
    return config;
  }
}

async function boundedFetch(url: string, options: oidc.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  const text = await textWithin(MAX_ANSWER_BYTES, response);
  return new Response(text, { status: response.status, headers: response.headers });
}

/** Distinguishes faults of who asks from those of the provider. Neither repeats what the other side wrote. */
function loginErrorOf(error: unknown): LoginError {
  if (error instanceof LoginError) return error;
  if (error instanceof oidc.AuthorizationResponseError)
    return new LoginError(error.error === 'access_denied' ? 'denied' : 'failed', 'the provider sent an error back');
  if (error instanceof oidc.ResponseBodyError) {
    if (error.status >= 500) return new LoginError('unavailable', `status ${error.status} for a code`);
    return new LoginError('failed', error.error === 'invalid_grant' ? 'a code that is void' : WRONG_CLIENT);
  }
  if (error instanceof oidc.WWWAuthenticateChallengeError) return new LoginError('failed', WRONG_CLIENT);
  if (error instanceof oidc.ClientError && UNJUST.has(error.code ?? ''))
    return new LoginError('failed', `an answer that does not belong to the login (${error.code})`);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new LoginError('unavailable', messageOf(cause));
}

const WRONG_CLIENT = 'the provider refused this client: check SEAM_GATEWAY_LOGIN_CLIENT_ID and its secret';

/** What the library says of an answer that is not the one to what was asked, by its code. */
const UNJUST: ReadonlySet<string> = new Set([
  ...['OAUTH_INVALID_RESPONSE', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'],
  ...['OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', 'OAUTH_UNSUPPORTED_OPERATION'],
]);
