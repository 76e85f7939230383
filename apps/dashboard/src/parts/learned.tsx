/** What is learned: a cell for each domain and adapter, greener the more of the domain's validation problems were solved. */
import type { LearnedFact, LearnedFactsAnswer } from '@seamstream/operations/read-models';
import type { MeasuredAdapter } from '@seamstream/operations/views';
import type { JSX } from 'preact';
import { useViewAsOf } from '../state/view.js';
import { Card, How, Scrolled } from './pieces.js';
import { percent, plural } from './words.js';

/** More columns would be too narrow to read: the newest are shown. */
const MOST_COLUMNS = 24;

export function Learned({ measured }: { readonly measured: readonly MeasuredAdapter[] }): JSX.Element {
  const shown = measured.slice(-MOST_COLUMNS);
  const domains = [...new Set(shown.flatMap(({ perDomain }) => Object.keys(perDomain)))].sort();
  return (
    <Scrolled label="What is learned, by domain and adapter">
      <table class="learned">
        <thead>
          <tr>
            <th scope="col">domain</th>
            <th scope="col">before</th>
            {shown.map(({ version, adapterDigest, status }) => (
              <th key={adapterDigest} scope="col">
                <a href={`/adapters/${adapterDigest}`}>v{version}</a>
                <small>{status}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {domains.map((domain) => (
            <tr key={domain}>
              <th scope="row">{domain}</th>
              <Cell rate={shown[0]?.parentPerDomain[domain]} />
              {shown.map(({ adapterDigest, perDomain }) => (
                <Cell key={adapterDigest} rate={perDomain[domain]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

/** A cell for each fact that problems name, greener the more of its problems are solved by now. Nothing where they name none. */
export function FactsCard(): JSX.Element | null {
  const { data } = useViewAsOf<LearnedFactsAnswer>('/api/views/facts');
  if (data === null || data.facts.length === 0) return null;
  const domains = Map.groupBy(data.facts, ({ domain }) => domain);
  return (
    <Card title="Which facts" size="full" how={<How counted={COUNTED} command="seam learned" />}>
      <dl class="facts-learned">
        {[...domains].map(([domain, facts]) => (
          <div key={domain}>
            <dt>{domain}</dt>
            <dd>
              {facts.map((each) => (
                <Fact key={each.fact} of={each} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

const COUNTED =
  'Share of the answers that solved a problem which depends on the fact, with entries of the newest adapter that wrote any. Problems name their facts.';

type Tally = LearnedFact['before'];

function Fact({ of: { fact, without, before, now } }: { readonly of: LearnedFact }): JSX.Element {
  const shown = now ?? before;
  const told = (tally: Tally): string =>
    tally.outcomes === 0
      ? 'no answer'
      : `${percent(tally.successes / tally.outcomes, 0)} of ${plural(tally.outcomes, 'answer')}`;
  const newest = now === null ? '' : `, by now (v${now.version}) ${told(now)}`;
  const title = `${fact}: without an entry ${told(without)}, untrained ${told(before)}${newest}`;
  const colour = shown.outcomes === 0 ? 'dim' : `heat ${heatOf(shown.successes / shown.outcomes)}`;
  return (
    <span class={colour} title={title} data-fact={fact}>
      {fact} <small>{shown.outcomes === 0 ? '–' : percent(shown.successes / shown.outcomes, 0)}</small>
    </span>
  );
}

function Cell({ rate }: { readonly rate: number | undefined }): JSX.Element {
  return rate === undefined ? <td class="dim">–</td> : <td class={`heat ${heatOf(rate)}`}>{percent(rate, 0)}</td>;
}

/** Tenths as a class: a separate style for each value would say no more. */
function heatOf(rate: number): string {
  return `heat-${Math.min(9, Math.floor(rate * 10))}`;
}
