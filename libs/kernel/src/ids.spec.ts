import { derivedId, newId } from './ids.js';

describe('ids', () => {
  it('derives UUIDv5 ids as RFC 9562 defines them (checked against another implementation)', () => {
    expect(derivedId('cause', 'experience', 3)).toBe('9d8b9865-e4f8-5315-93f2-0d173ce11d09');
    expect(derivedId('6f9619ff-8b86-d011-b42d-00c04fc964ff', 'outcome')).toBe('54e8db5f-b1dd-504c-9e3e-2cc61150a888');
  });

  it('derives from causes of any length and script as from short ones', () => {
    // Checked against Python's uuid.uuid5.
    expect(derivedId('ü'.repeat(2000), 'r')).toBe('45c948c0-7b09-589e-87c5-cf842c75cd03');
    expect(derivedId('ü—𝄞', 'r')).toBe('cc96c7aa-53a5-5719-ab33-13d6e82b75d6');
  });

  it('gives a redelivered cause the same id and another role, index or cause another one', () => {
    const ids = [derivedId('a', 'r', 0), derivedId('a', 'r', 1), derivedId('a', 's', 0), derivedId('b', 'r', 0)];
    expect(new Set(ids).size).toBe(4);
    expect(derivedId('a', 'r', 0)).toBe(ids[0]);
  });

  it('makes new ids that differ', () => {
    expect(newId()).not.toBe(newId());
  });
});
