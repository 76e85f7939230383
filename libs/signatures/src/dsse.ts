/**
 * Dead Simple Signing Envelope, version 1 (https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md): a signature over the type
 * of a payload and its bytes as they are, so that nothing has to be brought into a canonical form before it is verified.
 */
import { type KeyObject, sign, verify } from 'node:crypto';
import { SeamError } from '@seamstream/kernel';

export interface Envelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** Largest envelope that is read, in characters: a statement about one event is a few thousand. */
const MOST_CHARACTERS = 1_048_576;
const MOST_SIGNATURES = 8;

/** PAE(type, body) = "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body; lengths in bytes. */
function preAuthEncoding(type: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body]);
}

/** Ed25519 signatures depend on key and content alone, so a run that is done again says the same. */
export function seal(
  payloadType: string,
  body: Uint8Array,
  { keyId, privateKey }: { readonly keyId: string; readonly privateKey: KeyObject },
): string {
  const sig = sign(null, preAuthEncoding(payloadType, body), privateKey).toString('base64');
  const envelope: Envelope = {
    payloadType,
    payload: Buffer.from(body).toString('base64'),
    signatures: [{ keyid: keyId, sig }],
  };
  return JSON.stringify(envelope);
}

/** @throws SIGNATURE_INVALID for a text that is no envelope */
export function parseEnvelope(text: string): Envelope {
  if (text.length > MOST_CHARACTERS) throw unreadable(`at most ${MOST_CHARACTERS} characters, got ${text.length}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable('JSON, got another text');
  }
  if (!isEnvelope(value)) throw unreadable('payloadType, payload and one to eight signatures, got something else');
  return value;
}

/** The keys among `trusted` whose signature of this envelope is right. A key id is a hint: which key signed, the signature says. */
export function signersOf<K extends { readonly publicKey: KeyObject }>(
  { payloadType, payload, signatures }: Envelope,
  trusted: readonly K[],
): readonly K[] {
  const signed = preAuthEncoding(payloadType, Buffer.from(payload, 'base64'));
  return trusted.filter(({ publicKey }) =>
    signatures.some(({ sig }) => verify(null, signed, publicKey, Buffer.from(sig, 'base64'))),
  );
}

function isEnvelope(value: unknown): value is Envelope {
  const { payloadType, payload, signatures } = (value ?? {}) as Partial<Record<keyof Envelope, unknown>>;
  return (
    typeof payloadType === 'string' &&
    typeof payload === 'string' &&
    Array.isArray(signatures) &&
    signatures.length > 0 &&
    signatures.length <= MOST_SIGNATURES &&
    (signatures as readonly unknown[]).every(
      (each) =>
        typeof each === 'object' &&
        each !== null &&
        typeof (each as { keyid?: unknown }).keyid === 'string' &&
        typeof (each as { sig?: unknown }).sig === 'string',
    )
  );
}

function unreadable(what: string): SeamError {
  return new SeamError(
    'SIGNATURE_INVALID',
    `Cannot read a signature: expected a DSSE envelope with ${what}. Ask its writer to sign again.`,
  );
}
