/** What treated problems cost more than controls, and for each problem that is solved in addition. */
import type { ExtraCost, ExtraSolved, PartCost } from '@seamstream/operations/cost';
import type { JSX } from 'preact';
import { AdapterLink, Card, Facts, How, PlainTable } from './pieces.js';
import { count, figure, money, plural } from './words.js';

const HOUR_MS = 3_600_000;

export function ExtraSolvedCost(props: {
  readonly of: ExtraCost;
  readonly by: string;
  readonly currency: string | null;
  readonly command: string;
}): JSX.Element {
  const { of, by, currency, command } = props;
  const unit = currency ?? 'money';
  const numbers = ['problems', `executor ${unit}`, `generator ${unit}`, 'extra solved', `${unit} for each`];
  return (
    <Card
      title="For each problem that is solved in addition"
      size="full"
      how={
        <How
          counted="What treated problems cost more than controls, by the lift times their number. The range is from the ends of the lift's interval, which holds at every look. Where that holds 0, no extra problem is shown to be solved."
          command={command}
        />
      }
    >
      <PlainTable label="Cost of extra solved problems" titles={['with entries', ...numbers]} numbers={numbers}>
        {of.rows.map((row) => (
          <Row key={row.name} of={row} by={by} />
        ))}
      </PlainTable>
      {of.isCausal ? null : (
        <p class="fault">
          Not causal: arms are not as they were drawn, so extra solved problems may come from that. See{' '}
          <a href="/">the lift</a>.
        </p>
      )}
      <Besides of={of.besides} />
    </Card>
  );
}

function Row({ of, by }: { readonly of: ExtraSolved; readonly by: string }): JSX.Element {
  const { name, problems, extraCost, extraSolved, perExtra, shown } = of;
  return (
    <tr data-extra={name ?? 'all'}>
      <th scope="row">
        {name === null ? 'all' : by === 'adapter' ? <AdapterLink digest={name === 'base' ? null : name} /> : name}
      </th>
      <td class="end">{count(problems)}</td>
      <td class="end" data-value="executor">
        {extraCost.executor === null ? 'unknown' : signed(extraCost.executor)}
      </td>
      <td class="end" data-value="generator">
        {extraCost.generator === null ? 'unknown' : signed(extraCost.generator)}
      </td>
      <td class="end" data-value="extra">
        {extraSolved === null ? 'unknown' : ratio(extraSolved, (each) => figure(Number(each.toFixed(1))))}
      </td>
      <td class="end" data-value="each">
        {perExtra === null ? WHY[shown] : ratio(perExtra, signed)}
      </td>
    </tr>
  );
}

const WHY: Readonly<Record<ExtraSolved['shown'], string>> = {
  // Only a price can be missing then.
  extra: 'unknown: a price is missing',
  'not shown': 'not shown to solve any extra problem',
  harm: 'fewer problems are solved',
  unknown: 'unknown',
};

const ratio = (
  { value, interval: [low, high] }: NonNullable<ExtraSolved['perExtra']>,
  text: (each: number) => string,
): string => `${text(value)} (${text(low)} to ${text(high)})`;

const signed = (micros: number): string => `${micros < 0 ? '−' : ''}${money(Math.round(Math.abs(micros)))}`;

function Besides({ of }: { readonly of: ExtraCost['besides'] }): JSX.Element {
  const { exploration, shadow, training, trainingMs } = of;
  const parts: readonly (readonly [string, PartCost])[] = [
    ['exploration', exploration],
    ['shadow', shadow],
    ['training by replies', training],
  ];
  return (
    <Facts
      of={[
        ...parts.filter(([, { items }]) => items > 0).map(([name, part]) => [name, partText(part)] as const),
        ...(trainingMs === 0
          ? []
          : [['training runs', `${(trainingMs / HOUR_MS).toFixed(1)} hours; no price is declared for time`] as const]),
        ['verifier', 'unknown: the log has no usage of it'],
      ]}
    />
  );
}

/** Of some items, of which some are unknown. */
export function partText({ items, unknown, money: sum }: PartCost): string {
  const rest = unknown === 0 ? '' : `, and ${plural(unknown, 'item')} without tokens or a price`;
  return `${items === unknown ? 'unknown' : money(sum)} for ${plural(items - unknown, 'item')}${rest}`;
}
