/** Cost: what executors were paid for, what each problem that is solved in addition costs, and the prices that say so. Of a tenant what it paid alone. */
import type { CostGroup, CostReport, SpentRow } from '@seamstream/operations/cost';
import type { AccessReader } from '@seamstream/operations/quotas';
import type { JSX } from 'preact';
import { ExtraSolvedCost } from '../parts/extra-solved.js';
import { Choice, Field, Filters, named } from '../parts/filters.js';
import { AdapterLink, Card, Empty, How, PlainTable, Waiting } from '../parts/pieces.js';
import { Prices } from '../parts/prices.js';
import { count, money, shellWord } from '../parts/words.js';
import { query, setQuery } from '../state/place.js';
import { useViewAsOf } from '../state/view.js';

interface ToldCost extends CostReport {
  /** To what it is the answer. */
  readonly asked: Chosen;
  readonly you: AccessReader;
}

/** All that costs are summed by, in the order in which one chooses: a group that is missing here is an error of its type. */
const GROUPS = Object.keys({
  ...{ arm: true, domain: true, adapter: true, tenant: true, key: true, model: true },
} satisfies Readonly<Record<CostGroup, true>>);
const DAY = /^\d{4}-\d\d-\d\d$/;

interface Chosen {
  readonly by: string;
  /** A day; empty: all. */
  readonly since: string;
  /** Empty: all that the reader sees. */
  readonly tenant: string;
}

export function CostPage(): JSX.Element {
  const [by, since, tenant] = ['by', 'since', 'tenant'].map((name) => query.value.get(name) ?? '') as [
    string,
    string,
    string,
  ];
  const chosen = { by: by === '' ? 'arm' : by, since: DAY.test(since) ? since : '', tenant: tenant.trim() };
  const asked = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ''));
  // Every attempt of the log is read for an answer: once, and not as the log grows.
  const { data, fault } = useViewAsOf<ToldCost>(`/api/views/cost?${asked}`, false);
  return (
    <>
      <h1>Cost</h1>
      <CostFilters of={chosen} isOfAll={data?.you.isOfAll === true || tenant !== ''} />
      {data === null || fault !== null || !isSame(data.asked, chosen) ? (
        <Waiting fault={fault} />
      ) : (
        <Told of={data} chosen={chosen} />
      )}
    </>
  );
}

/** A view keeps an answer until the next one, which may take long. It does not answer another question. */
const isSame = (one: Chosen, other: Chosen): boolean =>
  one.by === other.by && one.since === other.since && one.tenant === other.tenant;

function CostFilters({ of, isOfAll }: { readonly of: Chosen; readonly isOfAll: boolean }): JSX.Element {
  return (
    <Filters>
      <Choice label="by" value={of.by} options={named(GROUPS)} onChoose={(by) => setQuery({ by })} />
      <label>
        since
        <input type="date" value={of.since} onChange={(event) => setQuery({ since: event.currentTarget.value })} />
      </label>
      {isOfAll ? (
        <Field label="tenant" value={of.tenant} placeholder="all" onEnter={(tenant) => setQuery({ tenant })} />
      ) : null}
    </Filters>
  );
}

function Told({ of, chosen }: { readonly of: ToldCost; readonly chosen: Chosen }): JSX.Element {
  const { you, extra, currency, rows } = of;
  const command = commandOf(chosen, you);
  const { since } = chosen;
  const tenant = tenantOf(chosen, you);
  return (
    <div class="cards">
      {rows.length === 0 ? (
        <Card title="Spent" size="full">
          <Empty command="seam publish">
            No attempt of an executor{tenant === '' ? '' : ` of the tenant ${tenant}`}
            {since === '' ? '' : ` since ${since}`} is in the log.
          </Empty>
        </Card>
      ) : (
        <Spent of={of} command={command} />
      )}
      {of.unfounded === 0 ? null : (
        <p data-value="unfounded">
          {count(of.unfounded)} records of answers, outcomes or entries are in no sum: nothing else in the log bears
          them out.
        </p>
      )}
      {extra === undefined || rows.length === 0 ? null : (
        <ExtraSolvedCost of={extra} by={of.by} currency={currency} command={command} />
      )}
      <Prices />
    </div>
  );
}

/** Whose costs an answer says; empty: all. */
const tenantOf = ({ tenant }: Chosen, { isOfAll, tenant: own }: AccessReader): string =>
  tenant !== '' || isOfAll ? tenant : own;

/** The command that prints the same. */
function commandOf(chosen: Chosen, you: AccessReader): string {
  const { by, since } = chosen;
  const shown = tenantOf(chosen, you);
  return [
    `seam cost spent ${shellWord(by)}`,
    since === '' ? '' : ` --since ${since}`,
    shown === '' ? '' : ` --tenant ${shellWord(shown)}`,
  ].join('');
}

function Spent({ of, command }: { readonly of: CostReport; readonly command: string }): JSX.Element {
  const { by, currency, rows } = of;
  const numbers = ['attempts', 'read', 'written', currency ?? 'money', 'tokens unknown', 'unpriced'];
  return (
    <Card
      title={`Spent by ${by}`}
      size="full"
      how={
        <How
          counted="Tokens that executors reported, each at the price that was valid when it was asked. Attempts without reported tokens, and those without a price, are counted and are in no sum. Read once: load the page again for later ones."
          command={command}
        />
      }
    >
      <PlainTable label={`Spent by ${by}`} titles={[by, ...numbers]} numbers={numbers}>
        {rows.map((row) => (
          <tr key={row.name} data-spent={row.name ?? ''}>
            <th scope="row">
              <Name by={by} of={row} />
            </th>
            {[row.attempts, row.promptTokens, row.responseTokens].map((each, at) => (
              <td key={numbers[at]} class="end" data-value={numbers[at]}>
                {count(each)}
              </td>
            ))}
            <td class="end" data-value="money">
              {row.attempts === row.unpriced + row.unknownTokens ? '–' : money(row.money)}
            </td>
            <td class="end" data-value="tokens unknown">
              {count(row.unknownTokens)}
            </td>
            <td class="end" data-value="unpriced">
              {count(row.unpriced)}
            </td>
          </tr>
        ))}
      </PlainTable>
    </Card>
  );
}

function Name({ by, of: { name } }: { readonly by: string; readonly of: SpentRow }): JSX.Element {
  if (name === null) return <>–</>;
  if (by === 'adapter') return <AdapterLink digest={name === 'base' ? null : name} />;
  return <span class={by === 'key' ? 'mono' : undefined}>{name}</span>;
}
