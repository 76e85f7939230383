/** Requests of this gateway since its start: by route, errors by code, how long they took. */
import type { JSX } from 'preact';
import { Card, Empty, How, PlainTable, Waiting } from '../parts/pieces.js';
import { count, figure, time } from '../parts/words.js';
import { useView } from '../state/view.js';

/** As the gateway reports it. */
interface ToldRequests {
  readonly sinceMs: number;
  readonly routes: readonly {
    readonly route: string;
    readonly method: string;
    readonly requests: number;
    readonly byStatus: Readonly<Record<string, number>>;
    readonly seconds: Readonly<Record<'p50' | 'p95' | 'p99', number>>;
  }[];
  readonly parts: readonly {
    readonly part: string;
    readonly requests: number;
    readonly sumSeconds: number;
    readonly seconds: Readonly<Record<'p50' | 'p95' | 'p99', number>>;
  }[];
  readonly errors: readonly { readonly status: string; readonly code: string; readonly requests: number }[];
  readonly buckets: readonly number[];
}

/** Requests leave no record in the log that the page could follow. */
const EVERY_MS = 5_000;
const COMMAND = 'curl -s "$SEAM_HTTP_HOST:$SEAM_HTTP_PORT/metrics" | grep ^seam_http_';
const CLASSES = ['2xx', '3xx', '4xx', '5xx'];
const NUMBERS = ['requests', ...CLASSES, 'half within', '95 % within', '99 % within'];

export function RequestsPage(): JSX.Element {
  const { data, fault } = useView<ToldRequests>('/api/views/requests', false, EVERY_MS);
  return (
    <>
      <h1>Requests</h1>
      {data === null || fault !== null ? <Waiting fault={fault} /> : null}
      {data === null ? null : (
        <>
          <p class="dim">
            Of this gateway alone, since its start: <span data-value="since">{time(data.sinceMs)}</span>. Several
            gateways each count for themselves; a board over their metrics has the sum.
          </p>
          <div class="cards">
            <Routes of={data} />
            <Parts of={data} />
            <Errors of={data} />
          </div>
        </>
      )}
    </>
  );
}

function Routes({ of }: { readonly of: ToldRequests }): JSX.Element {
  return (
    <Card
      title="By route"
      size="full"
      how={
        <How
          counted={`Requests that have ended, each with the time to the end of its answer in seconds. Times are estimated from a histogram with ends at ${of.buckets.join(', ')} s, as histogram_quantile does. A stream of changes ends when its page is left.`}
          command={COMMAND}
        />
      }
    >
      {of.routes.length === 0 ? (
        <Empty>No request has ended yet.</Empty>
      ) : (
        <PlainTable label="Requests by route" titles={['route', ...NUMBERS]} numbers={NUMBERS}>
          {of.routes.map(({ route, method, requests, byStatus, seconds }) => (
            <tr key={`${method} ${route}`} data-route={`${method} ${route}`}>
              <th scope="row" class="mono">
                {method} {route === 'none' ? '(no route)' : route}
              </th>
              <td class="end" data-value="requests">
                {count(requests)}
              </td>
              {CLASSES.map((each) => (
                <td key={each} class="end" data-value={each}>
                  {count(byStatus[each] ?? 0)}
                </td>
              ))}
              <Quantiles of={seconds} />
            </tr>
          ))}
        </PlainTable>
      )}
    </Card>
  );
}

/** Cells with half, 95 % and 99 % of the times. */
function Quantiles({ of }: { readonly of: ToldRequests['parts'][number]['seconds'] }): JSX.Element {
  return (
    <>
      {(['p50', 'p95', 'p99'] as const).map((each) => (
        <td key={each} class="end" data-value={each}>
          {figure(of[each])} s
        </td>
      ))}
    </>
  );
}

const PART_NAMES: Readonly<Record<string, string>> = {
  entry: 'wait for the experience',
  executor: 'executor',
  own: 'gateway itself',
};
const PART_NUMBERS = ['answers', 'mean', 'half within', '95 % within', '99 % within'];

function Parts({ of: { parts, buckets } }: { readonly of: ToldRequests }): JSX.Element {
  return (
    <Card
      title="Where the time of chat answers goes"
      size="full"
      how={
        <How
          counted={`Chat requests that were answered whole. The wait for the experience is of the treated arm alone. The executor's part has all its tries. What is left is the gateway's: checks, limits and its records in the log. Time in which a client does not read on is in no part. Means are exact, the rest is estimated from ends at ${buckets.join(', ')} s. Each answer's own parts are in its record.`}
          command='curl -s "$SEAM_HTTP_HOST:$SEAM_HTTP_PORT/metrics" | grep ^seam_chat_part_seconds'
        />
      }
    >
      {parts.length === 0 ? (
        <Empty>No chat request was answered yet.</Empty>
      ) : (
        <PlainTable label="Parts of the time" titles={['part', ...PART_NUMBERS]} numbers={PART_NUMBERS}>
          {parts.map(({ part, requests, sumSeconds, seconds }) => (
            <tr key={part} data-part={part}>
              <th scope="row">{PART_NAMES[part] ?? part}</th>
              <td class="end" data-value="requests">
                {count(requests)}
              </td>
              <td class="end" data-value="mean">
                {figure(sumSeconds / requests)} s
              </td>
              <Quantiles of={seconds} />
            </tr>
          ))}
        </PlainTable>
      )}
    </Card>
  );
}

function Errors({ of: { errors } }: { readonly of: ToldRequests }): JSX.Element {
  return (
    <Card
      title="Errors by code"
      size="full"
      how={
        <How
          counted="Requests that ended with a status of 400 or above, by the code in the body of the error. An error within a stream that had begun is not among them: its status was sent."
          command={COMMAND}
        />
      }
    >
      {errors.length === 0 ? (
        <p class="dim">None.</p>
      ) : (
        <PlainTable label="Errors by code" titles={['code', 'status', 'requests']} numbers={['status', 'requests']}>
          {errors.map(({ status, code, requests }) => (
            <tr key={`${status} ${code}`} data-error={`${status} ${code}`}>
              <th scope="row" class="mono">
                {code}
              </th>
              <td class="end">{status}</td>
              <td class="end" data-value="requests">
                {count(requests)}
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </Card>
  );
}
