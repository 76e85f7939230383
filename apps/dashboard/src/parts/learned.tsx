/** What is learned: a cell for each domain and adapter, greener the more of the domain's validation problems were solved. */
import type { MeasuredAdapter } from '@seamstream/operations/views';
import type { JSX } from 'preact';
import { Scrolled } from './pieces.js';
import { percent } from './words.js';

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

/** Tenths as a class: a separate style for each value would say no more. */
function Cell({ rate }: { readonly rate: number | undefined }): JSX.Element {
  return rate === undefined ? (
    <td class="dim">–</td>
  ) : (
    <td class={`heat heat-${Math.min(9, Math.floor(rate * 10))}`}>{percent(rate, 0)}</td>
  );
}
