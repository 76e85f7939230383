/** A long table with a look into the chosen row next to it. What is chosen is in the address. */
import type { ComponentChildren, JSX } from 'preact';
import { query, setQuery } from '../state/place.js';
import { type Column, LongTable } from './table.js';

export function PeekList<Row>(props: {
  readonly label: string;
  /** What the look is of, as a reader of screens says it. */
  readonly chosenLabel: string;
  readonly columns: readonly Column<Row>[];
  /** Titles of columns that make room for the look. */
  readonly room?: ReadonlySet<string>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Enter; by default it chooses. */
  readonly onOpen?: (row: Row) => void;
  /** Stands above the look, next to the button that closes it. */
  readonly head: (key: string) => ComponentChildren;
  /** Null: there is nothing to look into. */
  readonly children: (key: string) => JSX.Element | null;
}): JSX.Element {
  const { label, chosenLabel, columns, room, rows, keyOf, onOpen, head, children } = props;
  const peek = query.value.get('peek');
  const look = peek === null ? null : children(peek);
  const choose = (row: Row): void => setQuery({ peek: keyOf(row) });
  const close = (): void => setQuery({ peek: undefined });
  return (
    <div class={look === null ? '' : 'with-peek'}>
      <LongTable
        label={label}
        columns={look === null ? columns : columns.filter(({ title }) => room?.has(title) !== true)}
        rows={rows}
        keyOf={keyOf}
        chosen={peek}
        onChoose={choose}
        onOpen={onOpen ?? choose}
        onClose={close}
      />
      {look === null ? null : (
        <aside class="peek" aria-label={chosenLabel}>
          <p class="line">
            {head(peek!)}
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
          {look}
        </aside>
      )}
    </div>
  );
}
