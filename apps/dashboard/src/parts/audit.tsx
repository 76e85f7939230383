/** Who did what, the newest first, with filters that are in the address. */
import type { Act, ActName } from '@seamstream/operations/audit';
import type { JSX } from 'preact';
import { query, setQuery } from '../state/place.js';
import { useView } from '../state/view.js';
import { Choice, Field, Filters, named } from './filters.js';
import { PeekList } from './peek-list.js';
import { Badge, Empty, Facts, How, Waiting } from './pieces.js';
import { count, plural, shellWord, time } from './words.js';

interface ToldAudit {
  readonly acts: readonly Act[];
  /** Those that fit and are not listed, each record counted by itself. */
  readonly older: number;
  readonly sinceMs: number;
  readonly kinds: readonly ActName[];
  /** Of the kinds. */
  readonly changes: readonly ActName[];
  /** Longest time for kinds that are no changes. */
  readonly mostHoursOfOthers: number;
}

/** Changes are few, and read again by the clock. Other acts may be looked for in all problems, feedback and use: that is done once. */
const EVERY_MS = 15_000;

const SPANS = [
  ['', 'last day'],
  ['168', 'last 7 days'],
  ['744', 'last 31 days'],
  ['8784', 'last year'],
] as const;

const placeOf = ({ place }: Act): string => `${place.topic}/${place.partition}/${place.offset}`;

const columns = [
  { title: 'time', width: '190px', cell: ({ at }: Act) => <time class="dim">{time(at)}</time> },
  { title: 'by', width: 'minmax(120px, 1fr)', cell: (act: Act) => <By of={act} /> },
  { title: 'act', width: '150px', cell: ({ act }: Act) => <strong>{act}</strong> },
  { title: 'times', width: '70px', end: true, cell: ({ times }: Act) => count(times) },
  { title: 'tenant', width: '110px', cell: ({ tenant }: Act) => tenant },
  { title: 'what', width: 'minmax(200px, 3fr)', cell: ({ what }: Act) => what },
];

const ROOM: ReadonlySet<string> = new Set(['times', 'tenant']);

function By({ of }: { readonly of: Act }): JSX.Element {
  return of.by === null ? <span class="dim">({of.source})</span> : <>{of.by}</>;
}

/**
 * @param props.tenant the reader's, where acts of others are not theirs to see
 * @param props.shown the tenant that is chosen on the page; null: all that the reader sees
 */
export function Audit(props: { readonly tenant: string | null; readonly shown: string | null }): JSX.Element {
  const [act, by, hours] = ['act', 'by', 'hours'].map((name) => query.value.get(name) ?? '') as [
    string,
    string,
    string,
  ];
  const tenant = props.shown ?? '';
  const asked = new URLSearchParams(Object.entries({ act, by, hours, tenant }).filter(([, value]) => value !== ''));
  const isFollowed = act === '' || act === 'changes';
  const { data, fault } = useView<ToldAudit>(`/api/views/audit?${asked}`, false, isFollowed ? EVERY_MS : undefined);
  return (
    <section aria-label="Who changed what">
      <h2>Who changed what</h2>
      <ActFilters act={act} by={by} hours={hours} told={data} />
      {fault === null ? null : <Waiting fault={fault} />}
      {data === null ? (
        fault === null ? (
          <Waiting fault={null} />
        ) : null
      ) : (
        <Acts
          of={data}
          command={commandOf(props.tenant ?? props.shown, { act, by, sinceMs: data.sinceMs })}
          isFollowed={isFollowed}
        />
      )}
    </section>
  );
}

/** The command that lists the same. */
function commandOf(
  tenant: string | null,
  { act, by, sinceMs }: { readonly act: string; readonly by: string; readonly sinceMs: number },
): string {
  const kind = act === '' || act === 'changes' ? ' --changes' : act === 'all' ? '' : ` --act ${shellWord(act)}`;
  const of = `${by === '' ? '' : ` --by ${shellWord(by)}`}${tenant === null ? '' : ` --tenant ${shellWord(tenant)}`}`;
  return `seam audit --since ${new Date(sinceMs).toISOString()}${kind}${of}`;
}

function Acts(props: { readonly of: ToldAudit; readonly command: string; readonly isFollowed: boolean }): JSX.Element {
  const { of, command, isFollowed } = props;
  const rows = of.acts;
  return (
    <>
      <p class="dim line">
        <span>
          <span data-value="acts">{count(rows.length)}</span> {rows.length === 1 ? 'act' : 'acts'}, newest first
          {of.older > 0 ? `; ${plural(of.older, 'older act')} not listed` : ''}.{' '}
          {isFollowed ? `Read again every ${EVERY_MS / 1000} seconds.` : 'Read once: reload the page for later ones.'}
        </span>
        <How
          counted="Acts of persons, keys and users, each with its place in the log. Questions, problems and feedback of one actor are one line a minute."
          command={command}
        />
      </p>
      {rows.length === 0 ? (
        <Empty>No such act is in the log in this time.</Empty>
      ) : (
        <PeekList
          label="Acts, newest first"
          chosenLabel="The chosen act"
          columns={columns}
          room={ROOM}
          rows={rows}
          keyOf={placeOf}
          head={(place) => <span class="mono">{place}</span>}
        >
          {(place) => {
            const chosen = rows.find((each) => placeOf(each) === place);
            return chosen === undefined ? null : <Peek of={chosen} />;
          }}
        </PeekList>
      )}
    </>
  );
}

function ActFilters(props: {
  readonly act: string;
  readonly by: string;
  readonly hours: string;
  readonly told: ToldAudit | null;
}): JSX.Element {
  const { act, by, hours, told } = props;
  const mostHours = (kind: string): number =>
    told === null || kind === '' || told.changes.some((each) => each === kind)
      ? Number.POSITIVE_INFINITY
      : told.mostHoursOfOthers;
  /** The time that is chosen, or the longest for the kind. */
  const within = (kind: string): { readonly hours?: string } =>
    Number(hours) > mostHours(kind) ? { hours: String(mostHours(kind)) } : {};
  return (
    <Filters>
      <Choice
        label="acts"
        value={act}
        options={[['', 'changes'], ['all', 'all'], ...named(told?.kinds ?? [])]}
        onChoose={(value) => setQuery({ act: value, ...within(value), peek: undefined })}
      />
      <Choice
        label="in the"
        value={hours}
        options={SPANS.map(([value, words]) => {
          const isTooLong = Number(value) > mostHours(act);
          return [value, isTooLong ? `${words}: for changes only` : words, isTooLong];
        })}
        onChoose={(value) => setQuery({ hours: value, peek: undefined })}
      />
      <Field
        label="by"
        value={by}
        placeholder="a person, key or user"
        onEnter={(text) => setQuery({ by: text, peek: undefined }, false)}
      />
    </Filters>
  );
}

function Peek({ of }: { readonly of: Act }): JSX.Element {
  return (
    <>
      <p>
        <Badge kind={of.act === 'refused' ? 'bad' : 'dim'}>{of.act}</Badge>
      </p>
      <p class="wrap" data-value="what">
        {of.what}
      </p>
      <Facts
        of={[
          ['time', time(of.at)],
          ['by', <By key="by" of={of} />],
          ['times', count(of.times)],
          ['tenant', of.tenant],
          ['recorded by', of.source],
        ]}
      />
    </>
  );
}
