/** One team: its agents in their order, its stages with every pass that the gate looked at, promotions, and the certificate. */
import type { ShownTeam, TeamStage, TeamSwap, TeamWarmUp } from '@seamstream/operations/team';
import type { JSX } from 'preact';
import { ActText } from '../parts/act-text.js';
import { PeekList } from '../parts/peek-list.js';
import { Badge, Card, Facts, Heads, How, PlainTable, Status, Waiting } from '../parts/pieces.js';
import { clock, count, figure, percent, plural, points, short, time } from '../parts/words.js';
import { path } from '../state/place.js';
import { useView } from '../state/view.js';

export function TeamPage(): JSX.Element {
  const slot = path.value[1]!;
  const { data, fault } = useView<ShownTeam>(`/api/views/teams/${encodeURIComponent(slot)}`);
  if (data === null)
    return (
      <>
        <h1>Team {slot}</h1>
        <Waiting fault={fault} />
      </>
    );
  const how = (counted: string): JSX.Element => <How counted={counted} command={`seam team show ${slot}`} />;
  const last = data.stages.findLast(({ certificate }) => certificate !== null);
  return (
    <>
      <h1>Team {data.slot}</h1>
      {fault === null ? null : <Waiting fault={fault} />}
      <div class="cards">
        <Agents of={data} how={how('Agents of the team that is served, in the order in which they act.')} />
        <CertificateCard
          of={last}
          how={how(
            'The lower bound that the method states for the improvement by a stage. Its constants are placeholders, and it decides nothing: the gate does.',
          )}
        />
        <Promotions
          of={data}
          how={how('What was decided on versions of this team, each as a whole, in the order of time.')}
        />
        {data.swaps.length === 0 ? null : (
          <Swaps
            of={data.swaps}
            how={how('Runs in which another base model or adapter took an agent’s place, before the others continue.')}
          />
        )}
        {data.warmUps.length === 0 ? null : (
          <WarmUps
            of={data.warmUps}
            how={how('Runs in which an agent learned preferred answers, before the others.')}
          />
        )}
      </div>
      <Stages of={data.stages} slot={slot} />
    </>
  );
}

interface Part {
  readonly of: ShownTeam;
  readonly how: JSX.Element;
}

function Agents({ of, how }: Part): JSX.Element {
  return (
    <Card title="Agents" size="wide" how={how}>
      <PlainTable label="Agents in their order" titles={['acts', 'agent', 'slot', 'adapter']} numbers={['acts']}>
        {of.members.map(({ agent, slot, adapterDigest }, at) => (
          <tr key={agent} data-agent={agent}>
            <td class="end">{at + 1}</td>
            <th scope="row">{agent}</th>
            <td class="mono">{slot}</td>
            <td class="mono" data-value={`adapter-${agent}`}>
              {adapterDigest === null ? <span class="dim">base model</span> : short(adapterDigest)}
            </td>
          </tr>
        ))}
      </PlainTable>
      <p>
        Served:{' '}
        {of.served === null ? (
          'the base models'
        ) : (
          <a class="mono" href={`/adapters/${of.served}`}>
            {short(of.served)}
          </a>
        )}
      </p>
    </Card>
  );
}

function CertificateCard({ of, how }: { readonly of: TeamStage | undefined; readonly how: JSX.Element }): JSX.Element {
  return (
    <Card title={of === undefined ? 'Certificate' : `Certificate of stage ${of.stage}`} how={how}>
      {of === undefined ? <p class="dim">No stage has ended yet.</p> : <Terms of={of} />}
    </Card>
  );
}

/** The four terms, what they come to, and what that says. */
function Terms({ of }: { readonly of: TeamStage }): JSX.Element | null {
  const { certificate } = of;
  if (certificate === null) return <p class="dim">The stage has not ended: it has no certificate yet.</p>;
  const { gain, occupancyShift, estimatorBias, finiteSample, bound, isVacuous, says } = certificate;
  return (
    <>
      <Facts
        of={[
          ['what the updates gain', figure(gain)],
          ['− states visited otherwise', figure(occupancyShift)],
          ['− bias of advantages', figure(estimatorBias)],
          ['− finite samples', figure(finiteSample)],
          [
            'lower bound',
            <strong key="b" data-value="bound">
              {figure(bound)}
            </strong>,
          ],
        ]}
      />
      <p data-value="certificate">
        {isVacuous ? <Badge kind="warn">! vacuous</Badge> : <Badge kind="good">holds</Badge>} {says}.
      </p>
    </>
  );
}

function Promotions({ of, how }: Part): JSX.Element {
  const { acts } = of;
  return (
    <Card title="Promotions" size="full" how={how}>
      {acts.length === 0 ? <p class="dim">Nothing was decided yet.</p> : null}
      <ol class="timeline">
        {acts.map(({ adapterDigest, ...act }) => (
          <li key={`${adapterDigest}${act.act}${act.at}`} class={act.act === 'rolledBack' ? 'bad' : ''}>
            <time>{clock(act.at)}</time>
            <ActText of={act}>
              <a class="mono" href={`/adapters/${adapterDigest}`}>
                {short(adapterDigest)}
              </a>{' '}
              {act.evaluation === null
                ? null
                : `with ${percent(act.evaluation.success)}, before ${percent(act.evaluation.parentSuccess)}, `}
            </ActText>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Swaps({ of, how }: { readonly of: readonly TeamSwap[]; readonly how: JSX.Element }): JSX.Element {
  return (
    <Card title="Swapped agents" size="full" how={how}>
      <ol class="timeline">
        {of.map(({ runId, startedAt, stands, reason, swapped }) => (
          <li key={runId} data-swap={runId} class={swapped === null && reason !== null ? 'bad' : ''}>
            <time>{clock(startedAt)}</time> <Status status={stands} />{' '}
            {swapped === null ? (
              (reason ?? 'What joins is not aligned yet.')
            ) : (
              <>
                {swapped.agent} is now <span class="mono">{short(swapped.joinedBaseModelDigest)}</span>: KL{' '}
                {figure(swapped.distanceBefore)} became {figure(swapped.distance)} of {figure(swapped.target)} nats
              </>
            )}{' '}
            <a href={`/training/${runId}`}>its run</a>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function WarmUps({ of, how }: { readonly of: readonly TeamWarmUp[]; readonly how: JSX.Element }): JSX.Element {
  return (
    <Card title="Warmed up agents" size="full" how={how}>
      <ol class="timeline">
        {of.map(({ runId, startedAt, stands, reason, warmedUp }) => (
          <li key={runId} data-warm-up={runId} class={warmedUp === null && reason !== null ? 'bad' : ''}>
            <time>{clock(startedAt)}</time> <Status status={stands} />{' '}
            {warmedUp === null
              ? (reason ?? 'It has not learned yet.')
              : `${warmedUp.agent} learned ${plural(warmedUp.pairs, 'preferred answer')} in ${plural(warmedUp.steps, 'step')}, to ${figure(warmedUp.loss)} nats a token`}{' '}
            <a href={`/training/${runId}`}>its run</a>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const ROOM: ReadonlySet<string> = new Set(['order', 'taken back', 'rollouts', 'before']);

const furthest = ({ agents }: TeamStage): number | null =>
  agents.reduce<number | null>(
    (most, { result }) => (result === null ? most : Math.max(most ?? 0, result.distance)),
    null,
  );

const columns = [
  {
    title: 'stage',
    width: '120px',
    cell: ({ stage, startedAt }: TeamStage) => (
      <>
        {stage} <time class="mono dim">{clock(startedAt)}</time>
      </>
    ),
  },
  { title: 'stands', width: '110px', cell: ({ stands }: TeamStage) => <Status status={stands} /> },
  {
    title: 'order',
    width: 'minmax(180px, 2fr)',
    cell: ({ agents }: TeamStage) => agents.map(({ agent }) => agent).join(' → ') || 'not chosen yet',
  },
  { title: 'taken back', width: '84px', end: true, cell: ({ takenBack }: TeamStage) => count(takenBack) },
  {
    title: 'furthest, gate',
    width: 'minmax(150px, 1fr)',
    cell: (stage: TeamStage) => <Gauge distance={furthest(stage)} target={stage.gate?.target ?? null} />,
  },
  {
    title: 'rollouts',
    width: '84px',
    end: true,
    cell: ({ batches }: TeamStage) => count(batches.reduce((sum, { rollouts }) => sum + rollouts, 0)),
  },
  { title: 'success', width: '80px', end: true, cell: ({ evaluation }: TeamStage) => percent(evaluation?.success) },
  {
    title: 'before',
    width: '80px',
    end: true,
    cell: ({ evaluation }: TeamStage) => percent(evaluation?.parentSuccess),
  },
];

function Stages({ of, slot }: { readonly of: readonly TeamStage[]; readonly slot: string }): JSX.Element {
  return (
    <>
      <p class="dim line">
        <span>
          <span data-value="stages">{plural(of.length, 'stage')}</span>, newest first. A pass beyond the gate is taken
          back and tried again with a larger β.
        </span>
        <How
          counted="Each stage is a training run. KL is the quantile over states of the distance to the policy before the update, in nats; the mark is the gate."
          command={`seam team show ${slot}`}
        />
      </p>
      <PeekList
        label="Stages, newest first"
        chosenLabel="The chosen stage"
        columns={columns}
        room={ROOM}
        rows={of.toReversed()}
        keyOf={({ runId }) => runId}
        head={(runId) => <a href={`/training/${runId}`}>Its run {short(runId)}</a>}
      >
        {(runId) => {
          const stage = of.find((each) => each.runId === runId);
          return stage === undefined ? null : <Stage of={stage} />;
        }}
      </PeekList>
    </>
  );
}

function Stage({ of }: { readonly of: TeamStage }): JSX.Element {
  const { stage, startedAt, reason, updates, order, resamples, gate, batches, agents, evaluation } = of;
  const { success, parentSuccess = null } = evaluation ?? {};
  return (
    <>
      <h2>Stage {stage}</h2>
      <Facts
        of={[
          ['began', time(startedAt)],
          ['agents are updated', updates === 'sequential' ? 'one after the other' : 'all at once'],
          ['order', `${order}: ${agents.map(({ agent }) => agent).join(' → ') || 'not chosen yet'}`],
          ['sampled again before each', resamples && updates === 'sequential' ? 'yes' : 'no'],
          [
            'gate',
            gate === null
              ? 'none: every pass is kept'
              : `${figure(gate.target)} nats at quantile ${gate.quantile}, ${lossText(gate.mostLost)}taken back ${gate.maxBacktracks} times at most`,
          ],
          ...(success === undefined || parentSuccess === null
            ? []
            : [['success', `${percent(success)}, ${points(success - parentSuccess)} points`] as const]),
          ['why', reason ?? '–'],
        ]}
      />
      {agents.map((agent) => (
        <Update key={agent.agent} of={agent} />
      ))}
      <h3>Batches</h3>
      <ul class="plain">
        {batches.map(({ batch, isResampled, rollouts, successes }) => (
          <li key={batch}>
            {isResampled ? <Badge kind="busy">resampled</Badge> : <Badge kind="dim">first</Badge>}{' '}
            {plural(rollouts, 'rollout')}, {count(successes)} solved
          </li>
        ))}
      </ul>
      <h3>Certificate</h3>
      <Terms of={of} />
    </>
  );
}

/** What successful turns may lose, as a part of the sentence on the gate. */
function lossText(mostLost: number | null): string {
  return mostLost === null ? '' : `${figure(mostLost)} ${mostLost === 1 ? 'nat' : 'nats'} lost by what succeeded, `;
}

const DECISIONS: Readonly<Record<string, string>> = { accepted: 'good', 'taken back': 'warn', 'given up': 'bad' };

/** An agent's passes: the decision of each, how far it went, what successes lost, and the β that it went with. */
function Update({ of }: { readonly of: TeamStage['agents'][number] }): JSX.Element {
  const { agent, passes, result } = of;
  return (
    <>
      <h3>
        {agent}
        {result === null
          ? ', under way'
          : ` → ${short(result.adapterDigest)}, effective samples ${percent(result.effectiveSampleRatio, 0)}`}
      </h3>
      <table class="plain-table">
        <Heads titles={['pass', 'gate', 'KL, nats', 'lost, nats', 'β']} numbers={['pass', 'lost, nats', 'β']} />
        <tbody>
          {passes.map(({ pass, attempt, decision, beta, distance, target, lost }) => (
            <tr key={`${pass}/${attempt}`} data-pass={`${agent}/${pass}/${attempt}`}>
              <td class="end">
                {pass + 1}
                {attempt === 0 ? '' : `, try ${attempt + 1}`}
              </td>
              <td>
                <Badge kind={DECISIONS[decision] ?? 'dim'}>{decision}</Badge>
              </td>
              <td>
                <Gauge distance={distance} target={target} />
              </td>
              <td class="end">{lost === null ? '–' : figure(lost)}</td>
              <td class="end">{figure(beta)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The gate is at three quarters of the width. */
const GATE_AT = 75;

/** A distance against the gate. */
function Gauge({
  distance,
  target,
}: {
  readonly distance: number | null;
  readonly target: number | null;
}): JSX.Element {
  if (distance === null) return <span class="dim">–</span>;
  const words = target === null ? figure(distance) : `${figure(distance)} of ${figure(target)}`;
  if (target === null) return <span>{words}</span>;
  const isBeyond = distance > target;
  return (
    <span class={`gauge ${isBeyond ? 'beyond' : ''}`}>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.min(100, (distance / target) * GATE_AT)} y="2" height="6" rx="1" />
        <line x1={GATE_AT} x2={GATE_AT} y1="0" y2="10" />
      </svg>
      <small>{words}</small>
    </span>
  );
}
