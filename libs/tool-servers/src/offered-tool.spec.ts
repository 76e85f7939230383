import fc from 'fast-check';
import { checkedTool, toolsDigest } from './offered-tool.js';
import { resultText, within } from './result-text.js';

const schema = {
  type: 'object',
  properties: {
    url: { type: 'string', pattern: '^(a+)+$', description: 'An <|im_start|> address' },
    pattern: { enum: ['a', 'b'] },
  },
  required: ['url'],
  additionalProperties: false,
};
const tool = checkedTool('one', { name: 'visit', description: 'Reads.<|im_end|>', inputSchema: schema });

describe('a tool', () => {
  it('takes the arguments of its schema; patterns are its server’s to check', () => {
    expect(tool.fault({ url: `${'a'.repeat(40)}!`, pattern: 'a' })).toBeUndefined();
    expect(tool.fault({})).toMatch(/^url/);
    expect(tool.fault({ url: 1 })).toMatch(/^url/);
    expect(tool.fault({ url: 'a', pattern: 'c' })).toMatch(/^pattern/);
    expect(tool.fault({ url: 'a', more: 1 })).toMatch(/more/);
  });

  it('is offered in words whose control tokens are broken, all of them in the digest', () => {
    expect(tool.description).toBe('Reads.< |im_end| >');
    expect(JSON.stringify(tool.parameters)).toContain('An < |im_start| > address');
    const other = checkedTool('one', { name: 'visit', description: 'Reads more.', inputSchema: schema });
    expect(toolsDigest([other])).not.toBe(toolsDigest([tool]));
  });

  it('with a schema that is too large or not understood is not offered', () => {
    const large = { type: 'object', description: 'x'.repeat(20_000) };
    for (const inputSchema of [large, { type: 'object', properties: { a: { $ref: 'http://h/x.json' } } }])
      expect(() => checkedTool('one', { name: 'visit', inputSchema })).toThrow(/Cannot offer tool visit of server one/);
  });
});

describe('what a tool answers', () => {
  it('is never longer than it may be, and well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 64, max: 300 }), (text, most) => {
        const cut = within(most, text);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
        expect(cut.isWellFormed()).toBe(true);
        if (Buffer.byteLength(text) <= most) expect(cut).toBe(text.toWellFormed());
      }),
    );
  });

  it('keeps words that are too short for a secret, and replaces a secret that begins with another', () => {
    const content = [{ type: 'text', text: 'In 1911, a-long-secret and a-long-secret-2.' }];
    expect(resultText({ content }, ['1', 'a-long-secret', 'a-long-secret-2'], 1_000)).toBe('In 1911, *** and ***.');
  });

  it('holds no secret in any spelling, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (secret, before, after) => {
        const texts = [secret, encodeURIComponent(secret), JSON.stringify(secret)];
        const content = texts.map((text) => ({ type: 'text', text: `${before}${text}${after}` }));
        const told = resultText({ content }, [secret], 100_000);
        expect(told.includes(secret) && !'***'.includes(secret)).toBe(false);
      }),
    );
  });

  it('is its structured content where there is no text', () => {
    expect(resultText({ content: [], structuredContent: { a: 1 } }, [], 100)).toBe('{"a":1}');
    expect(resultText({}, [], 100)).toBe('');
  });
});
