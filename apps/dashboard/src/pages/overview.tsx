/** Does it help? Is it learning? Is it well? In this order. */
import type { LiftAnswer } from '@seamstream/operations/read-models';
import type { Overview } from '@seamstream/operations/views';
import type { JSX } from 'preact';
import { Chart, type Line } from '../parts/chart.js';
import { Forest } from '../parts/forest.js';
import { FactsCard, Learned } from '../parts/learned.js';
import { Badge, Card, Empty, Facts, How, Status, Waiting } from '../parts/pieces.js';
import { StartCard } from '../parts/start-card.js';
import { doubtsOf, harmWords, verdictOf } from '../parts/verdict.js';
import { ago, clock, count, percent, plural, points, short } from '../parts/words.js';
import { change, overview } from '../state/live.js';
import { asOf } from '../state/place.js';
import { useViewAsOf } from '../state/view.js';

export function OverviewPage(): JSX.Element {
  return (
    <>
      <h1 class="unseen">Overview</h1>
      {asOf.value === null ? <Now /> : <Then />}
    </>
  );
}

function Now(): JSX.Element {
  const shown = overview.value;
  return shown === null ? <Waiting fault={null} /> : <Shown of={shown} />;
}

interface ToldThen {
  readonly at: number;
  readonly overview: Overview;
}

function Then(): JSX.Element {
  const { data, fault } = useViewAsOf<ToldThen>('/api/views/overview');
  return data !== null && fault === null ? <Shown of={data.overview} at={data.at} /> : <Waiting fault={fault} />;
}

/** @param props.at a moment of the past; absent: now */
function Shown({ of, at }: { readonly of: Overview; readonly at?: number | undefined }): JSX.Element {
  return (
    <>
      <Helps of={of} />
      <Learns of={of} at={at} />
      <Well of={of} isNow={at === undefined} />
    </>
  );
}

const SAYS = {
  helps: 'Experiences help.',
  harms: 'Experiences harm.',
  open: 'Not decided yet.',
} as const;

function Helps({ of }: { readonly of: Overview }): JSX.Element {
  // Answers are what is served; exploring is where there are none.
  const mode =
    of.lift.modes.find((each) => each.mode === 'deploy' && each.lift !== null) ??
    of.lift.modes.find(({ mode }) => mode === 'explore') ??
    of.lift.modes[0];
  return (
    <section class="question" aria-labelledby="helps">
      <h2 id="helps">Does it help?</h2>
      {mode === undefined ? (
        <Empty command="seam publish problems.jsonl">No problem has a result yet.</Empty>
      ) : (
        <div class="cards">
          <LiftCard mode={mode} unsettled={of.lift.unsettled} />
          <CourseCard mode={mode} of={of} />
          <DomainCard mode={mode} />
        </div>
      )}
    </section>
  );
}

const COUNTED =
  'A problem counts once, by the share of its candidates that solved it, when the problems before it in its partition have an end that are of the same mode and get their verdicts in the same way, from a verifier or as feedback. The interval is a mixture of fixed bets on the inverse-propensity score: it holds at every look, however things drift.';

function LiftCard({ mode, unsettled }: { readonly mode: LiftAnswer; readonly unsettled: number }): JSX.Element {
  const { lift, treated, control, missing, isCausal, repeated } = mode;
  const verdict = verdictOf(lift, isCausal);
  const lost = missing.treated + missing.control + missing.unassigned;
  return (
    <Card title="Lift" how={<How counted={COUNTED} command="seam lift" />}>
      <p class={`big ${verdict}`}>
        <span data-value="lift">{lift === null ? '–' : points(lift.value)}</span>
        <small> points</small>
      </p>
      <p>
        {lift === null && !isCausal ? null : (
          <strong>{isCausal ? SAYS[verdict] : 'Not because of experiences alone.'}</strong>
        )}{' '}
        {lift === null
          ? 'There is no control arm to compare with, or its share changed.'
          : `95 % at any look: ${points(lift.interval95[0])} to ${points(lift.interval95[1])}.`}
      </p>
      {doubtsOf(mode.experiments).map((said) => (
        <p key={said} class="fault" data-value="doubt">
          {said}
        </p>
      ))}
      <Facts
        of={[
          ['with an experience', <Rate key="t" rate={treated.rate} problems={treated.problems} name="treated" />],
          ['without (control)', <Rate key="c" rate={control.rate} problems={control.problems} name="control" />],
          ['counted in mode', mode.mode],
          ...(unsettled > 0 ? [['not settled yet', plural(unsettled, 'problem')] as const] : []),
          ...(lost > 0 ? [['ended without a verdict', plural(lost, 'problem')] as const] : []),
          ...(repeated > 0 ? [['of a conversation that counts already', plural(repeated, 'problem')] as const] : []),
        ]}
      />
    </Card>
  );
}

function Rate(props: { readonly rate: number | null; readonly problems: number; readonly name: string }): JSX.Element {
  return (
    <span>
      <strong data-value={props.name}>{percent(props.rate)}</strong>{' '}
      <small>of {plural(props.problems, 'problem')}</small>
    </span>
  );
}

function CourseCard({ mode, of }: { readonly mode: LiftAnswer; readonly of: Overview }): JSX.Element {
  const { series } = mode;
  let problems = 0;
  const x = series.map(({ own }) => (problems += own.treated.problems + own.control.problems));
  const marks = of.promotions.map(({ at, version }) => ({
    // Problems that were published before the promotion.
    x: x[series.findLastIndex(({ from }) => from <= at)] ?? 0,
    label: `v${version}`,
  }));
  const lines: readonly Line[] = [
    {
      label: 'with, of this stretch',
      colour: '--treated',
      values: series.map(({ own }) => own.treated.rate),
      dots: true,
    },
    { label: 'without, so far', colour: '--control', values: series.map(({ control }) => control.rate) },
    {
      label: 'lift so far, upper',
      colour: '--lift',
      values: series.map(({ lift }) => lift?.interval95[1] ?? null),
      thin: true,
      band: true,
    },
    {
      label: 'lift so far, lower',
      colour: '--lift',
      values: series.map(({ lift }) => lift?.interval95[0] ?? null),
      thin: true,
    },
  ];
  return (
    <Card
      title="Course"
      size="wide"
      how={<How counted={`${COUNTED} Ticks are promotions.`} command="seam lift --json" />}
    >
      <Chart
        label="Success with and without experiences, and the band of the lift, over problems"
        x={x}
        xLabel="problems, in the order of publication"
        lines={lines}
        marks={marks}
        range={[Math.min(-0.25, series.at(-1)?.lift?.interval95[0] ?? 0), 1]}
        format={(value) => percent(value, 0)}
        height={250}
      />
    </Card>
  );
}

function DomainCard({ mode }: { readonly mode: LiftAnswer }): JSX.Element {
  return (
    <Card title="By domain" size="full" how={<How counted={COUNTED} command="seam lift" />}>
      {mode.harmed.length === 0 ? null : (
        <p class="fault" data-value="harmed">
          {harmWords(mode)}
        </p>
      )}
      <Forest
        isCausal={mode.isCausal}
        rows={[...mode.domains.map((each) => ({ name: each.domain, ...each })), { ...mode, name: 'all', isAll: true }]}
      />
    </Card>
  );
}

function Learns({ of, at }: { readonly of: Overview; readonly at: number | undefined }): JSX.Element {
  const { measured, served, status } = of;
  const now = at ?? change.value?.at ?? 0;
  return (
    <section class="question" aria-labelledby="learns">
      <h2 id="learns">Is it learning?</h2>
      {measured.length === 0 ? (
        <Empty command="seam runs">No adapter was measured yet. A run begins after each window of problems.</Empty>
      ) : (
        <div class="cards">
          <Card
            title="Served"
            how={<How counted="The last promotion in the log that counts." command="seam adapters list" />}
          >
            {served === null ? (
              <p class="big">base model</p>
            ) : (
              <div class="big">
                <a href={`/adapters/${served.adapterDigest}`}>v{served.version}</a>{' '}
                <small class="mono">{short(served.adapterDigest)}</small>
              </div>
            )}
            <Facts
              of={[
                ...(served === null ? [] : [['since', `${clock(served.since)}, ${ago(served.since, now)}`] as const]),
                ['runs', `${count(status.runs.all)}, ${count(status.runs.promoted)} promoted`],
                ['under way', count(status.runs.underWay)],
                [
                  'last run',
                  status.lastRun === null ? (
                    'none'
                  ) : (
                    <span>
                      <a href={`/training/${status.lastRun.runId}`} class="mono">
                        {short(status.lastRun.runId)}
                      </a>{' '}
                      {status.lastRun.algorithm} <Status status={status.lastRun.decision ?? status.lastRun.status} />
                    </span>
                  ),
                ],
                ...(of.pinned ? [['pinned', 'yes'] as const] : []),
              ]}
            />
          </Card>
          <Card
            title="Validation"
            size="wide"
            how={
              <How
                counted="Each adapter next to its parent, on problems that decided nothing before."
                command="seam adapters list --json"
              />
            }
          >
            <Chart
              label="Success on validation problems, by adapter and its parent"
              x={measured.map(({ version }) => version)}
              xLabel="adapter"
              integers
              lines={[
                { label: 'adapter', colour: '--treated', values: measured.map(({ success }) => success), dots: true },
                {
                  label: 'its parent, same problems',
                  colour: '--control',
                  values: measured.map(({ parentSuccess }) => parentSuccess),
                  dots: true,
                  dashed: true,
                },
              ]}
              range={[0, 1]}
              format={(value) => percent(value, 0)}
            />
          </Card>
          <Card
            title="What is learned"
            size="full"
            how={
              <How
                counted="Share of each domain's validation problems that the adapter solved when it was decided on."
                command="seam adapters show served --json"
              />
            }
          >
            <Learned measured={measured} />
          </Card>
          <FactsCard />
        </div>
      )}
    </section>
  );
}

function Well({ of, isNow }: { readonly of: Overview; readonly isNow: boolean }): JSX.Element {
  const { ledger, findings, newestAt, waiting, buffer } = of.status;
  return (
    <section class="question" aria-labelledby="well">
      <h2 id="well">Is it well?</h2>
      <div class="cards">
        <Card
          title="Ledger"
          size="tall"
          how={
            <How
              counted="Published is the sum of all that became of problems, and no fact belongs to a problem that was not published."
              command="seam ledger"
            />
          }
        >
          <p class={`big ${ledger.balanced ? 'helps' : 'harms'}`}>{ledger.balanced ? 'balanced' : 'not balanced'}</p>
          <Facts
            of={[
              ['published', <span data-value="published">{count(ledger.published)}</span>],
              [
                'solved',
                <a href="/problems?standing=solved" data-value="solved">
                  {count(ledger.solved)}
                </a>,
              ],
              [
                'not solved',
                <a href="/problems?standing=failed" data-value="failed">
                  {count(ledger.failed)}
                </a>,
              ],
              ['in flight', <a href="/problems?standing=inFlight">{count(ledger.inFlight)}</a>],
              ['expired', count(ledger.expired)],
              ['dead letters', <a href="/dead-letters">{count(ledger.deadLetterRecords)}</a>],
              ...(waiting.answers > 0 ? [['answers wait for feedback', count(waiting.answers)] as const] : []),
            ]}
          />
        </Card>
        <Card
          title="Stages"
          size="wide"
          how={
            <How
              counted="Records of each stage's topic, and those that its consumers have not answered yet."
              command="seam status"
            />
          }
        >
          <ol class="stages">
            {of.stages.map(({ name, records, lag }) => (
              <li key={name} class={lag !== null && lag > 0 ? 'behind' : ''}>
                <strong>{name}</strong>
                <span>{count(records)}</span>
                {lag === null ? null : <small>{lag === 0 ? 'up to date' : `${count(lag)} to go`}</small>}
              </li>
            ))}
          </ol>
          <Facts
            of={[
              ['newest event', newestAt === null ? 'none' : clock(newestAt)],
              [
                'buffer',
                buffer === null ? (
                  'no version yet'
                ) : (
                  <a href="/buffer">{`version ${buffer.version}, ${plural(buffer.rows, 'row')}`}</a>
                ),
              ],
            ]}
          />
        </Card>
        <Card
          title="Findings"
          size="wide"
          how={<How counted="What the last ended run found wrong. The doctor looks at more." command="seam doctor" />}
        >
          {findings.length === 0 ? (
            <p>
              The last run found nothing wrong. <a href="/doctor">Ask the doctor</a>
            </p>
          ) : (
            <ul class="plain">
              {findings.map((code) => (
                <li key={code}>
                  <a href="/doctor">
                    <Badge kind="warn">! {code}</Badge>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </Card>
        {isNow ? <StartCard /> : null}
      </div>
    </section>
  );
}
