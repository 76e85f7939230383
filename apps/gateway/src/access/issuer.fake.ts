/** An issuer of tokens for specs: its description and keys over HTTP, and tokens as it or an attacker would make them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: JWK;
}

export async function newSigningKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: { readonly kid: string; readonly privateKey: CryptoKey | Uint8Array };
}

export const AUDIENCE = 'https://seam.example';

/** Made once: a key of RSA takes a while. */
const FIRST = newSigningKey('first');

export class FakeIssuer {
  /** Published keys. */
  keys: unknown[] = [];
  /** In place of its description. */
  metadata: Readonly<Record<string, unknown>> | undefined;
  status = 200;
  /** Where it says that everything has moved to. */
  movedTo: string | undefined;
  /** It takes requests, and answers none. */
  isSilent = false;
  asked = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
    /** It signs with this one. */
    public key: SigningKey,
  ) {}

  /** @param port 0: a free one */
  static async start(port = 0): Promise<FakeIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = new FakeIssuer(server, address, await FIRST);
    issuer.keys = [issuer.key.publicKey];
    server.on('request', ({ url }, response) => {
      issuer.asked++;
      if (issuer.isSilent) return;
      const metadata = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...issuer.metadata };
      const moved = issuer.movedTo === undefined || url === issuer.movedTo ? {} : { location: issuer.movedTo };
      response.writeHead('location' in moved ? 302 : issuer.status, { 'content-type': 'application/json', ...moved });
      response.end(JSON.stringify(url === '/keys' ? { keys: issuer.keys } : metadata));
    });
    return issuer;
  }

  /** A valid token of the group staff for ten minutes, with these changes; a claim of undefined is left out. */
  token({ claims = {}, header = {}, key = this.key }: TokenChanges = {}): Promise<string> {
    const nowS = Math.floor(Date.now() / 1000);
    const valid = { iss: this.url, aud: AUDIENCE, sub: 'ada', iat: nowS, exp: nowS + 600, groups: ['staff'] };
    return new SignJWT({ ...valid, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'at+jwt', ...header })
      .sign(key.privateKey);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }
}
