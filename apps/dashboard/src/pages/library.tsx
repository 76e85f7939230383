/** One library: its operations with their reasons, what differs from any other version, and every item with its provenance. */
import type { Change, ExperienceLibrary, LibraryItem } from '@seamstream/experience-library';
import type { ComparedLibraries } from '@seamstream/operations/library';
import type { JSX } from 'preact';
import { ChangedText } from '../parts/changed-text.js';
import { PeekList } from '../parts/peek-list.js';
import { Badge, Card, Facts, How, PlainTable, Text, Waiting } from '../parts/pieces.js';
import { count, plural, short } from '../parts/words.js';
import { path, query, setQuery } from '../state/place.js';
import { useView } from '../state/view.js';
import { type Libraries, LibraryFacts, Promotion } from './libraries.js';

export function LibraryPage(): JSX.Element {
  const digest = path.value[1]!;
  const list = useView<Libraries>('/api/views/libraries');
  const listed = list.data?.libraries.find((each) => each.digest === digest);
  // Its bytes are its digest: it is read once.
  const library = useView<ExperienceLibrary>(`/api/views/libraries/${encodeURIComponent(digest)}`, false);
  if (list.data === null) return <Waiting fault={list.fault} />;
  if (listed === undefined)
    return (
      <>
        <h1>Libraries</h1>
        <p class="fault">The log has no library {short(digest)}.</p>
      </>
    );
  const how = <How counted="What the log says of this library." command="seam library list" />;
  return (
    <>
      <h1>Library v{listed.version}</h1>
      <div class="cards">
        <Card title="What it is" how={how}>
          <LibraryFacts of={listed} />
        </Card>
        <Card title="What promotion said" size="wide" how={how}>
          <Promotion of={listed} />
        </Card>
        <Compared digest={digest} parent={listed.parent} libraries={list.data.libraries} />
        {library.data === null ? <Waiting fault={library.fault} /> : <Operations of={library.data.changes} />}
      </div>
      {library.data === null ? null : <Items of={library.data} />}
    </>
  );
}

const KINDS: Readonly<Record<Change['operation'], string>> = {
  add: 'good',
  import: 'good',
  modify: 'busy',
  merge: 'busy',
  delete: 'bad',
  keep: 'dim',
};

function Operations({ of }: { readonly of: readonly Change[] }): JSX.Element {
  const kept = of.filter(({ operation }) => operation === 'keep');
  const others = of.filter(({ operation }) => operation !== 'keep');
  return (
    <Card
      title="Operations"
      size="full"
      how={
        <How
          counted="From its parent to this library, in the order in which they were applied, each with its reason."
          command={`seam library history ${short(path.value[1]!)}`}
        />
      }
    >
      {of.length === 0 ? <p class="dim">No operation: its items are those of its parent.</p> : null}
      <ChangeRows of={others} />
      {kept.length === 0 ? null : (
        <details>
          <summary>{plural(kept.length, 'item')} kept</summary>
          <ChangeRows of={kept} />
        </details>
      )}
    </Card>
  );
}

function ChangeRows({ of }: { readonly of: readonly Change[] }): JSX.Element | null {
  if (of.length === 0) return null;
  return (
    <PlainTable label="Operations with their reasons" titles={['operation', 'item', 'text', 'because']}>
      {of.map(({ operation, id, before, after, reason }, index) => (
        <tr key={index} data-operation={operation}>
          <td>
            <Badge kind={KINDS[operation]}>{operation}</Badge>
          </td>
          <th scope="row" class="mono">
            {id}
          </th>
          <td>{operation === 'keep' ? (after ?? before) : <ChangedText before={before} after={after} />}</td>
          <td class="wrap">{reason}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

/** Next to any other version, the one chosen in the address; by default its parent. */
function Compared(props: {
  readonly digest: string;
  readonly parent: string | null;
  readonly libraries: Libraries['libraries'];
}): JSX.Element {
  const { digest, parent, libraries } = props;
  const before = query.value.get('against') ?? parent ?? 'base';
  const url = `/api/views/libraries/${encodeURIComponent(digest)}/diff?before=${encodeURIComponent(before)}`;
  const { data, fault } = useView<ComparedLibraries>(url, false);
  return (
    <Card
      title="What differs"
      size="full"
      how={
        <How
          counted="Items by id: what was added, what is gone, and what has another text or provenance."
          command={`seam library diff ${before === 'base' ? before : short(before)} ${short(digest)}`}
        />
      }
    >
      <label>
        from{' '}
        <select
          value={before}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            setQuery({ against: chosen === (parent ?? 'base') ? undefined : chosen });
          }}
        >
          <option value="base">the empty library</option>
          {libraries
            .filter((each) => each.digest !== digest)
            .map((each) => (
              <option key={each.digest} value={each.digest}>
                v{each.version} {short(each.digest)}
                {each.digest === parent ? ', its parent' : ''}
              </option>
            ))}
        </select>
      </label>
      {data === null ? <Waiting fault={fault} /> : <Differences of={data.diff} />}
    </Card>
  );
}

function Differences({ of }: { readonly of: ComparedLibraries['diff'] }): JSX.Element {
  const { added, removed, changed } = of;
  const counts = [
    ['added', added.length],
    ['removed', removed.length],
    ['changed', changed.length],
  ] as const;
  return (
    <>
      <p data-value="differences">{counts.map(([name, number]) => `${count(number)} ${name}`).join(', ')}.</p>
      <ul class="plain">
        {removed.map(({ id, text }) => (
          <Difference key={id} sign="−" id={id} before={text} after={null} />
        ))}
        {changed.map(({ before, after }) => (
          <Difference
            key={after.id}
            sign="~"
            id={after.id}
            before={before.text}
            after={after.text}
            remark={before.text === after.text ? 'the same text, other provenance' : undefined}
          />
        ))}
        {added.map(({ id, text }) => (
          <Difference key={id} sign="+" id={id} before={null} after={text} />
        ))}
      </ul>
    </>
  );
}

function Difference(props: {
  readonly sign: string;
  readonly id: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly remark?: string | undefined;
}): JSX.Element {
  const { sign, id, before, after, remark } = props;
  return (
    <li class="difference">
      <span class="mono">
        {sign} {id}
      </span>
      <span>
        <ChangedText before={before} after={after} />
        {remark === undefined ? null : <small>{remark}</small>}
      </span>
    </li>
  );
}

const ROOM: ReadonlySet<string> = new Set(['domain', 'field', 'by', 'groups']);

const columns = [
  { title: 'item', width: '110px', cell: ({ id }: LibraryItem) => <span class="mono">{id}</span> },
  { title: 'text', width: 'minmax(220px, 4fr)', cell: ({ text }: LibraryItem) => text },
  { title: 'domain', width: 'minmax(80px, 1fr)', cell: ({ domain }: LibraryItem) => domain ?? 'all' },
  { title: 'field', width: 'minmax(80px, 1fr)', cell: ({ field }: LibraryItem) => field ?? 'any' },
  { title: 'groups', width: '72px', end: true, cell: (item: LibraryItem) => count(item.provenance.groups.length) },
  { title: 'by', width: '84px', cell: (item: LibraryItem) => item.provenance.operation },
];

function Items({ of }: { readonly of: ExperienceLibrary }): JSX.Element {
  const { items, digest } = of;
  return (
    <>
      <p class="dim line">
        <span>
          <span data-value="items">{count(items.length)}</span> items, in the order in which they arrived.
        </span>
        <How
          counted="Items of this library. Groups are those whose attempts speak for the text."
          command={`seam library show ${short(digest)}`}
        />
      </p>
      <PeekList
        label="Items of the library"
        chosenLabel="The chosen item"
        columns={columns}
        room={ROOM}
        rows={items}
        keyOf={({ id }) => id}
        head={(id) => <strong class="mono">{id}</strong>}
      >
        {(id) => {
          const item = items.find((each) => each.id === id);
          return item === undefined ? null : <Item of={item} />;
        }}
      </PeekList>
    </>
  );
}

function Item({ of }: { readonly of: LibraryItem }): JSX.Element {
  const { text, domain, field, provenance } = of;
  const { groups, operation, calls, mergedFrom = [] } = provenance;
  return (
    <>
      <Text>{text}</Text>
      <Facts
        of={[
          ['domain', domain ?? 'all'],
          ['field', field ?? 'any'],
          ['brought by', operation],
          ...(mergedFrom.length === 0 ? [] : [['merged from', mergedFrom.join(', ')] as const]),
        ]}
      />
      <Records title="Groups that speak for it" ids={groups} filterOf={(id) => `groupId = '${id}'`} />
      <Records title="Replies of a model that proposed it" ids={calls} filterOf={(id) => `meta.messageId = '${id}'`} />
    </>
  );
}

/** Ids, each with a link to its records in the log. */
function Records(props: {
  readonly title: string;
  readonly ids: readonly string[];
  readonly filterOf: (id: string) => string;
}): JSX.Element | null {
  const { title, ids, filterOf } = props;
  if (ids.length === 0) return null;
  return (
    <>
      <h3>
        {title} ({count(ids.length)})
      </h3>
      <ul class="plain">
        {ids.map((id) => (
          <li key={id}>
            <a class="mono wrap" href={`/log?filter=${encodeURIComponent(filterOf(id.replaceAll("'", '')))}`}>
              {id}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
