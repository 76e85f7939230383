/** Lifts side by side on one axis with zero marked: a bar is the interval, a dot the difference. */
import type { Comparison } from '@seamstream/operations/read-models';
import type { JSX } from 'preact';
import { Heads } from './pieces.js';
import { count, percent, points } from './words.js';

export interface ForestRow extends Comparison {
  readonly name: string;
  readonly isAll?: boolean;
}

/** What an interval says of the lift. */
export function verdictOf(lift: Comparison['lift']): 'helps' | 'harms' | 'open' {
  if (lift === null) return 'open';
  const [low, high] = lift.interval95;
  return low > 0 ? 'helps' : high < 0 ? 'harms' : 'open';
}

const VERDICTS = { helps: 'helps', harms: 'harms', open: 'not decided' } as const;

export function Forest({ rows }: { readonly rows: readonly ForestRow[] }): JSX.Element {
  return (
    <table class="forest">
      <Heads
        titles={['domain', 'without', 'with', 'lift in points, 95 % at any look', 'says']}
        numbers={['without', 'with']}
      />
      <tbody>
        {rows.map((row) => (
          <tr key={row.name} class={row.isAll === true ? 'all' : ''}>
            <th scope="row">{row.name}</th>
            <td class="end">
              {percent(row.control.rate, 0)} <small>of {count(row.control.problems)}</small>
            </td>
            <td class="end">
              {percent(row.treated.rate, 0)} <small>of {count(row.treated.problems)}</small>
            </td>
            <td class="bar">
              <Bar lift={row.lift} name={row.name} />
            </td>
            <td class={`says ${verdictOf(row.lift)}`}>{VERDICTS[verdictOf(row.lift)]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const X = (value: number): number => 100 + value * 96;

function Bar({ lift, name }: { readonly lift: Comparison['lift']; readonly name: string }): JSX.Element {
  if (lift === null) return <span class="dim">no interval yet</span>;
  const [low, high] = lift.interval95;
  const said = `${points(lift.value)} (${points(low)} to ${points(high)})`;
  return (
    <span class="interval">
      <svg
        viewBox="0 0 200 20"
        role="img"
        aria-label={`${name}: ${said}`}
        class={verdictOf(lift)}
        preserveAspectRatio="none"
      >
        <line x1="100" x2="100" y1="0" y2="20" class="zero" />
        <line x1={X(low)} x2={X(high)} y1="10" y2="10" class="range" />
        <rect x={X(lift.value) - 2} y="4" width="4" height="12" rx="1" class="value" />
      </svg>
      <small class="mono">{said}</small>
    </span>
  );
}
