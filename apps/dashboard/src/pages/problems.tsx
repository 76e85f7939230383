/** The problems that were published last: filters, live, with a look into one next to the list. */
import type { ListedProblem, ProblemList } from '@seamstream/operations/views';
import type { JSX } from 'preact';
import { Choice, Filters, named, type Option } from '../parts/filters.js';
import { PeekList } from '../parts/peek-list.js';
import { Empty, How, Standing, Waiting } from '../parts/pieces.js';
import { clock, count, plural, STANDINGS } from '../parts/words.js';
import { go, query, setQuery } from '../state/place.js';
import { useViewAsOf } from '../state/view.js';
import { Story } from './problem.js';

/** Rows that are asked for at once; a filter finds what is further down. */
const MOST_ROWS = 1000;

const columns = [
  {
    title: 'time',
    width: '84px',
    cell: (row: ListedProblem) => <time class="mono dim">{clock(row.publishedAt)}</time>,
  },
  {
    title: 'problem',
    width: 'minmax(160px, 3fr)',
    cell: (row: ListedProblem) => <a href={addressOf(row.problemId)}>{row.question}</a>,
  },
  { title: 'domain', width: 'minmax(90px, 1fr)', cell: (row: ListedProblem) => row.domain },
  { title: 'arm', width: '80px', cell: (row: ListedProblem) => row.arm ?? '–' },
  { title: 'candidates', width: '92px', end: true, cell: (row: ListedProblem) => `${row.numIn}/${row.candidates}` },
  { title: 'became', width: '124px', cell: (row: ListedProblem) => <Standing standing={row.standing} /> },
];

const addressOf = (problemId: string): string => `/problems/${encodeURIComponent(problemId)}`;

/** Columns that make room for a look next to the list. */
const ROOM: ReadonlySet<string> = new Set(['arm', 'candidates', 'domain']);

export function ProblemsPage(): JSX.Element {
  const asked = new URLSearchParams(query.value);
  asked.delete('peek');
  asked.delete('asOf');
  asked.set('limit', String(MOST_ROWS));
  const { data, fault } = useViewAsOf<ProblemList>(`/api/views/problems?${asked}`);
  return (
    <>
      <h1>Problems</h1>
      <ProblemFilters domains={data?.domains ?? []} />
      {data === null ? (
        <Waiting fault={fault} />
      ) : (
        <>
          {fault === null ? null : <Waiting fault={fault} />}
          <p class="dim line">
            <span>
              {plural(data.matching, 'problem')}{' '}
              {data.matching > data.rows.length ? `match, the newest ${count(data.rows.length)} are listed` : 'match'};
              the newest {count(data.recent)} of <span data-value="all">{count(data.all)}</span> are looked at.
            </span>
            <How
              counted="The problems published last, and what the ledger says of each. Older ones are found by id."
              command="seam tail problems"
            />
          </p>
          {data.rows.length === 0 ? (
            <Empty command="seam publish problems.jsonl">No problem fits.</Empty>
          ) : (
            <PeekList
              label="Problems, newest first"
              chosenLabel="The chosen problem"
              columns={columns}
              room={ROOM}
              rows={data.rows}
              keyOf={({ problemId }) => problemId}
              onOpen={({ problemId }) => go(addressOf(problemId))}
              head={(problemId) => <a href={addressOf(problemId)}>Open</a>}
            >
              {(problemId) => <Story problemId={problemId} isPeek />}
            </PeekList>
          )}
        </>
      )}
    </>
  );
}

function ProblemFilters({ domains }: { readonly domains: readonly string[] }): JSX.Element {
  const choice = (name: string, label: string, options: readonly Option[]): JSX.Element => (
    <Choice
      label={label}
      value={query.value.get(name) ?? ''}
      options={[['', 'all'], ...options]}
      onChoose={(value) => setQuery({ [name]: value })}
    />
  );
  return (
    <Filters>
      {choice('domain', 'domain', named(domains))}
      {choice('arm', 'arm', named(['explore', 'deploy', 'control']))}
      {choice(
        'standing',
        'became',
        ['solved', 'failed', 'inFlight', 'ungraded', 'expired', 'deadLettered'].map((each) => [each, STANDINGS[each]!]),
      )}
      <label>
        words or id
        <input
          type="search"
          value={query.value.get('text') ?? ''}
          onInput={(event) => setQuery({ text: event.currentTarget.value })}
        />
      </label>
    </Filters>
  );
}
