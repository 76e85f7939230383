import { parseAsHelm } from './helm-yaml.js';

describe('YAML as Helm reads it', () => {
  // What "helm template" 4.2 prints of the same text.
  it.each([
    ['yes', true],
    ['off', false],
    ['y', true],
    ['0170', 120],
    ['0o170', 120],
    ['1_000', 1000],
    ['0b11', 3],
    ['1e3', 1000],
    ['12:30:45', '12:30:45'],
    ['2026-01-01', '2026-01-01'],
    ['~', null],
    ['"yes"', 'yes'],
  ])('has for %s the value %j', (written, value) => {
    expect(parseAsHelm(`a: ${written}`)).toEqual({ a: value });
  });

  it('merges mappings', () => {
    expect(parseAsHelm('a: &same { b: 1, c: 2 }\nd:\n  <<: *same\n  c: 3\n')).toEqual({
      a: { b: 1, c: 2 },
      d: { b: 1, c: 3 },
    });
  });
});
