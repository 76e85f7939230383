import { SeamError } from '@seamstream/kernel';

/** Where a tail begins. */
export type StartPosition =
  | { readonly at: 'earliest' }
  | { readonly at: 'latest' }
  | { readonly at: 'offset'; readonly offset: number }
  | { readonly at: 'time'; readonly timestampMs: number };

const OFFSET = /^\d{1,15}$/;
// A date, optionally with a time; what Date.parse would guess from other texts is refused.
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Reads the value of `--from`. INVALID_INPUT for anything else. */
export function parseStartPosition(text: string): StartPosition {
  if (text === 'earliest' || text === 'latest') return { at: text };
  if (OFFSET.test(text)) return { at: 'offset', offset: Number(text) };
  const timestampMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timestampMs)) return { at: 'time', timestampMs };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read --from: expected earliest, latest, an offset (42) or a time (2030-01-31T12:00:00Z), got "${text}".`,
    { details: { option: '--from', value: text } },
  );
}
