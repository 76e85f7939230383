/**
 * Text for one line of a terminal. What comes from the log is untrusted: a control character in it could move the
 * cursor or recolour the screen, so it is shown as its escape instead.
 */

// C0 and C1 controls, DEL, line and paragraph separators, and the marks that reorder text (Unicode TR 36, section 3.6.1).
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with every control character written as an escape. */
export function onOneLine(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** At most `width` characters of the text on one line, the last an ellipsis when something was cut. */
export function excerpt(text: string, width = 60): string {
  const line = onOneLine(text);
  const characters = Array.from(line);
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
}

/** A received JSON value as a person wants to see it in an error: as JSON, cut short. `undefined` reads "nothing". */
export function received(value: unknown): string {
  return value === undefined ? 'nothing' : excerpt(JSON.stringify(value), 60);
}

/** First 8 characters of an id or digest: enough to tell two apart on a screen. */
export function shortId(id: string): string {
  return onOneLine(id).slice(0, 8);
}

/** 12345 as "12,345". */
export function count(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : value.toString();
}

/** A fraction as a percentage with one decimal; "–" where there is none. */
export function percent(fraction: number | null | undefined): string {
  return fraction === null || fraction === undefined || Number.isNaN(fraction)
    ? '–'
    : `${(fraction * 100).toFixed(1)} %`;
}

/** 1536 as "1.5 KiB". */
export function bytes(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  let scaled = size;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit++;
  }
  return unit === 0 ? `${size} B` : `${scaled.toFixed(1)} ${units[unit] ?? ''}`;
}

/** "1 problem", "2 problems", "3 entries". */
export function plural(number: number, singular: string, pluralForm = `${singular}s`): string {
  return `${count(number)} ${number === 1 ? singular : pluralForm}`;
}
