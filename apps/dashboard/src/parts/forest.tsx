/** Lifts side by side on one axis with zero marked: a bar is the interval, a dot the difference. */
import type { Comparison } from '@seamstream/operations/read-models';
import type { JSX } from 'preact';
import { Interval } from './interval.js';
import { Heads } from './pieces.js';
import { type Verdict, verdictOf } from './verdict.js';
import { count, percent } from './words.js';

export interface ForestRow extends Comparison {
  readonly name: string;
  readonly isAll?: boolean;
}

const VERDICTS = { helps: 'helps', harms: 'harms', open: 'not decided' } as const;

/** @param props.isCausal false: an experiment did not go as it was drawn, so that no interval decides */
export function Forest(props: { readonly rows: readonly ForestRow[]; readonly isCausal: boolean }): JSX.Element {
  const says = ({ lift }: ForestRow): Verdict => verdictOf(lift, props.isCausal);
  return (
    <table class="forest">
      <Heads
        titles={['domain', 'without', 'with', 'lift in points, 95 % at any look', 'says']}
        numbers={['without', 'with']}
      />
      <tbody>
        {props.rows.map((row) => (
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
            <td class={`says ${says(row)}`}>{VERDICTS[says(row)]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
