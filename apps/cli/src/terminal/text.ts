/** Text for a terminal. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

export { bytes, percent } from '@seamstream/kernel';

/** To the second, in UTC: `2030-01-31 12:00:00`. @param at milliseconds since the Unix epoch */
export function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** Cells that a text takes on a terminal: a letter of Chinese takes two, an accent and a style's escapes none. */
export function cellsOf(text: string): number {
  // Most texts. The other way begins by compiling what all of Unicode's emoji are: a tenth of a second.
  const bare = text.replaceAll(SGR, '');
  return ONE_CELL_EACH.test(bare) ? bare.length : stringWidth(text);
}

/** Printable ASCII, letters of Western languages, dashes, quotation marks, the ellipsis and an arrow. */
const ONE_CELL_EACH = /^[ -~À-ÿ‐-‧→]*$/;

/** What a style puts around text (ECMA-48). */
const SGR = /\u001b\[[\d;]*m/g;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The text within so many cells, the last an ellipsis where something was cut. Without escapes of a style. */
export function cut(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += cellsOf(segment);
    if (used > cells - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Fewest cells that text is wrapped into: below, a terminal's own wrapping reads better. */
const LEAST_CELLS = 12;

/**
 * A text in lines of at most `columns` cells, broken between words where that is possible; all lines but the first begin with
 * `indent` spaces. Its own line breaks stay. What is untrusted is made harmless before.
 */
export function wrapped(text: string, columns: number, indent = 0): string {
  const room = columns - indent;
  if (!Number.isFinite(columns) || room < LEAST_CELLS) return text;
  return wrapAnsi(text, room, { hard: true, trim: true }).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Lines that are longer than a terminal is wide, wrapped under where they begin; all others as they are. */
export function fitted(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (cellsOf(line) <= columns) return line;
      const [begin] = /^ */.exec(line)!;
      return `${begin}${wrapped(line.slice(begin.length), columns, begin.length + 2)}`;
    })
    .join('\n');
}

/** A time to the minute. @param atMs since the Unix epoch */
export function minuteOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
