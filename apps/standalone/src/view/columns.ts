/** Text by the columns that it takes on a terminal: a letter of Chinese takes two, an accent none. */
import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** More characters than this to a column are combining marks without end; what is beyond is not looked at. */
const MOST_UNITS_PER_COLUMN = 8;

export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** The text within so many columns, the last an ellipsis where something was cut. */
export function cut(text: string, columns: number): string {
  const head = text.slice(0, columns * MOST_UNITS_PER_COLUMN);
  if (head.length === text.length && columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    const width = columnsOf(segment);
    if (used + width > columns - 1) break;
    kept += segment;
    used += width;
  }
  return `${kept}…`;
}
