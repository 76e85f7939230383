/** A long table of which only the rows in sight are drawn. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { withKeys } from '../state/keys.js';

export interface Column<Row> {
  readonly title: string;
  /** Of the grid: a width, or a share as "2fr". */
  readonly width: string;
  readonly end?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

const ROW_PX = 40;
/** Drawn beyond what is in sight. */
const SPARE_ROWS = 12;

export function LongTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly chosen: string | null;
  readonly onChoose: (row: Row) => void;
  readonly onOpen: (row: Row) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { label, columns, rows, keyOf, chosen, onChoose, onOpen, onClose } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const at = rows.findIndex((row) => keyOf(row) === chosen);
  // Keys may come faster than it is drawn.
  const place = useRef(at);
  useEffect(() => {
    place.current = at;
  }, [at]);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setHeight(entry!.contentRect.height));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() =>
    withKeys({
      move(by) {
        const next = Math.min(Math.max(place.current + by, 0), rows.length - 1);
        const row = rows[next];
        if (row === undefined) return;
        place.current = next;
        onChoose(row);
        const own = box.current!;
        const head = ROW_PX;
        if (next * ROW_PX < own.scrollTop) own.scrollTop = next * ROW_PX;
        else if ((next + 1) * ROW_PX + head > own.scrollTop + own.clientHeight)
          own.scrollTop = (next + 1) * ROW_PX + head - own.clientHeight;
      },
      open() {
        const row = rows[place.current];
        if (row !== undefined) onOpen(row);
      },
      close: onClose,
    }),
  );
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE_ROWS);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW_PX) + SPARE_ROWS);
  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div
      class="long-table"
      ref={box}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div role="rowgroup" class="head">
        <div role="row" class="row" style={grid}>
          {columns.map(({ title, end }) => (
            <span key={title} role="columnheader" class={end === true ? 'end' : ''}>
              {title}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="body" style={{ height: `${rows.length * ROW_PX}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <div
            key={keyOf(row)}
            role="row"
            aria-rowindex={first + index + 2}
            aria-current={keyOf(row) === chosen ? true : undefined}
            class={`row${keyOf(row) === chosen ? ' chosen' : ''}`}
            style={{ ...grid, transform: `translateY(${(first + index) * ROW_PX}px)` }}
            onClick={() => onChoose(row)}
            onDblClick={() => onOpen(row)}
          >
            {columns.map(({ title, end, cell }) => (
              <span key={title} role="cell" class={end === true ? 'end' : ''}>
                {cell(row)}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
