/** Numbers, ids and values as sentences for people have them. */
import { onOneLine } from './safe-text.js';

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

/** An estimated number as a whole one with its sign: −1234.4 as "−1,234". What rounds to zero is "0". */
export function rounded(value: number): string {
  const size = Math.round(Math.abs(value));
  return `${value < 0 && size > 0 ? '−' : ''}${count(size)}`;
}

/** "1 problem", "2 problems", "3 entries". */
export function plural(number: number, singular: string, pluralForm = `${singular}s`): string {
  return `${count(number)} ${number === 1 ? singular : pluralForm}`;
}

/** A fraction as a percentage with one decimal; "–" where there is none. */
export function percent(fraction: number | null | undefined): string {
  return fraction === null || fraction === undefined || Number.isNaN(fraction)
    ? '–'
    : `${(fraction * 100).toFixed(1)} %`;
}

/** A difference of fractions as percentage points with one decimal and its sign: 0.012 as "+1.2". What rounds to zero is "+0.0". */
export function points(difference: number): string {
  const size = Math.abs(difference * 100).toFixed(1);
  return `${difference < 0 && Number(size) !== 0 ? '−' : '+'}${size}`;
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
