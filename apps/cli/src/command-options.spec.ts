import { positiveNumber } from './command-options.js';

describe('a number above 0', () => {
  it.each([
    ['0.5', 0.5],
    ['3', 3],
    ['1e-3', 0.001],
    ['.25', 0.25],
  ])('is read as it is written: %s', (text, value) => {
    expect(positiveNumber('--speed')(text)).toBe(value);
  });

  it.each(['0', '0.0', '-1', '', ' ', 'fast', '0x10', '1e999', 'Infinity', 'NaN', '1,5'])('is not "%s"', (text) => {
    const message = `Cannot read --speed: expected a number above 0, got "${text}".`;
    expect(() => positiveNumber('--speed')(text)).toThrow(message);
  });

  it('is at most what the option allows', () => {
    const read = positiveNumber('--top-p', 1);
    expect(read('1')).toBe(1);
    expect(() => read('1.01')).toThrow('expected a number above 0, at most 1, got "1.01"');
  });
});
