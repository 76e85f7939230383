/** The log, newest first: a typed filter, what could not be decoded, and what caused what. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Choice, Field, Filters, named } from '../parts/filters.js';
import { PeekList } from '../parts/peek-list.js';
import { Badge, Empty, Facts, How, Text, Waiting } from '../parts/pieces.js';
import { clock, count, plural, time } from '../parts/words.js';
import { query, setQuery, withQuery } from '../state/place.js';
import { readView, useView } from '../state/view.js';

interface ToldRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: string;
  readonly key: string | null;
  readonly type?: string;
  readonly event?: Readonly<Record<string, unknown>> & { readonly meta?: Meta };
  readonly error?: { readonly code: string; readonly message: string };
  readonly value?: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly summary: string;
}

interface Meta {
  readonly messageId: string;
  readonly causationId: string | null;
  readonly correlationId: string;
}

interface ToldLog {
  readonly records: readonly ToldRecord[];
  readonly looked: number;
  readonly next: Readonly<Record<string, number>> | null;
  readonly topics: readonly string[];
}

const TOPICS = [
  'problems',
  'experiences',
  'outcomes',
  'answers',
  'feedback',
  'buffer',
  'training',
  'teams',
  'adapters',
  'access',
  'usage',
  'dead-letters',
];
const placeOf = ({ topic, partition, offset }: ToldRecord): string => `${topic}/${partition}/${offset}`;
const EXAMPLE = "type = 'OutcomeRecorded' and problem.domain = 'metals' and success = false";

const columns = [
  {
    title: 'time',
    width: '84px',
    cell: (row: ToldRecord) => <time class="mono dim">{clock(Date.parse(row.timestamp))}</time>,
  },
  {
    title: 'place',
    width: '150px',
    cell: (row: ToldRecord) => <span class="mono dim">{placeOf(row).replace('seam.', '')}</span>,
  },
  {
    title: 'event',
    width: 'minmax(190px, 220px)',
    cell: (row: ToldRecord) =>
      row.type === undefined ? (
        <Badge kind="bad">! {row.error?.code ?? 'no event'}</Badge>
      ) : (
        <strong>{row.type}</strong>
      ),
  },
  { title: 'says', width: 'minmax(200px, 1fr)', cell: (row: ToldRecord) => row.summary },
];

const ROOM: ReadonlySet<string> = new Set(['says']);

export function LogPage(): JSX.Element {
  const topics = query.value.get('topics') ?? '';
  const filter = query.value.get('filter') ?? '';
  const asked = new URLSearchParams({
    limit: '100',
    ...(topics === '' ? {} : { topics }),
    ...(filter === '' ? {} : { filter }),
  });
  const { data, fault } = useView<ToldLog>(`/api/views/log?${asked}`);
  const [older, setOlder] = useState<ToldLog | null>(null);
  useEffect(() => setOlder(null), [topics, filter]);
  const known = new Set(older?.records.map(placeOf));
  const records = [...(data?.records ?? []).filter((each) => !known.has(placeOf(each))), ...(older?.records ?? [])];
  const next = older === null ? data?.next : older.next;
  const more = async (): Promise<void> => {
    const page = await readView<ToldLog>(`/api/views/log?${asked}&before=${encodeURIComponent(JSON.stringify(next))}`);
    // The first page moves on as the log grows: it stays as it was from here on.
    setOlder({ ...page, records: [...records, ...page.records] });
  };
  const recordAt = (place: string): ToldRecord | undefined => records.find((each) => placeOf(each) === place);
  return (
    <>
      <h1>Log</h1>
      <Filters>
        <Choice
          label="topic"
          value={topics}
          options={[['', 'all'], ...named(TOPICS)]}
          onChoose={(value) => setQuery({ topics: value, peek: undefined })}
        />
        <Field
          label="filter"
          value={filter}
          placeholder={EXAMPLE}
          isCode
          onEnter={(text) => setQuery({ filter: text, peek: undefined }, false)}
        />
      </Filters>
      {fault === null ? null : <Waiting fault={fault} />}
      {data === null ? (
        fault === null ? (
          <Waiting fault={null} />
        ) : null
      ) : (
        <>
          <p class="dim line">
            <span>
              {plural(records.length, 'record')}, newest first; {count(data.looked)} looked at.
            </span>
            <How
              counted="Records of the log from its end backwards. The filter is parsed, never evaluated."
              command={`seam tail ${topics === '' ? 'outcomes' : topics} --limit 100`}
            />
          </p>
          {records.length === 0 ? (
            <Empty>No record fits among those that were looked at.</Empty>
          ) : (
            <PeekList
              label="Records of the log, newest first"
              chosenLabel="The chosen record"
              columns={columns}
              room={ROOM}
              rows={records}
              keyOf={placeOf}
              head={(place) => <strong>{recordAt(place)?.type ?? 'no event'}</strong>}
            >
              {(place) => {
                const chosen = recordAt(place);
                return chosen === undefined ? null : <Peek of={chosen} />;
              }}
            </PeekList>
          )}
          {next == null ? (
            <p class="dim">This is the beginning of the log.</p>
          ) : (
            <button type="button" onClick={() => void more()}>
              Older records
            </button>
          )}
        </>
      )}
    </>
  );
}

/** The problem that a record is about. */
const problemOf = ({ event }: ToldRecord): string | undefined => {
  const problem = (event?.problem as { readonly problemId?: string } | undefined)?.problemId ?? event?.problemId;
  return typeof problem === 'string' ? problem : undefined;
};

function Peek({ of }: { readonly of: ToldRecord }): JSX.Element {
  const meta = of.event?.meta;
  const problem = problemOf(of);
  const about = (words: string): string => withQuery({ filter: words, topics: undefined, peek: undefined });
  return (
    <>
      <Facts
        of={[
          [
            'place',
            <span key="p" class="mono">
              {placeOf(of)}
            </span>,
          ],
          ['time', time(Date.parse(of.timestamp))],
          [
            'key',
            <span key="k" class="mono wrap">
              {of.key ?? 'none'}
            </span>,
          ],
        ]}
      />
      <p class="arrows">
        {meta?.causationId == null ? null : <a href={about(`meta.messageId = '${meta.causationId}'`)}>↑ its cause</a>}
        {meta === undefined ? null : <a href={about(`meta.causationId = '${meta.messageId}'`)}>↓ its effects</a>}
        {problem === undefined ? null : <a href={`/problems/${encodeURIComponent(problem)}`}>→ its problem</a>}
        <a href={`/?asOf=${encodeURIComponent(placeOf(of))}`}>⟲ as of this record</a>
      </p>
      {of.error === undefined ? null : (
        <>
          <p class="fault">
            {of.error.code}: {of.error.message}
          </p>
          <h3>bytes, base64</h3>
          <Text>{of.value ?? 'no value'}</Text>
        </>
      )}
      {of.event === undefined ? null : (
        <>
          <h3>event</h3>
          <Text>{JSON.stringify(of.event, null, 2)}</Text>
        </>
      )}
      <h3>headers</h3>
      <Text>{JSON.stringify(of.headers, null, 2)}</Text>
    </>
  );
}
