/** What an OpenID provider publishes of itself: who it is, and the keys that it signs with. */
import { isSeamError, messageOf, SeamError, textWithin } from '@seamstream/kernel';
import { isPlaintextElsewhere } from '@seamstream/service-kit/config';
import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';

/** Longest wait for one answer. */
const TIMEOUT_MS = 5_000;
/** A hundred keys with their certificates have less. */
const MAX_ANSWER_BYTES = 512 * 1024;
const WELL_KNOWN = '/.well-known/openid-configuration';

/** What only a login needs. One in clear, or that is no address, is as good as none. */
const loginAddress = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !isPlaintextElsewhere(url))
  .optional()
  .catch(undefined);
const metadataSchema = z.object({
  issuer: z.string(),
  jwks_uri: z.url({ protocol: /^https?$/ }),
  authorization_endpoint: loginAddress,
  token_endpoint: loginAddress,
  end_session_endpoint: loginAddress,
  token_endpoint_auth_methods_supported: z.array(z.string()).max(64).optional().catch(undefined),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
});
const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(256) });
/** Of public keys. A shared secret (oct) is not one. */
const PUBLIC_KINDS: ReadonlySet<string> = new Set(['RSA', 'EC', 'OKP']);

export interface IssuerRead {
  readonly metadata: z.infer<typeof metadataSchema>;
  /** Public keys, at least one. */
  readonly keys: JSONWebKeySet;
}

/**
 * The description of an issuer, and its keys (OpenID Connect Discovery 1.0, section 4).
 * @throws ENDPOINT_UNAVAILABLE where it gives no answer, INVALID_CONFIGURATION where its answer is not that of an issuer of this name
 */
export async function readIssuer(issuer: string, signal: AbortSignal): Promise<IssuerRead> {
  const address = `${issuer.replace(/\/$/, '')}${WELL_KNOWN}`;
  const metadata = await read(issuer, address, metadataSchema, signal);
  if (metadata.issuer !== issuer)
    throw misconfigured(
      issuer,
      `that it names itself so at ${address}, got ${JSON.stringify(metadata.issuer)}. Set SEAM_GATEWAY_ISSUER_URL to its exact name`,
    );
  if (isPlaintextElsewhere(metadata.jwks_uri))
    throw misconfigured(issuer, `keys by https, got ${metadata.jwks_uri}. Correct the provider`);
  const { keys } = await read(issuer, metadata.jwks_uri, keysSchema, signal);
  const usable = keys.filter(({ kty, use }) => PUBLIC_KINDS.has(kty) && use !== 'enc');
  if (usable.length === 0)
    throw misconfigured(issuer, `public keys at ${metadata.jwks_uri}, got ${keys.length} of other kinds. Correct it`);
  return { metadata, keys: { keys: usable } };
}

async function read<T>(issuer: string, url: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      // An operator decides about another address.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = await textWithin(MAX_ANSWER_BYTES, response);
    if (response.status >= 500 || response.status === 429) throw unavailable(issuer, url, `status ${response.status}`);
    const parsed = response.status === 200 ? schema.safeParse(jsonIn(text)) : undefined;
    if (parsed?.success === true) return parsed.data;
    const got = parsed === undefined ? `status ${response.status}` : 'another answer';
    throw misconfigured(issuer, `its description and keys at ${url}, got ${got}. Correct SEAM_GATEWAY_ISSUER_URL`);
  } catch (error) {
    if (isSeamError(error)) throw error;
    // fetch says "fetch failed" and keeps the reason as its cause.
    throw unavailable(
      issuer,
      url,
      messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error),
    );
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unavailable(issuer: string, url: string, got: string): SeamError {
  return new SeamError(
    'ENDPOINT_UNAVAILABLE',
    `Cannot take tokens of ${issuer}: expected its keys from ${url}, got ${got}. Start it, or correct SEAM_GATEWAY_ISSUER_URL.`,
  );
}

function misconfigured(issuer: string, expected: string): SeamError {
  return new SeamError('INVALID_CONFIGURATION', `Cannot take tokens of ${issuer}: expected ${expected}.`);
}
