import { Linter } from 'eslint';
import { specRules } from '../../scripts/lint/spec-scenery.mjs';

const linter = new Linter();
/** What the rule says of a spec with so many lines of imports, helpers and tests, in this order. */
function messagesOf(imports: number, helpers: number, tests: number, first = "it('adds', () => undefined);"): string[] {
  const source = [
    ...Array.from({ length: imports }, (_, index) => `import { a${index} } from 'a';`),
    ...Array.from({ length: helpers }, (_, index) => `const b${index} = ${index};`),
    ...Array.from({ length: tests }, (_, index) => (index === 0 ? first : `it('is ${index}', () => undefined);`)),
  ].join('\n');
  return linter
    .verify(source, [{ plugins: { house: specRules }, rules: { 'house/spec-scenery': 'error' } }])
    .map(({ message, line }) => `${line}: ${message}`);
}

describe('the rule of scenery', () => {
  it('finds a spec with more than a quarter of its lines before the first test', () => {
    expect(messagesOf(0, 25, 75)).toEqual([]);
    expect(messagesOf(0, 26, 74)).toEqual([expect.stringContaining('27: Cannot keep 26 of 100 lines')]);
  });

  it('leaves a short spec alone, and does not count imports', () => {
    expect(messagesOf(0, 20, 5)).toEqual([]);
    expect(messagesOf(60, 25, 75)).toEqual([]);
  });

  it.each(["describe('a', () => undefined);", "it.each([1])('a', () => undefined);", 'describeEventLogContract(1);'])(
    'takes %s for the first test',
    (first) => {
      expect(messagesOf(0, 40, 60, first)).toHaveLength(1);
      expect(messagesOf(0, 40, 60, first)[0]).toContain('41: ');
    },
  );
});
