/** Libraries of experiences: every version with its size, its changes and what promotion said. */
import type { ListedLibrary } from '@seamstream/operations/library';
import type { JSX } from 'preact';
import { PeekList } from '../parts/peek-list.js';
import { Badge, Empty, Facts, How, Status, Waiting } from '../parts/pieces.js';
import { clock, count, percent, plural, points, short, time } from '../parts/words.js';
import { go } from '../state/place.js';
import { useView } from '../state/view.js';

export interface Libraries {
  readonly libraries: readonly ListedLibrary[];
}

const ROOM: ReadonlySet<string> = new Set(['made', 'parent', 'changes']);

const columns = [
  {
    title: 'library',
    width: 'minmax(130px, 1fr)',
    cell: ({ version, digest }: ListedLibrary) => (
      <a class="mono" href={`/libraries/${digest}`}>
        v{version} {short(digest)}
      </a>
    ),
  },
  {
    title: 'made',
    width: '84px',
    cell: (row: ListedLibrary) => <time class="mono dim">{clock(row.publishedAtMs)}</time>,
  },
  { title: 'stands', width: '110px', cell: ({ status }: ListedLibrary) => <Status status={status} /> },
  { title: 'items', width: '110px', end: true, cell: (row: ListedLibrary) => sizeOf(row) },
  {
    title: 'success',
    width: '84px',
    end: true,
    cell: ({ evaluation }: ListedLibrary) => percent(evaluation?.success),
  },
  {
    title: 'parent',
    width: '84px',
    end: true,
    cell: ({ evaluation }: ListedLibrary) => percent(evaluation?.parentSuccess),
  },
  { title: 'changes', width: 'minmax(180px, 2fr)', cell: (row: ListedLibrary) => changesOf(row) },
];

/** With the most that its run allowed. */
export const sizeOf = ({ items, maxItems }: ListedLibrary): string =>
  maxItems === null ? count(items) : `${count(items)} of ${count(maxItems)}`;

export const changesOf = ({ changes }: ListedLibrary): string =>
  Object.entries(changes)
    .filter(([, times]) => times > 0)
    .map(([operation, times]) => `${operation} ${count(times)}`)
    .join(', ') || 'none';

export function LibrariesPage(): JSX.Element {
  const { data, fault } = useView<Libraries>('/api/views/libraries');
  if (data === null) return <Waiting fault={fault} />;
  const { libraries } = data;
  const served = libraries.find(({ status }) => status === 'served');
  return (
    <>
      <h1>Libraries</h1>
      {libraries.length === 0 ? (
        <Empty command="npm start -- --method library --data-dir library">
          No library yet. Its texts are collected from attempts while all weights stay as they are.
        </Empty>
      ) : (
        <>
          <p class="dim line">
            <span>
              <span data-value="libraries">{count(libraries.length)}</span> versions, newest first.{' '}
              {served === undefined
                ? 'None of them is served.'
                : `Served: v${served.version} with ${plural(served.items, 'item')}.`}
            </span>
            <How
              counted="Every library of the log. Changes are those of its parent's items; the second number of items is the most that its run allowed."
              command="seam library list"
            />
          </p>
          <PeekList
            label="Libraries, newest first"
            chosenLabel="The chosen library"
            columns={columns}
            room={ROOM}
            rows={libraries.toReversed()}
            keyOf={({ digest }) => digest}
            onOpen={({ digest }) => go(`/libraries/${digest}`)}
            head={(digest) => <a href={`/libraries/${digest}`}>Open</a>}
          >
            {(digest) => {
              const chosen = libraries.find((each) => each.digest === digest);
              return chosen === undefined ? null : <LibraryFacts of={chosen} />;
            }}
          </PeekList>
        </>
      )}
    </>
  );
}

/** What the log says of a library. */
export function LibraryFacts({ of }: { readonly of: ListedLibrary }): JSX.Element {
  const { digest, parent, runId, algorithm, publishedAtMs, status, maxItems } = of;
  return (
    <Facts
      of={[
        ['stands', <Status key="s" status={status} />],
        [
          'items',
          <span key="i" data-value="size">
            {sizeOf(of)}
          </span>,
        ],
        ...(maxItems === null ? [] : [['room left', count(Math.max(0, maxItems - of.items))] as const]),
        [
          'changes',
          <span key="c" data-value="changes">
            {changesOf(of)}
          </span>,
        ],
        [
          'made from',
          parent === null ? (
            'the empty library'
          ) : (
            <a key="p" class="mono" href={`/libraries/${parent}`}>
              {short(parent)}
            </a>
          ),
        ],
        [
          'by',
          algorithm === 'import' ? (
            'import'
          ) : (
            <a key="r" href={`/training/${runId}`}>
              {algorithm} <span class="mono">{short(runId)}</span>
            </a>
          ),
        ],
        ['published', time(publishedAtMs)],
        [
          'digest',
          <span key="d" class="mono wrap">
            {digest}
          </span>,
        ],
      ]}
    />
  );
}

/** What was measured, and what was decided on it. */
export function Promotion({ of }: { readonly of: ListedLibrary }): JSX.Element {
  const { evaluation, comparison, reason, status, digest } = of;
  const { success, parentSuccess = null, problems, problemSet } = evaluation ?? {};
  return (
    <>
      {success === undefined ? (
        <p class="dim">It was not measured.</p>
      ) : (
        <p>
          <strong data-value="success">{percent(success)}</strong> of {plural(problems!, 'problem')} of {problemSet},
          its parent <strong>{percent(parentSuccess)}</strong>
          {parentSuccess === null ? null : ` (${points(success - parentSuccess)} points)`}.
          {comparison === null
            ? null
            : ` It rescued ${count(comparison.rescued)} and broke ${count(comparison.broken)}.`}
        </p>
      )}
      <p>
        {status === 'published' ? <Badge kind="dim">not decided</Badge> : <Status status={status} />} {reason}
      </p>
      <p>
        <a href={`/adapters/${digest}`}>All that was decided on it</a>
      </p>
    </>
  );
}
