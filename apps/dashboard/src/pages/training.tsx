/** Training runs: the list, one in full with its settings against the run before, several over each other. */
import type { RecordedRun } from '@seamstream/operations/read-models';
import type { JSX } from 'preact';
import { Chart } from '../parts/chart.js';
import { AdapterLink, Card, Empty, Facts, Heads, How, Scrolled, Status, Waiting } from '../parts/pieces.js';
import { settingsDiff } from '../parts/settings-diff.js';
import { clock, count, figure, percent, short, time } from '../parts/words.js';
import { path, query, setQuery } from '../state/place.js';
import { useViewAsOf } from '../state/view.js';

const COLOURS = ['--treated', '--lift', '--control', '--promotion'];

export function TrainingPage(): JSX.Element {
  const { data, fault } = useViewAsOf<{ readonly runs: readonly RecordedRun[] }>('/api/views/runs');
  if (data === null) return <Waiting fault={fault} />;
  const { runs } = data;
  const chosen = path.value[1];
  const at = runs.findIndex(({ runId }) => runId === chosen);
  if (runs.length === 0)
    return (
      <>
        <h1>Training</h1>
        <Empty command="seam train sft">No run yet. One is planned after each window of problems.</Empty>
      </>
    );
  return (
    <>
      <h1>{at < 0 ? 'Training' : `Run ${short(chosen!)}`}</h1>
      {chosen !== undefined && at < 0 ? <p class="fault">The log has no run {short(chosen)}.</p> : null}
      {at < 0 ? <List runs={runs} /> : <Detail run={runs[at]!} before={runs[at - 1]} />}
    </>
  );
}

function List({ runs }: { readonly runs: readonly RecordedRun[] }): JSX.Element {
  const over = (query.value.get('over') ?? '').split(',').filter(Boolean);
  const metric = query.value.get('metric') ?? 'loss';
  const shown = over.length > 0 ? runs.filter(({ runId }) => over.includes(runId)) : runs.slice(-COLOURS.length);
  const metrics = [...new Set(runs.flatMap(({ metrics: own }) => Object.keys(own)))].sort();
  const toggle = (runId: string): void => {
    const next = over.includes(runId) ? over.filter((each) => each !== runId) : [...over, runId].slice(-COLOURS.length);
    setQuery({ over: next.join(',') });
  };
  return (
    <div class="cards">
      <Card
        title="Curves"
        size="full"
        how={
          <How
            counted="The figures that runs report with their checkpoints. Choose up to four runs below."
            command="seam runs list --json"
          />
        }
      >
        <label>
          figure{' '}
          <select value={metric} onChange={(event) => setQuery({ metric: event.currentTarget.value })}>
            {metrics.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <Curves runs={shown} metric={metric} />
      </Card>
      <Card
        title="Runs"
        size="full"
        how={<How counted="Every training run of the log, newest first." command="seam runs list" />}
      >
        <Scrolled label="Training runs">
          <table class="plain-table">
            <Heads
              titles={[
                'over',
                'run',
                'began',
                'algorithm',
                'steps',
                'seconds',
                'loss',
                'success',
                'parent',
                'made',
                'outcome',
              ]}
              numbers={['steps', 'seconds', 'loss', 'success', 'parent']}
            />
            <tbody>
              {runs.toReversed().map((run) => (
                <tr key={run.runId}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Draw run ${short(run.runId)}`}
                      checked={shown.includes(run)}
                      onChange={() => toggle(run.runId)}
                    />
                  </td>
                  <td>
                    <a class="mono" href={`/training/${run.runId}`}>
                      {short(run.runId)}
                    </a>
                  </td>
                  <td class="mono">{clock(run.startedAt)}</td>
                  <td>{run.algorithm}</td>
                  <td class="end">{count(run.steps)}</td>
                  <td class="end">{secondsOf(run)}</td>
                  <td class="end">{run.metrics.loss === undefined ? '–' : figure(run.metrics.loss)}</td>
                  <td class="end">{percent(run.evaluation?.success)}</td>
                  <td class="end">{percent(run.evaluation?.parentSuccess)}</td>
                  <td>{run.adapterDigest === null ? '–' : <AdapterLink digest={run.adapterDigest} />}</td>
                  <td>
                    <Status status={run.decision ?? run.status} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      </Card>
    </div>
  );
}

const secondsOf = ({ startedAt, endedAt }: RecordedRun): string =>
  endedAt === null ? '–' : ((endedAt - startedAt) / 1000).toFixed(1);

/** What a run reported of a figure, its end included. */
function reported({ checkpoints, metrics, steps }: RecordedRun, metric: string): ReadonlyMap<number, number> {
  const last = [{ step: steps, metrics }];
  return new Map(
    [...checkpoints, ...last].flatMap(({ step, metrics: own }) =>
      own[metric] === undefined ? [] : [[step, own[metric]]],
    ),
  );
}

function Curves({ runs, metric }: { readonly runs: readonly RecordedRun[]; readonly metric: string }): JSX.Element {
  const own = runs.map((run) => reported(run, metric));
  const x = [...new Set(own.flatMap((each) => [...each.keys()]))].sort((a, b) => a - b);
  if (x.length === 0) return <p class="dim">None of the chosen runs reports {metric}.</p>;
  return (
    <Chart
      label={`${metric} of ${runs.length} runs over their steps`}
      x={x}
      xLabel="step"
      integers
      lines={runs.map((run, index) => ({
        label: `${short(run.runId)} ${run.algorithm}`,
        colour: COLOURS[index % COLOURS.length]!,
        values: x.map((step) => own[index]!.get(step) ?? null),
        dots: true,
      }))}
      format={figure}
    />
  );
}

function Detail({ run, before }: { readonly run: RecordedRun; readonly before: RecordedRun | undefined }): JSX.Element {
  const how = <How counted="What the log says of this run." command={`seam runs show ${short(run.runId)}`} />;
  const changed = settingsDiff(before?.configuration ?? null, run.configuration);
  return (
    <div class="cards">
      <Card title="Run" how={how}>
        <Facts
          of={[
            ['outcome', <Status key="o" status={run.decision ?? run.status} />],
            ['why', run.reason ?? '–'],
            ['algorithm', run.algorithm],
            ['began', time(run.startedAt)],
            ['seconds', secondsOf(run)],
            ['from', <AdapterLink key="f" digest={run.parentAdapter} />],
            ['made', run.adapterDigest === null ? 'nothing' : <AdapterLink key="m" digest={run.adapterDigest} />],
            ['success', `${percent(run.evaluation?.success)}, parent ${percent(run.evaluation?.parentSuccess)}`],
            ['code', run.codeVersion],
          ]}
        />
      </Card>
      <Card title="Figures" how={how} size="wide">
        <Facts
          of={Object.entries(run.metrics).map(([name, value]): readonly [string, string] => [name, figure(value)])}
        />
      </Card>
      <Card title="Curve" size="full" how={how}>
        <Curves runs={[run]} metric={query.value.get('metric') ?? 'loss'} />
      </Card>
      <Card
        title="Settings against the run before"
        size="full"
        how={
          <How
            counted="Settings as recorded when the run began; of those that are equal none is shown."
            command={
              before === undefined
                ? `seam runs show ${short(run.runId)}`
                : `seam runs compare ${short(before.runId)} ${short(run.runId)}`
            }
          />
        }
      >
        {changed.length === 0 ? (
          <p class="dim">They are equal.</p>
        ) : (
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">setting</th>
                <th scope="col">
                  {before === undefined ? 'before' : <a href={`/training/${before.runId}`}>{short(before.runId)}</a>}
                </th>
                <th scope="col">this run</th>
              </tr>
            </thead>
            <tbody>
              {changed.map(({ name, from, to }) => (
                <tr key={name}>
                  <th scope="row" class="mono">
                    {name}
                  </th>
                  <td class="mono wrap">{from ?? '–'}</td>
                  <td class="mono wrap">{to ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Card>
    </div>
  );
}
