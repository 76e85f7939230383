import { onOneLine } from '@seamstream/kernel';
import { plainProgressLine, startProgress } from './progress.js';
import { PLAIN_STYLE, styleFor } from './style.js';
import { renderFacts, renderTable } from './table.js';
import { jsonLine } from './terminal.js';
import { bytes, count, excerpt, percent, plural, received, shortId } from './text.js';

describe('text for one line', () => {
  it('shows control characters and marks that reorder text as escapes', () => {
    expect(onOneLine('a\tb\r\n\u001b[31mred\u0000\u009b\u202e')).toBe('a\\tb\\r\\n\\u001b[31mred\\u0000\\u009b\\u202e');
    expect(onOneLine('déjà vu 数学 🦆')).toBe('déjà vu 数学 🦆');
  });

  it('cuts by characters, not in the middle of one', () => {
    expect(excerpt('🦆🦆🦆🦆', 3)).toBe('🦆🦆…');
    expect(excerpt('abc', 3)).toBe('abc');
  });

  it('writes numbers for people', () => {
    expect([count(0), count(999), count(1000), count(1234567)]).toEqual(['0', '999', '1,000', '1,234,567']);
    expect([percent(0.12345), percent(null), percent(Number.NaN)]).toEqual(['12.3 %', '–', '–']);
    expect([bytes(1023), bytes(1536), bytes(5 * 1024 ** 3)]).toEqual(['1023 B', '1.5 KiB', '5.0 GiB']);
    expect([plural(1, 'row'), plural(0, 'row'), plural(2, 'entry', 'entries')]).toEqual([
      '1 row',
      '0 rows',
      '2 entries',
    ]);
  });

  it('quotes a received value', () => {
    expect([received('x'), received(3), received(undefined), received(null)]).toEqual(['"x"', '3', 'nothing', 'null']);
    expect(shortId('0123456789abcdef')).toBe('01234567');
  });
});

describe('a table', () => {
  it('aligns words left and numbers right, colours taking no room', () => {
    const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
    const table = renderTable(
      [{ title: 'NAME' }, { title: 'ROWS', align: 'right' }, { title: 'END' }],
      [
        [red('a'), '1', 'x'],
        ['bcdef', '12345', ''],
      ],
      PLAIN_STYLE,
    );
    expect(table).toBe(`NAME    ROWS  END\n${red('a')}          1  x\nbcdef  12345\n`);
  });

  it('can have no rows, and facts stand in two columns', () => {
    expect(renderTable([{ title: 'A' }, { title: 'B' }], [], PLAIN_STYLE)).toBe('A  B\n');
    expect(
      renderFacts(
        [
          ['a', '1'],
          ['long', '2'],
        ],
        PLAIN_STYLE,
      ),
    ).toBe('a     1\nlong  2\n');
  });
});

describe('colours', () => {
  it('are used on a terminal only, and never when NO_COLOR is set', () => {
    expect(styleFor(true, {}).red('x')).toBe('\u001b[31mx\u001b[39m');
    expect(styleFor(true, { NO_COLOR: '' }).red('x')).toBe('\u001b[31mx\u001b[39m');
    for (const [isTty, environment] of [
      [false, {}],
      [true, { NO_COLOR: '1' }],
      [true, { TERM: 'dumb' }],
    ] as const) {
      expect(styleFor(isTty, environment).red('x')).toBe('x');
    }
  });
});

describe('progress', () => {
  it('is a line per tenth where there is no terminal', () => {
    expect(plainProgressLine('work', 0, 5, 100, '')).toBeUndefined();
    expect(plainProgressLine('work', 5, 11, 100, '')).toBe('work: 11 of 100 (11 %)\n');
    expect(plainProgressLine('work', 90, 100, 100, 'loss 1')).toBe('work: 100 of 100 (100 %)  loss 1\n');
    let written = '';
    const stream = { isTTY: false, write: (text: string) => (written += text) };
    const progress = startProgress(stream as unknown as NodeJS.WriteStream, 'work', 2000);
    for (let i = 0; i < 2000; i++) progress.advance();
    progress.stop();
    expect(written.split('\n')).toHaveLength(11);
  });
});

describe('a line of JSON', () => {
  it('holds bytes as base64', () => {
    expect(jsonLine({ a: Buffer.from([255, 0]), b: new Uint8Array([1]), c: 10n })).toBe(
      '{"a":"/wA=","b":"AQ==","c":"10"}\n',
    );
  });
});
