/** The moment that the first page is of: now, or one of the past, which is in the address. */
import type { JSX } from 'preact';
import { query, setQuery } from '../state/place.js';
import { How } from './pieces.js';
import { time } from './words.js';

/** Undefined: now, also where the address has no moment that can be read. In milliseconds since the Unix epoch. */
export function chosenMoment(): number | undefined {
  const at = Date.parse(query.value.get('asOf') ?? '');
  return Number.isNaN(at) ? undefined : at;
}

export function AsOf({ of }: { readonly of: number | undefined }): JSX.Element {
  const iso = of === undefined ? '' : new Date(of).toISOString();
  return (
    <search class="filters">
      <label>
        as of
        <input
          type="datetime-local"
          step="1"
          value={of === undefined ? '' : localText(of)}
          onChange={(event) => {
            const at = new Date(event.currentTarget.value).getTime();
            setQuery({ asOf: Number.isNaN(at) ? undefined : new Date(at).toISOString() }, false);
          }}
        />
      </label>
      {of === undefined ? null : (
        <p class="dim line">
          <span>
            This is what the log said at <span data-value="as-of">{time(of)}</span>. How far services were is not in it.{' '}
            <button type="button" class="quiet" onClick={() => setQuery({ asOf: undefined }, false)}>
              Back to now
            </button>
          </span>
          <How
            counted="The log is read up to that moment, from its first record on. Records of that moment count."
            command={`seam lift --as-of ${iso}; seam ledger --as-of ${iso}; seam runs list --as-of ${iso}`}
          />
        </p>
      )}
    </search>
  );
}

/** As the field has it: in the reader's time zone, without its name. */
function localText(at: number): string {
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offsetMs).toISOString().slice(0, 19);
}
