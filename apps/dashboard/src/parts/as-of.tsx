/** The moment that pages are of: now, or one of the past, which is in the address. */
import type { DashboardPage } from '@seamstream/gateway-contract';
import type { ComponentChildren, JSX } from 'preact';
import { asOf, setQuery } from '../state/place.js';
import { Field, Filters } from './filters.js';
import { How } from './pieces.js';
import { asOfMoment, localText, time } from './words.js';

/** Pages that show the log as it was. */
const OF_THE_PAST: ReadonlySet<DashboardPage> = new Set<DashboardPage>([
  ...(['', 'problems', 'adapters', 'releases', 'training', 'buffer', 'cost'] as const),
]);

/** Chooses the moment; on a page that is of now alone it says so, where one looks at the past. */
export function AsOf({ page }: { readonly page: DashboardPage }): JSX.Element | null {
  const moment = asOf.value;
  if (!OF_THE_PAST.has(page)) return moment === null ? null : <OfNow moment={moment} />;
  const at = Date.parse(moment ?? '');
  return (
    <>
      <Filters>
        <label>
          as of
          <input
            type="datetime-local"
            step="1"
            value={Number.isNaN(at) || isPlace(moment) ? '' : localText(at)}
            onChange={(event) => {
              const chosen = new Date(event.currentTarget.value).getTime();
              choose(Number.isNaN(chosen) ? undefined : new Date(chosen).toISOString());
            }}
          />
        </label>
        <Field
          label="or up to a record"
          value={isPlace(moment) ? moment! : ''}
          placeholder="topic/partition/offset"
          onEnter={choose}
        />
      </Filters>
      {moment === null ? null : <OfThePast moment={moment} />}
    </>
  );
}

const choose = (moment: string | undefined): void => setQuery({ asOf: moment }, false);

/** Not a time: the place of a record. */
const isPlace = (moment: string | null): boolean => moment?.includes('/') === true;

function Named({ moment }: { readonly moment: string }): JSX.Element {
  const at = Date.parse(moment);
  return <span data-value="as-of">{isPlace(moment) || Number.isNaN(at) ? moment : time(at)}</span>;
}

function OfThePast({ moment }: { readonly moment: string }): JSX.Element {
  return (
    <p class="dim line">
      <span>
        This is what the log said {isPlace(moment) ? 'up to the record' : 'at'} <Named moment={moment} />. How far
        services were is not in it. <BackToNow>Back to now</BackToNow>
      </span>
      <How
        counted="The log is read up to that moment, from its first record on. Records of that moment count. A record is a moment by its time: its partition ends with it."
        command={asOfMoment('seam lift', moment)}
      />
    </p>
  );
}

function OfNow({ moment }: { readonly moment: string }): JSX.Element {
  return (
    <p class="line" role="note">
      <span>
        This page is of now alone: it does not show the log as it was at <Named moment={moment} />.{' '}
        <BackToNow>Leave that moment</BackToNow>
      </span>
    </p>
  );
}

function BackToNow({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <button type="button" class="quiet" onClick={() => choose(undefined)}>
      {children}
    </button>
  );
}
