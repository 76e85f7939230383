import fc from 'fast-check';
import { SeamError } from './errors.js';
import { clipped, onOneLine, withoutControls, withoutUrlSecrets } from './safe-text.js';

/** Texts of the worst pieces a terminal may be given. */
const hostile = fc
  .array(fc.constantFrom('\u001b]52;c;eA==\u0007', '\u001b[2J', '\r', '\n', '\u202e', '\u009b31m', 'a', 'Ω', '\u2028'))
  .map((pieces) => pieces.join(''));

describe('Shown text', () => {
  it('holds no control character, regardless of what it was made of', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(onOneLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u2029\u202a-\u202e]/);
        expect(withoutControls(text)).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u2029\u202a-\u202e]/,
        );
        expect(withoutControls(text).split('\n')).toHaveLength(text.split('\n').length);
      }),
    );
  });
});

describe('An address in a text', () => {
  it.each([
    ['cannot ask http://u:PASS@host:1/x: refused', 'cannot ask http://…@host:1/x: refused'],
    ['(https://host/v1?token=PASS&a=b)', '(https://host/v1?…'],
    ['s3://PASS@bucket', 's3://…@bucket'],
    ['https://a:PASS@b:PASS@host/p#PASS', 'https://…@host/p?…'],
    ['see https://host/a/b, or https://host2.', 'see https://host/a/b, or https://host2.'],
    ['is it https://host/path?', 'is it https://host/path?'],
    ['no address: a@b.c?d=e', 'no address: a@b.c?d=e'],
  ])('%s is shown as %s', (text, shown) => {
    expect(withoutUrlSecrets(text)).toBe(shown);
  });

  it('never shows what was planted as user, password, query or fragment', () => {
    const word = fc.stringMatching(/^[a-z0-9.%:-]{0,12}$/);
    const scheme = fc.constantFrom('http', 'https', 'kafka+ssl', 's3');
    fc.assert(
      fc.property(
        scheme,
        word,
        word,
        word,
        fc.constantFrom('?', '#', '?a=', '?a=b#'),
        (name, user, host, path, mark) => {
          const text = `before ${name}://${user}CANARY:${user}CANARY@h${host}/${path}${mark}CANARY after`;
          expect(withoutUrlSecrets(text)).not.toContain('CANARY');
          expect(withoutUrlSecrets(text)).toMatch(/^before .* after$/);
        },
      ),
    );
  });

  it('is bare in the message of every error', () => {
    const error = new SeamError('VERIFIER_FAILED', 'fetch http://u:CANARY@h/ failed', {
      details: { url: 'http://u:CANARY@h/?k=CANARY', nested: { list: ['https://CANARY@h'] } },
    });
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain('CANARY');
  });

  it('costs time linear in the text', () => {
    for (const piece of ['http://', 'a', '@', '://', '?', 'a+.', 'http://a@']) {
      const text = piece.repeat(400_000 / piece.length);
      expect(withoutUrlSecrets(text).length).toBeLessThanOrEqual(2 * text.length + 10);
    }
  });
});

it('cuts a text that is too long, and says so in its last character', () => {
  expect(['', 'ab', 'abc', 'abcd'].map((text) => clipped(text, 3))).toEqual(['', 'ab', 'abc', 'ab…']);
});
