/**
 * What is vouched for: the facts that decide what is served and learned from. An attestation is an in-toto statement
 * (https://github.com/in-toto/attestation/blob/v1.1.0/spec/v1/statement.md) about an event: its subject is the artefact by digest, its
 * predicate is the event itself, so that no field can be changed and no attestation can be carried to another event. Who verifies reads
 * the predicate by today's schema and compares: fields that events got since then have their defaults on both sides.
 */
import { decodeEvent, type EventOf, encodeEvent, type SeamEvent } from '@seamstream/events';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { type Envelope, parseEnvelope, seal, signersOf } from './dsse.js';
import type { SigningKey, TrustedKey, Voucher } from './keys.js';

export type AttestedEvent = EventOf<
  | 'AdapterPublished'
  | 'AdapterEvaluated'
  | 'AdapterPromoted'
  | 'AdapterRolledBack'
  | 'AdapterPinned'
  | 'AdapterUnpinned'
  | 'ReleasePlanned'
  | 'ReleaseDecided'
  | 'GuardPlanned'
  | 'DomainMuted'
  | 'DomainUnmuted'
  | 'BufferCommitted'
  | 'TrainingRunPlanned'
>;

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://seamstream.dev/attestations/event/v1';
const EXPERT_TYPE = 'https://seamstream.dev/attestations/expert/v1';

/** What a catalogue says about the archive of an expert. */
export interface ExpertFacts {
  readonly name: string;
  /** SHA-256 of the archive. */
  readonly archive: string;
  /** All else that is said of it. */
  readonly facts: Readonly<Record<string, string | number>>;
}

/** Any of these rights will do. Who may vouch for adapters may vouch for the plans that lead to them, so that keys from before plans were signed stay valid. */
const VOUCHERS_OF: Readonly<Record<AttestedEvent['type'] | 'Expert', readonly [Voucher, ...Voucher[]]>> = {
  Expert: ['adapters'],
  AdapterPublished: ['adapters'],
  AdapterEvaluated: ['promotions'],
  AdapterPromoted: ['promotions'],
  AdapterRolledBack: ['promotions'],
  AdapterPinned: ['promotions'],
  AdapterUnpinned: ['promotions'],
  ReleasePlanned: ['promotions'],
  ReleaseDecided: ['promotions'],
  GuardPlanned: ['promotions'],
  DomainMuted: ['promotions'],
  DomainUnmuted: ['promotions'],
  BufferCommitted: ['manifests'],
  TrainingRunPlanned: ['plans', 'adapters'],
};

/** Whether events of this type are signed where keys are configured. */
export function isAttested(event: SeamEvent): event is AttestedEvent {
  return event.type in VOUCHERS_OF;
}

/**
 * For a caller about to write such an event: checks before the act that it would be believed here.
 * @throws INVALID_CONFIGURATION where there is no key although unsigned events are refused, or where the key is not trusted with this
 */
export function assertWouldBeBelieved(
  type: AttestedEvent['type'] | 'Expert',
  { key, trust: { keys, unsigned } }: { readonly key: SigningKey | null; readonly trust: Trust },
): void {
  const refuse = (expected: string, got: string, remedy: string): never => {
    throw new SeamError('INVALID_CONFIGURATION', `Cannot write ${type}: expected ${expected}, got ${got}. ${remedy}.`);
  };
  if (key === null) {
    if (unsigned === 'refused')
      refuse('a key to sign it with', 'none', 'Set SEAM_SIGNATURES_KEY_FILE (seam keys generate)');
    return;
  }
  if (keys.length === 0 && unsigned === 'allowed') return;
  const own = keys.find(({ keyId }) => keyId === key.keyId);
  if (own === undefined)
    return refuse(
      'a key that is trusted here',
      `${key.keyId.slice(0, 12)}, which is not among the trusted ones: no reader would believe it`,
      'Name the right key (SEAM_SIGNATURES_KEY_FILE), or add its public half (SEAM_SIGNATURES_TRUSTED_KEYS_FILE)',
    );
  const vouchers = VOUCHERS_OF[type];
  if (!vouchers.some((voucher) => own.may.includes(voucher)))
    refuse(
      `a key that may vouch for ${vouchers[0]}`,
      `${own.name}, which may vouch for ${own.may.join(', ') || 'nothing'}`,
      'Name another key (SEAM_SIGNATURES_KEY_FILE)',
    );
}

/** The event with its attestation; without a key as it is. */
export function attest<E extends AttestedEvent>(event: E, key: SigningKey | null): E {
  if (key === null) return event;
  return { ...event, attestation: seal(PAYLOAD_TYPE, Buffer.from(statementOf(event)), key) };
}

/** Who is believed: with `unsigned` allowed, events without an attestation are; a wrong attestation never is. */
export interface Trust {
  readonly keys: readonly TrustedKey[];
  readonly unsigned: 'allowed' | 'refused';
}

export const TRUST_ALL: Trust = { keys: [], unsigned: 'allowed' };

/**
 * The names of the keys that vouch for the event; none where it is unsigned and that is allowed, or where no keys are known to check
 * with and unsigned events are allowed anyway.
 * @throws SIGNATURE_INVALID saying what is missing: an attestation, a trusted key, the right to vouch for this, or the event's own content
 */
export function checkAttestation(event: AttestedEvent, trust: Trust): readonly string[] {
  const name = `${event.type} ${event.meta.messageId}`;
  return checkEnvelope({ name, type: event.type, attestation: event.attestation }, trust, (envelope) =>
    isAbout(envelope, event),
  );
}

/** What vouches for an expert in a catalogue; null without a key. */
export function attestExpert(expert: ExpertFacts, key: SigningKey | null): string | null {
  return key === null ? null : seal(PAYLOAD_TYPE, Buffer.from(expertStatement(expert)), key);
}

/**
 * The names of the keys that vouch for an expert; none as for {@link checkAttestation}.
 * @throws SIGNATURE_INVALID as {@link checkAttestation}
 */
export function checkExpert(expert: ExpertFacts, attestation: string | null, trust: Trust): readonly string[] {
  return checkEnvelope(
    { name: `expert ${clean(expert.name)}`, type: 'Expert', attestation },
    trust,
    ({ payloadType, payload }) =>
      payloadType === PAYLOAD_TYPE && Buffer.from(payload, 'base64').toString() === expertStatement(expert),
  );
}

function expertStatement({ name, archive, facts }: ExpertFacts): string {
  return canonicalJson({
    _type: STATEMENT_TYPE,
    subject: [{ name: `experts/${name}`, digest: { sha256: archive } }],
    predicateType: EXPERT_TYPE,
    predicate: { ...facts },
  });
}

/** @param holds whether a rightly signed envelope is about this content */
function checkEnvelope(
  signed: {
    readonly name: string;
    readonly type: keyof typeof VOUCHERS_OF;
    readonly attestation: string | null;
  },
  { keys, unsigned }: Trust,
  holds: (envelope: Envelope) => boolean,
): readonly string[] {
  const { name, type, attestation } = signed;
  if (attestation === null) {
    if (unsigned === 'allowed') return [];
    throw invalid(
      name,
      'an attestation by a trusted key',
      'none',
      'Sign it, or allow unsigned ones (SEAM_SIGNATURES_UNSIGNED=allowed)',
    );
  }
  if (keys.length === 0 && unsigned === 'allowed') return [];
  const envelope = parseEnvelope(attestation);
  const signers = signersOf(envelope, keys);
  if (signers.length === 0) {
    const ids = envelope.signatures.map(({ keyid }) => keyid.slice(0, 12)).join(', ');
    throw invalid(
      name,
      'a right signature by a trusted key',
      `one that says it is by ${clean(ids)}`,
      'Add the key, or refuse it',
    );
  }
  const vouchers = VOUCHERS_OF[type];
  const entitled = signers.filter(({ may }) => vouchers.some((voucher) => may.includes(voucher)));
  if (entitled.length === 0) {
    const names = signers.map((signer) => signer.name).join(', ');
    throw invalid(
      name,
      `a signature by a key that may vouch for ${vouchers[0]}`,
      `one by ${names}`,
      'Give the key that right, or refuse it',
    );
  }
  if (!holds(envelope))
    throw invalid(name, 'an attestation of this content', 'one of another content', 'Refuse it: it was changed');
  return entitled.map((signer) => signer.name);
}

function statementOf(event: AttestedEvent): string {
  return canonicalJson({
    _type: STATEMENT_TYPE,
    subject: [subjectOf(event)],
    predicateType: PREDICATE_TYPE,
    predicate: Object.fromEntries(Object.entries(event).filter(([field]) => field !== 'attestation')),
  });
}

function isAbout({ payloadType, payload }: Envelope, event: AttestedEvent): boolean {
  if (payloadType !== PAYLOAD_TYPE) return false;
  try {
    const text = Buffer.from(payload, 'base64').toString();
    const { _type, subject, predicateType, predicate } = JSON.parse(text) as Record<string, unknown>;
    return (
      _type === STATEMENT_TYPE &&
      predicateType === PREDICATE_TYPE &&
      canonicalJson(subject) === canonicalJson([subjectOf(event)]) &&
      canonicalJson(asRead(predicate as AttestedEvent)) === canonicalJson(asRead(event))
    );
  } catch {
    return false;
  }
}

/** What a reader of the log sees: absent fields have their defaults. */
function asRead(event: AttestedEvent): SeamEvent {
  return decodeEvent({ ...encodeEvent({ ...event, attestation: null }), partition: 0, offset: 0 });
}

/** An in-toto resource descriptor. The bare base model is no artefact of ours: nothing, by the digest of nothing. */
function subjectOf(event: AttestedEvent): { readonly name: string; readonly digest: { readonly sha256: string } } {
  if (event.type === 'TrainingRunPlanned')
    return { name: `runs/${event.runId}`, digest: { sha256: sha256(event.configuration) } };
  if (event.type === 'ReleasePlanned' || event.type === 'ReleaseDecided') {
    const content = event.type === 'ReleasePlanned' ? event.plan : event.evidence;
    return { name: `releases/${event.releaseId}`, digest: { sha256: sha256(content) } };
  }
  if (event.type === 'GuardPlanned' || event.type === 'DomainMuted') {
    const content = event.type === 'GuardPlanned' ? (event.plan ?? '') : event.evidence;
    return { name: `guards/${event.guardId}`, digest: { sha256: sha256(content) } };
  }
  const [name, digest] =
    event.type === 'BufferCommitted'
      ? [event.manifestKey, event.manifestDigest]
      : event.adapterDigest === null
        ? ['base-model', sha256('')]
        : [`adapters/${event.adapterDigest}`, event.adapterDigest];
  return { name, digest: { sha256: digest } };
}

/** A key id comes from a stranger. */
const clean = (text: string): string => text.replaceAll(/[^0-9a-zA-Z,. _-]/g, '?');

function invalid(name: string, expected: string, got: string, remedy: string): SeamError {
  return new SeamError('SIGNATURE_INVALID', `Cannot believe ${name}: expected ${expected}, got ${got}. ${remedy}.`, {
    details: { event: name },
  });
}
