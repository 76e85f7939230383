/** Prices of a million tokens, as they were declared, with the time for which each is valid. */
import type { ListedPrice } from '@seamstream/operations/quotas';
import type { JSX } from 'preact';
import { useViewAsOf } from '../state/view.js';
import { Badge, Card, Empty, How, PlainTable, Waiting } from './pieces.js';
import { money, plural, time } from './words.js';

interface ToldPrices {
  /** Who declared one, and why, is for those who see the whole system. */
  readonly prices: readonly (Omit<ListedPrice, 'declaredBy' | 'reason'> & {
    readonly declaredBy: string | null;
    readonly reason: string | null;
  })[];
  readonly nowMs: number;
}

const TITLES = ['model', 'from', 'until', 'currency', 'read', 'cached', 'written', 'declared'];

/** Prices change seldom, and come with no record that the page follows. */
const EVERY_MS = 15_000;

export function Prices(): JSX.Element {
  const { data, fault } = useViewAsOf<ToldPrices>('/api/views/prices', false, EVERY_MS);
  return (
    <Card
      title="Prices of a million tokens"
      size="full"
      how={
        <How
          counted="Every declaration in its order. A price is valid until the next one of the same model begins. One may be declared for the past: what was spent is then summed by it."
          command="seam cost prices list"
        />
      }
    >
      {fault === null && data !== null ? <Listed of={data} /> : <Waiting fault={fault} />}
    </Card>
  );
}

function Listed({ of: { prices, nowMs } }: { readonly of: ToldPrices }): JSX.Element {
  if (prices.length === 0)
    return (
      <Empty command='seam cost prices set gpt-mini --prompt 0.15 --completion 0.60 --currency USD --by me --reason "price list"'>
        {plural(0, 'price')}: without one no money is known.
      </Empty>
    );
  return (
    <PlainTable label="Prices of a million tokens" titles={TITLES} numbers={['read', 'cached', 'written']}>
      {prices.map((price, at) => (
        // Two may be the same in all that they say.
        <tr key={at} data-price={price.model}>
          <th scope="row" class="mono">
            {price.model}
          </th>
          <td>{time(price.validFrom)}</td>
          <td>
            {price.validUntil === null ? 'the next one' : time(price.validUntil)} <Valid of={price} nowMs={nowMs} />
          </td>
          <td>{price.currency}</td>
          <td class="end" data-value="read">
            {money(price.promptPerMillion)}
          </td>
          <td class="end">{price.cachedPromptPerMillion === null ? '–' : money(price.cachedPromptPerMillion)}</td>
          <td class="end" data-value="written">
            {money(price.completionPerMillion)}
          </td>
          <td>{price.declaredBy === null ? '' : `by ${price.declaredBy}: ${price.reason ?? ''}`}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Valid({
  of: { validFrom, validUntil },
  nowMs,
}: {
  readonly of: Pick<ListedPrice, 'validFrom' | 'validUntil'>;
  readonly nowMs: number;
}): JSX.Element {
  if (validFrom > nowMs) return <Badge kind="dim">later</Badge>;
  return validUntil === null || nowMs < validUntil ? (
    <Badge kind="good">valid</Badge>
  ) : (
    <Badge kind="dim">replaced</Badge>
  );
}
