/** Releases: what was declared before an adapter is tried, how its stages stand, and what was decided and why. */
import type { PlainRelease, PlainReleases, StageStatus } from '@seamstream/operations/release';
import type { JSX } from 'preact';
import { Guards } from '../parts/guards.js';
import { Interval } from '../parts/interval.js';
import {
  AdapterLink,
  Badge,
  Card,
  Empty,
  Facts,
  Heads,
  How,
  PlainTable,
  Status,
  Text,
  Waiting,
} from '../parts/pieces.js';
import { count, percent, plural, pretty, short, time } from '../parts/words.js';
import { path } from '../state/place.js';
import { useViewAsOf } from '../state/view.js';

export function ReleasesPage(): JSX.Element {
  const { data, fault } = useViewAsOf<PlainReleases>('/api/views/releases');
  if (data === null) return <Waiting fault={fault} />;
  const chosen = path.value[1];
  const release = data.releases.find(({ event }) => event.releaseId === chosen);
  return (
    <>
      <h1>{release === undefined ? 'Releases' : `Release ${short(release.event.releaseId)}`}</h1>
      {chosen !== undefined && release === undefined ? (
        <p class="fault">The log has no release {short(chosen)}.</p>
      ) : null}
      {release === undefined ? <List of={data} /> : <Detail of={release} />}
    </>
  );
}

const nameOf = ({ kind, share }: StageStatus): string => (share === null ? kind : `${kind} ${percent(share, 0)}`);

function List({ of }: { readonly of: PlainReleases }): JSX.Element {
  return (
    <div class="cards">
      {of.releases.length === 0 ? (
        <div class="card full">
          <Empty command={'seam release plan ADAPTER --by NAME --reason "why"'}>
            No release was planned. A plan says beforehand which figures promote an adapter and which roll it back.
          </Empty>
        </div>
      ) : (
        <Card
          title="Planned"
          size="full"
          how={
            <How
              counted="Each plan that counts, the newest first, with its last stage that began."
              command="seam release status"
            />
          }
        >
          <PlainTable label="Releases" titles={['release', 'tries', 'over', 'planned by', 'stage', 'stands']}>
            {of.releases.toReversed().map(({ event, stage, stages, status }) => (
              <tr key={event.releaseId}>
                <th scope="row">
                  <a class="mono" href={`/releases/${event.releaseId}`}>
                    {short(event.releaseId)}
                  </a>
                </th>
                <td>
                  <AdapterLink digest={event.candidate} />
                </td>
                <td>
                  <AdapterLink digest={event.parent} />
                </td>
                <td class="wrap">
                  {event.plannedBy}: {event.reason}
                </td>
                <td>
                  {stage + 1} of {stages.length}: {nameOf(stages[stage]!)}
                </td>
                <td>
                  <Status status={status} />
                </td>
              </tr>
            ))}
          </PlainTable>
        </Card>
      )}
      <Guards of={of.guarding} />
      {of.refusedCount === 0 ? null : (
        <Card
          title="Refused"
          size="full"
          how={
            <How
              counted="Records of plans and decisions that do not count, the newest at most, and why not."
              command="seam release status"
            />
          }
        >
          <p>{plural(of.refusedCount, 'record')} do not count.</p>
          <ul class="plain">
            {of.refused.map(({ messageId, type, releaseId, reason }) => (
              <li key={messageId}>
                {type} of release <span class="mono">{short(releaseId)}</span>: {reason}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

function Detail({ of }: { readonly of: PlainRelease }): JSX.Element {
  const { event, plan, status, now, pin } = of;
  const id = short(event.releaseId);
  const how = (
    <How counted="What was declared before the first problem." command={`seam release status ${id} --json`} />
  );
  return (
    <div class="cards">
      <Card title="Plan" how={how}>
        <Facts
          of={[
            ['stands', <Status key="s" status={status} />],
            ['tries', <AdapterLink key="c" digest={event.candidate} />],
            ['over', <AdapterLink key="p" digest={event.parent} />],
            ['in slot', event.slot],
            ['planned', time(event.meta.occurredAt)],
            ['by', event.plannedBy],
            ['because', event.reason],
            ['risk', `${percent(plan.alpha)}, at any number of looks`],
            ['centre', percent(plan.centre, 0)],
            ['tolerated loss', percent(plan.tolerance)],
            ['horizon', plural(plan.horizon, 'problem')],
            ['rule', `version ${plan.version}`],
          ]}
        />
      </Card>
      <Card
        title="Stages"
        size="wide"
        how={
          <How
            counted="Problems in the order of publication. The interval is of the candidate's success less its parent's; it holds at every look. Left of zero as a whole, beyond what is tolerated: rolled back. Right of the second mark, the stage's margin, as a whole: passed."
            command={`seam release status ${id}`}
          />
        }
      >
        <table class="forest">
          <Heads titles={['stage', 'problems', 'points, at any look', 'stands']} numbers={['problems']} />
          <tbody>
            {of.stages.map((stage, at) => (
              <Stage key={at} of={stage} at={at} evidence={of.evidence} />
            ))}
          </tbody>
        </table>
        {now === null ? null : (
          <p>
            Now: {now.reason}.{now.end === null ? ' The stage continues.' : ` Its rule ends it: ${now.end}.`}
          </p>
        )}
        {status === 'overtaken' ? <p>Something else is served than its parent: plan it again over that.</p> : null}
        {status === 'running' && pin !== null ? (
          <p>
            What is served is pinned by {pin.by} ({pin.reason}): a promotion waits for that.
          </p>
        ) : null}
      </Card>
      <Decisions of={of} />
    </div>
  );
}

function Stage(props: {
  readonly of: StageStatus;
  readonly at: number;
  readonly evidence: PlainRelease['evidence'];
}): JSX.Element {
  const { of, at, evidence } = props;
  const { decision, estimate } = of;
  return (
    <tr>
      <th scope="row">
        {nameOf(of)}
        <Counts at={at} evidence={evidence} />
      </th>
      <td class="end" data-value={`problems-${at}`}>
        {of.problems === null ? '–' : count(of.problems)}
      </td>
      <td class="bar" data-value={`estimate-${at}`}>
        {of.standing === 'waits' ? (
          <span class="dim">–</span>
        ) : (
          <Interval
            of={estimate === null ? null : { value: estimate.difference, interval: estimate.interval }}
            name={nameOf(of)}
            margin={of.margin}
          />
        )}
      </td>
      <td data-value={`end-${at}`}>
        <Status status={decision?.decision ?? of.standing} />
      </td>
    </tr>
  );
}

/** The counts that the rule reads. */
function Counts({ at, evidence }: { readonly at: number; readonly evidence: PlainRelease['evidence'] }): JSX.Element {
  const pairs = evidence.paired.find(({ stage }) => stage === at);
  const canary = evidence.canaries.find(({ stage }) => stage === at);
  const lines: string[] = [];
  if (pairs !== undefined)
    lines.push(
      `candidate alone ${count(pairs.candidateAlone)}, parent alone ${count(pairs.parentAlone)}, no verdict ${count(pairs.missing)}`,
    );
  if (canary !== undefined)
    for (const name of ['candidate', 'parent'] as const) {
      const { solved, failed, missing } = canary[name];
      lines.push(`${name}: solved ${count(solved)}, not ${count(failed)}, no verdict ${count(missing)}`);
    }
  return (
    <>
      {lines.map((line) => (
        <small key={line} class="counts">
          {line}
        </small>
      ))}
    </>
  );
}

function Decisions({ of }: { readonly of: PlainRelease }): JSX.Element {
  return (
    <Card
      title="Decided"
      size="full"
      how={
        <How
          counted="Each decision with its reason, who took it, and the records that its counts are of. The command makes each again and compares the bytes."
          command={`seam release recompute ${short(of.event.releaseId)}`}
        />
      }
    >
      {of.decisions.length === 0 ? <p class="dim">Nothing was decided yet.</p> : null}
      <ol class="timeline">
        {of.decisions.map(({ meta, stage, decision, decidedBy, reason, rule, offsets, evidence }) => (
          <li key={meta.messageId} class={decision === 'rolled back' ? 'bad' : ''}>
            <time>{time(meta.occurredAt)}</time>
            <div>
              <strong>{decision}</strong> after stage {stage + 1}, {nameOf(of.stages[stage]!)}{' '}
              {decidedBy === null ? <Badge kind="dim">by the rule</Badge> : <Badge kind="warn">by {decidedBy}</Badge>}
              <p class="wrap">{reason}</p>
              <details>
                <summary>What it rests on</summary>
                <Facts
                  of={[
                    ['rule', rule],
                    ...offsets.map(({ topic, partition, from, to }): readonly [string, string] => [
                      `${topic}/${partition}`,
                      `${count(from)} to ${count(to)}`,
                    ]),
                  ]}
                />
                <Text>{pretty(evidence)}</Text>
              </details>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
