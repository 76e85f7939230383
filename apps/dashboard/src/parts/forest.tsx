/** Lifts side by side on one axis with zero marked: a bar is the interval, a dot the difference. */
import type { Comparison } from '@seamstream/operations/read-models';
import type { JSX } from 'preact';
import { Interval, sideOf } from './interval.js';
import { Heads } from './pieces.js';
import { count, percent } from './words.js';

export interface ForestRow extends Comparison {
  readonly name: string;
  readonly isAll?: boolean;
}

/** What an interval says of the lift. */
export function verdictOf(lift: Comparison['lift']): 'helps' | 'harms' | 'open' {
  return lift === null ? 'open' : sideOf(lift.interval95);
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
              <Interval
                of={row.lift === null ? null : { ...row.lift, interval: row.lift.interval95 }}
                name={row.name}
              />
            </td>
            <td class={`says ${verdictOf(row.lift)}`}>{VERDICTS[verdictOf(row.lift)]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
