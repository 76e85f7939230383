import { count, excerpt, onOneLine, plural, received, shortId } from '@seamstream/kernel';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { plainProgressLine, stageProgress, startProgress } from './progress.js';
import { PLAIN_STYLE, styleFor } from './style.js';
import { renderFacts, renderTable } from './table.js';
import { jsonLine } from './terminal.js';
import { bytes, cellsOf, fitted, percent } from './text.js';

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

  it('takes one cell for each character that it does not ask a library about', () => {
    const characters = Array.from({ length: 0x2200 }, (_, code) => String.fromCodePoint(code));
    const width = ({ text, is }: { readonly text: string; readonly is: number }): string => `${text}: ${is}`;
    const own = characters.map((text) => width({ text, is: cellsOf(`a${text}`) - 1 }));
    expect(own).toEqual(characters.map((text) => width({ text, is: stringWidth(`a${text}`) - 1 })));
    expect(cellsOf('\u001b[1m\u001b[31m12.3 %†\u001b[39m\u001b[22m …')).toBe(9);
  });

  it('can have no rows, and facts are in two columns', () => {
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

describe('a narrow terminal', () => {
  const narrow = { ...PLAIN_STYLE, columns: 40 };
  const columns = [{ title: 'NAME' }, { title: 'ROWS', align: 'right' as const }, { title: 'REASON' }];

  it('gets the last words of a table wrapped under their title', () => {
    const row = ['a', '1', 'too many words for one line of forty cells'];
    expect(renderTable(columns, [row], narrow)).toBe(
      'NAME  ROWS  REASON\na        1  too many words for one line\n            of forty cells\n',
    );
  });

  it('gets each row as a paragraph where the table is too wide for it', () => {
    const row = ['a name of twenty-five cells', '1', 'x'];
    expect(renderTable(columns, [row, row], narrow)).toBe(
      'NAME    a name of twenty-five cells\nROWS    1\nREASON  x\n\nNAME    a name of twenty-five cells\nROWS    1\nREASON  x\n',
    );
  });

  it('never gets a longer line, for any content', () => {
    const text = fc.string({ unit: fc.constantFrom('数', 'a', ' ', 'e\u0301', '🦆', '-'), maxLength: 90, size: 'max' });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text, text), { minLength: 1 }),
        fc.constantFrom(40, 60, 200),
        (rows, cells) => {
          const style = { ...PLAIN_STYLE, columns: cells };
          const shown = `${renderTable(columns, rows, style)}${renderFacts(
            rows.map(([name, value]) => [name, value]),
            style,
          )}${fitted(rows.map(([line]) => line).join('\n'), cells)}`;
          for (const line of shown.split('\n')) expect(cellsOf(line.trimEnd())).toBeLessThanOrEqual(cells);
        },
      ),
      { seed: 43 },
    );
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

describe('the width of lines', () => {
  it('is that of the terminal, else what COLUMNS asks for, else without an end', () => {
    expect(styleFor(true, { COLUMNS: '60' }, 80).columns).toBe(80);
    expect(styleFor(true, { COLUMNS: '60' }, 0).columns).toBe(60);
    expect(styleFor(false, { COLUMNS: '60' }, 80).columns).toBe(60);
    for (const environment of [{}, { COLUMNS: '' }, { COLUMNS: '0' }, { COLUMNS: 'wide' }])
      expect(styleFor(false, environment, 80).columns).toBe(Number.POSITIVE_INFINITY);
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

describe('the progress of stages', () => {
  it('is a bar for each, one after the other, that begins again where a stage does', () => {
    const seen: string[] = [];
    const progress = stageProgress({
      progress(stage, total) {
        seen.push(`${stage} of ${total}`);
        const say = (text: string) => void seen.push(text);
        return { advance: (by) => say(`+${by}`), note: say, stop: () => say('stop') };
      },
    });
    progress.show('train', 2, 10);
    progress.show('train', 5, 10, 'loss 1');
    progress.show('train', 1, 10);
    progress.show('nothing', 0, 0);
    progress.show('evaluate', 4, 4);
    progress.stop();
    expect(seen.join(', ')).toBe('train of 10, +2, loss 1, +3, stop, train of 10, +1, stop, evaluate of 4, +4, stop');
  });
});

describe('a line of JSON', () => {
  it('holds bytes as base64', () => {
    expect(jsonLine({ a: Buffer.from([255, 0]), b: new Uint8Array([1]), c: 10n })).toBe(
      '{"a":"/wA=","b":"AQ==","c":"10"}\n',
    );
  });
});
