/** A real OpenID provider (oidc-provider) on this machine, which gives tokens to programs. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';

export interface IdentityProgram {
  readonly id: string;
  readonly groups: readonly string[];
}

export interface IdentityServerSettings {
  /** What its tokens are for. */
  readonly audience: string;
  /** Programs that ask for tokens in their own name, each with the secret {@link SECRET}. */
  readonly programs: readonly IdentityProgram[];
}

const SECRET = 'a secret of a test that is long enough';
const LIFETIME_S = 600;

export class IdentityServer {
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
    server.on('request', new Provider(url, configurationOf(settings)).callback());
    return new IdentityServer(server, url);
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
}

function configurationOf({ audience, programs }: IdentityServerSettings): Readonly<Record<string, unknown>> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    // It warns where its separate adapter is used as it is, which is right for a server of a test.
    adapter: class extends MemoryAdapter {},
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    ttl: { ClientCredentials: LIFETIME_S },
    clients: programs.map(({ id }) => ({
      ...{ client_id: id, client_secret: SECRET, grant_types: ['client_credentials'] },
      ...{ redirect_uris: [], response_types: [] },
    })),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({ scope: '', audience, accessTokenFormat: 'jwt', accessTokenTTL: LIFETIME_S }),
      },
    },
    extraTokenClaims: (_: unknown, { clientId }: { readonly clientId: string }) => ({
      groups: programs.find(({ id }) => id === clientId)?.groups,
    }),
  };
}
