import { EXAMPLE_EVENTS } from '@seamstream/testing';
import fc from 'fast-check';
import { type AttestedEvent, attest, checkAttestation, isAttested, type Trust } from './attestation.js';
import { generateKey, parseSigningKey, parseTrustedKeys, VOUCHERS, type Voucher } from './keys.js';

const person = (name: string, may: readonly Voucher[]) => {
  const { privatePem, trusted } = generateKey(name, may);
  const [key] = parseTrustedKeys(JSON.stringify({ keys: [trusted] }), 'keys.json');
  return { signing: parseSigningKey(privatePem, 'key.pem'), trusted: key! };
};
const trainer = person('trainer', ['adapters', 'promotions']);
const buffer = person('buffer', ['manifests']);
const stranger = person('stranger', VOUCHERS);
const required: Trust = { keys: [trainer.trusted, buffer.trusted], unsigned: 'refused' };

const events = Object.values(EXAMPLE_EVENTS).filter(isAttested);
const published = EXAMPLE_EVENTS.AdapterPublished;
const promoted = EXAMPLE_EVENTS.AdapterPromoted;
const signerOf = (event: AttestedEvent) => (event.type === 'BufferCommitted' ? buffer : trainer);

describe('An attested event', () => {
  it.each(events.map((event) => [event.type, event] as const))(
    '%s is believed when a trusted key signed it',
    (_, event) => {
      const { signing, trusted } = signerOf(event);
      expect(checkAttestation(attest(event, signing), required)).toEqual([trusted.name]);
    },
  );

  it('is signed to the same letters every time', () => {
    expect(attest(promoted, trainer.signing)).toEqual(attest(promoted, trainer.signing));
  });

  it('is believed regardless of the fields that the schema has got since, for they have their defaults', () => {
    const old = Object.entries(promoted).filter(([field]) => field !== 'onlyOverParent');
    const signed = attest(Object.fromEntries(old) as unknown as typeof promoted, trainer.signing);
    expect(checkAttestation({ ...signed, onlyOverParent: false }, required)).toEqual(['trainer']);
    expect(() => checkAttestation({ ...signed, onlyOverParent: true }, required)).toThrow('one of another content');
  });

  it('is refused after any change of any of its fields', () => {
    const cases = events.map((event) => ({ signed: attest(event, signerOf(event).signing), places: leaves(event) }));
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.nat(),
        fc.string(),
        fc.integer(),
        ({ signed, places }, n, text, number) => {
          const place = places[n % places.length]!;
          const changed = withLeaf(signed, place, text, number);
          expect(() => checkAttestation(changed, required)).toThrow(/^Cannot (believe|read a signature)/);
        },
      ),
    );
  });

  it('is refused when its envelope is damaged, or says the same as before', () => {
    const signed = attest(published, trainer.signing);
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 127 }), (n, letter) => {
        const text = signed.attestation!;
        const at = n % text.length;
        const damaged = text.slice(0, at) + String.fromCharCode(letter) + text.slice(at + 1);
        let names: readonly string[] = [];
        try {
          names = checkAttestation({ ...signed, attestation: damaged }, required);
        } catch (error) {
          expect(error).toMatchObject({ code: 'SIGNATURE_INVALID' });
          return;
        }
        // A key id is a hint, and base64 has letters that carry nothing: what was signed is what was signed before.
        expect(names).toEqual(['trainer']);
      }),
    );
  });
});

describe('An event is not believed', () => {
  const refusal = (event: AttestedEvent, trust: Trust = required) => {
    try {
      checkAttestation(event, trust);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('without an attestation, unless unsigned ones are allowed', () => {
    expect(refusal(promoted)).toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringContaining('got none'),
    });
    expect(refusal(promoted, { ...required, unsigned: 'allowed' })).toBeUndefined();
  });

  it('when a stranger signed it, even where unsigned ones are allowed', () => {
    const forged = attest(promoted, stranger.signing);
    expect(refusal(forged)).toMatchObject({
      message: expect.stringContaining('expected a right signature by a trusted key'),
    });
    expect(refusal(forged, { ...required, unsigned: 'allowed' })).toBeDefined();
  });

  it('when the key may not vouch for such events', () => {
    expect(refusal(attest(promoted, buffer.signing))).toMatchObject({
      message: expect.stringContaining(
        'expected a signature by a key that may vouch for promotions, got one by buffer',
      ),
    });
  });

  it('when its attestation is that of another event', () => {
    const { attestation } = attest(published, trainer.signing);
    expect(refusal({ ...promoted, attestation })).toMatchObject({
      message: expect.stringContaining('another content'),
    });
    const other = attest({ ...promoted, meta: { ...promoted.meta, messageId: 'm-other' } }, trainer.signing);
    expect(refusal({ ...promoted, attestation: other.attestation })).toBeDefined();
  });

  it('when its attestation is no envelope', () => {
    for (const attestation of ['', 'x', 'null', '[]', '{}', '{"payloadType":"","payload":"","signatures":[]}'])
      expect(refusal({ ...promoted, attestation })).toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  it('when control characters in its key id would reach a terminal', () => {
    const { attestation } = attest(promoted, stranger.signing);
    const hostile = attestation!.replace(/"keyid":"[^"]*"/, String.raw`"keyid":"\u001b]0;x\u0007"`);
    expect(String(refusal({ ...promoted, attestation: hostile }))).not.toMatch(/[\u0000-\u001f]/);
  });
});

type Place = readonly (string | number)[];

/** The way to every text, number and truth value of the event. */
function leaves(value: unknown, way: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return way[0] === 'type' ? [] : [way];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...way, key]));
}

/** The event with one leaf replaced by another value of its kind. */
function withLeaf(event: AttestedEvent, place: Place, text: string, number: number): AttestedEvent {
  const copy = structuredClone(event) as unknown as Record<string | number, unknown>;
  const holder = place.slice(0, -1).reduce<Record<string | number, unknown>>((at, key) => at[key] as typeof copy, copy);
  const last = place.at(-1)!;
  const old = holder[last];
  if (last === 'attestation') holder[last] = 'x';
  else if (typeof old === 'string') holder[last] = old === text ? `${text}x` : text;
  else if (typeof old === 'number') holder[last] = old === number ? number + 1 : number;
  else if (typeof old === 'boolean') holder[last] = !old;
  else holder[last] = `was null: ${text}`;
  return copy as unknown as AttestedEvent;
}
