/** Teams for a terminal. Pure. */
import { count, onOneLine, plural, shortId } from '@seamstream/kernel';
import type { ListedTeam, ShownTeam, TeamStage, TeamSwap, TeamWarmUp } from '@seamstream/operations/team';
import { addedTallies } from '@seamstream/rollout';
import { judgesText } from '../evaluate/render-judges.js';
import type { Style } from '../terminal/style.js';
import { type Column, renderTable } from '../terminal/table.js';
import { minuteOf, percent } from '../terminal/text.js';

const right = (title: string): Column => ({ title, align: 'right' });
const digestOf = (digest: string | null): string => (digest === null ? 'base' : shortId(digest));

export function renderTeams(teams: readonly ListedTeam[], style: Style): string {
  if (teams.length === 0)
    return 'No team was tuned in this log. Tune one: seam train sat-seq (SEAM_TRAINER_TEAM names it).\n';
  const columns = [
    ...[{ title: 'SLOT' }, { title: 'SERVED' }],
    ...['STAGES', 'ACCEPTED', 'TAKEN BACK', 'GIVEN UP', 'SUCCESS', 'BEFORE'].map(right),
  ];
  const rows = teams.map(({ slot, served, stages, accepted, takenBack, givenUp, success, parentSuccess }) => [
    ...[onOneLine(slot), digestOf(served)],
    ...[stages, accepted, takenBack, givenUp].map(count),
    ...[success, parentSuccess].map((share) => percent(share)),
  ]);
  return renderTable(columns, rows, style);
}

export function renderTeam(
  { slot, served, members, stages, swaps, warmUps, evaluations }: ShownTeam,
  style: Style,
): string {
  const agents = members.map(({ agent, slot: own, adapterDigest }, at) =>
    [String(at + 1), agent, own, digestOf(adapterDigest)].map(onOneLine),
  );
  return [
    `${style.bold(onOneLine(slot))}, served: ${digestOf(served)}\n`,
    renderTable([right('ACTS'), { title: 'AGENT' }, { title: 'SLOT' }, { title: 'ADAPTER' }], agents, style),
    ...swaps.map(renderSwap),
    ...warmUps.map(renderWarmUp),
    ...stages.map((stage) => renderStage(stage, style)),
    ...evaluations.map(renderEvaluation),
  ].join('\n');
}

function renderSwap({ startedAt, stands, reason, swapped }: TeamSwap): string {
  const why = reason === null ? '' : ` (${onOneLine(reason)})`;
  return `swap  ${minuteOf(startedAt)}  ${stands}${why}: ${swapped === null ? 'not aligned' : swapText(swapped)}\n`;
}

function renderEvaluation(evaluation: ShownTeam['evaluations'][number]): string {
  const { at, teamDigest, problemSet, problems, answers, meanAt, passAt, majorityAt, evaluatedBy } = evaluation;
  const most = passAt[answers];
  const figures = [
    `avg@${answers} ${percent(meanAt)}`,
    ...(most === undefined || answers === 1 ? [] : [`pass@${answers} ${percent(most)}`]),
    `majority@${answers} ${percent(majorityAt)}`,
  ].join(', ');
  return `measured  ${minuteOf(at)}  ${digestOf(teamDigest)} on ${plural(problems, 'problem')} of ${onOneLine(problemSet)} by ${onOneLine(evaluatedBy)}: ${figures}\n`;
}

function renderWarmUp({ startedAt, stands, reason, warmedUp }: TeamWarmUp): string {
  const why = reason === null ? '' : ` (${onOneLine(reason)})`;
  return `warm-up  ${minuteOf(startedAt)}  ${stands}${why}: ${warmedUp === null ? 'not learned' : warmUpText(warmedUp)}\n`;
}

function warmUpText({ agent, pairs, setDigest, steps, loss }: NonNullable<TeamWarmUp['warmedUp']>): string {
  return `${onOneLine(agent)} learned ${plural(pairs, 'preferred answer')} of ${shortId(setDigest)} in ${plural(steps, 'step')}, to ${loss.toFixed(4)} nats a token`;
}

function swapText(swapped: NonNullable<TeamSwap['swapped']>): string {
  const { agent, joinedBaseModelDigest, joinedAdapterDigest, distanceBefore, distance, target, passes } = swapped;
  const joined = `${shortId(joinedBaseModelDigest)} with ${digestOf(joinedAdapterDigest)}`;
  return `${onOneLine(agent)} is now ${joined}; KL ${distanceBefore.toFixed(4)} became ${distance.toFixed(4)} of ${target} nats after ${count(passes)} passes`;
}

/** What an update may do at most. */
function gateText({ target, mostLost }: NonNullable<TeamStage['gate']>): string {
  const kept = mostLost === null ? '' : `, and successes lose ${mostLost} at most`;
  return `gate at ${target} nats${kept}`;
}

function renderStage(stage: TeamStage, style: Style): string {
  const { startedAt, stands, reason, updates, order, gate, agents, batches, evaluation, certificate } = stage;
  const judges = addedTallies(...batches.map((batch) => batch.judges));
  const apart = stage.judgedApart === 0 ? '' : `; ${plural(stage.judgedApart, 'rollout')} judged apart`;
  const held = gate === null ? 'no gate' : gateText(gate);
  const passes = agents.flatMap(({ agent, passes: tried }) =>
    tried.map(({ pass, attempt, decision, beta, distance, lost }) => [
      ...[onOneLine(agent), String(pass), String(attempt), decision],
      ...[distance.toFixed(4), lost?.toFixed(4) ?? '', beta.toFixed(4)],
    ]),
  );
  const columns = [
    { title: 'AGENT' },
    right('PASS'),
    right('ATTEMPT'),
    { title: 'DECISION' },
    right('KL'),
    right('LOST'),
    right('BETA'),
  ];
  const measured = `success ${percent(evaluation?.success)}, before ${percent(evaluation?.parentSuccess)}`;
  return [
    `stage ${stage.stage}  ${minuteOf(startedAt)}  ${stands}${reason === null ? '' : ` (${onOneLine(reason)})`}: ${measured}\n`,
    `${updates}, order ${order}: ${agents.map(({ agent }) => onOneLine(agent)).join(', ') || 'not chosen yet'}; ${held}\n`,
    judges.length === 0 ? '' : `rollouts judged by ${judgesText(judges)}${apart}\n`,
    passes.length === 0 ? '' : renderTable(columns, passes, style),
    certificate === null ? '' : `certificate: ${certificate.says}\n`,
  ].join('');
}
