/** A real OpenID provider (oidc-provider) on this machine, which gives tokens to programs and signs people in. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Grant, type KoaContext } from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';

export interface IdentityProgram {
  readonly id: string;
  readonly groups: readonly string[];
}

/** A page that people sign in to, with the secret {@link SECRET}. */
export interface IdentityPage {
  readonly clientId: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

export interface IdentityServerSettings {
  /** What its tokens are for. */
  readonly audience: string;
  /** Programs that ask for tokens in their own name, each with the secret {@link SECRET}. */
  readonly programs: readonly IdentityProgram[];
  /** Where people sign in; none where it is absent. */
  readonly page?: IdentityPage;
}

export const SECRET = 'a secret of a test that is long enough';
const LIFETIME_S = 600;
/** What the server keeps, as oidc-provider names it. */
const KEPT = ['ClientCredentials', 'AccessToken', 'AuthorizationCode', 'IdToken', 'Session', 'Interaction', 'Grant'];
const GROUPS_SCOPE = 'openid groups';

export class IdentityServer {
  /** Who is at the browser: the next login is theirs. */
  person: IdentityProgram = { id: 'ada', groups: ['staff'] };

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(settings: IdentityServerSettings): Promise<IdentityServer> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const identity = new IdentityServer(server, url);
    const provider = new Provider(
      url,
      configurationOf(settings, () => identity.person),
    );
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/interaction/') === true) void identity.interact(provider, request, response);
      else answer(request, response);
    });
    return identity;
  }

  /** A token that the program gets of the server, as any program does (client credentials, RFC 6749 section 4.4). */
  async tokenOf(programId: string): Promise<string> {
    const answer = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${programId}:${encodeURIComponent(SECRET)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { readonly access_token: string };
    return token;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  /** The page of the login: a person says who they are by one click. */
  private async interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id } = this.person;
    if (request.method === 'POST') {
      await provider.interactionFinished(request, response, { login: { accountId: id } });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    const form = `<form method="post"><button type="submit">Continue as ${id}</button></form>`;
    response.end(pageOf('Who are you?', form));
  }
}

function configurationOf(
  { audience, programs, page }: IdentityServerSettings,
  person: () => IdentityProgram,
): Readonly<Record<string, unknown>> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const groupsOf = (id: string) => [person(), ...programs].find((each) => each.id === id)?.groups;
  return {
    // It warns where its separate adapter is used as it is, which is right for a server of a test.
    adapter: class extends MemoryAdapter {},
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [SECRET] },
    ttl: Object.fromEntries(KEPT.map((kind) => [kind, LIFETIME_S])),
    clients: [
      ...programs.map(({ id }) => ({
        ...{ client_id: id, client_secret: SECRET, grant_types: ['client_credentials'] },
        ...{ redirect_uris: [], response_types: [] },
      })),
      ...(page === undefined ? [] : [clientOf(page)]),
    ],
    claims: { openid: ['sub'], groups: ['groups'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, groups: groupsOf(accountId) }),
    }),
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: grantAll,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: askWhetherToLeave },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({ scope: '', audience, accessTokenFormat: 'jwt', accessTokenTTL: LIFETIME_S }),
      },
    },
    extraTokenClaims: (_: unknown, { clientId }: { readonly clientId: string }) => ({ groups: groupsOf(clientId) }),
  };
}

function clientOf({ clientId, origin }: IdentityPage): Readonly<Record<string, unknown>> {
  return {
    ...{ client_id: clientId, client_secret: SECRET, grant_types: ['authorization_code'], response_types: ['code'] },
    ...{ redirect_uris: [`${origin}/login/callback`], post_logout_redirect_uris: [`${origin}/`] },
  };
}

function askWhetherToLeave(context: KoaContext, form: string): void {
  context.body = pageOf('Leave?', `${form}<button form="op.logoutForm" name="logout" value="yes">Leave</button>`);
}

function pageOf(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title><link rel="icon" href="data:,"></head>
<body>${body}</body></html>`;
}

/** People are not asked whether the page may know them. */
async function grantAll({ oidc }: KoaContext): Promise<Grant> {
  const { client, session, provider } = oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(GROUPS_SCOPE);
  await grant.save();
  return grant;
}
