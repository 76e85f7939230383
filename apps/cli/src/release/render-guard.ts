/** Guards as text, and what it is worth to withhold entries. Pure. */
import { count, onOneLine, percent, points, rounded, shortId } from '@seamstream/kernel';
import type {
  ControlArmWorth,
  GuardedDomain,
  GuardStatus,
  GuardsStatus,
  RecomputedMuting,
  Withheld,
} from '@seamstream/operations/release';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

const right = 'right' as const;

export function renderGuarding({ guards, controlArm, refused, refusedCount }: GuardsStatus, style: Style): string {
  return [
    ...guards.map((guard) => `\n${renderGuard(guard, style)}`),
    guards.length === 0 ? 'No guard is on: nothing is muted by itself (seam release guard on).\n' : '',
    renderControlArm(controlArm, style),
    refusedCount > refused.length
      ? `Refused: ${refusedCount} records of guards; the newest ${refused.length} of them:\n`
      : '',
    ...refused.map(
      ({ event, reason }) =>
        `Refused: ${event.type} of guard ${onOneLine(event.guardId)} at ${event.meta.occurredAt}: ${onOneLine(reason)}\n`,
    ),
  ].join('');
}

function renderGuard({ guard, adapterDigest, domains }: GuardStatus, style: Style): string {
  const { event, plan } = guard;
  const served = adapterDigest === null ? 'the base model' : shortId(adapterDigest);
  const head = `Guard ${shortId(event.guardId)} over ${served}, by ${onOneLine(event.plannedBy)} (${onOneLine(event.reason)}): ${percent(plan.alpha)} risk for all domains, ${percent(plan.share)} stay treated where it mutes\n`;
  if (domains.length === 0) return `${head}No problem counts for it yet.\n`;
  const columns = [
    { title: 'DOMAIN' },
    ...['WITH', 'WITHOUT', 'LIFT', 'AT ANY LOOK'].map((title) => ({ title, align: right })),
    ...['STANDS', 'WHY'].map((title) => ({ title })),
  ];
  const rows = domains.map((each) => [
    onOneLine(each.domain),
    count(each.treated),
    count(each.control),
    each.lift === null ? '–' : points(each.lift.value),
    each.lift === null ? '–' : `${points(each.lift.interval95[0])} to ${points(each.lift.interval95[1])}`,
    ...standingOf(each),
  ]);
  const muted = domains.filter(({ withheld }) => withheld !== null);
  return [
    head,
    renderTable(columns, rows, style),
    ...muted.map(
      ({ domain, withheld }) =>
        `In ${onOneLine(domain)} ${count(withheld!.problems)} problems had no entry since it was muted: with one ${moreSolved(withheld!)}.\n`,
    ),
  ].join('');
}

function standingOf({ muting, now }: GuardedDomain): readonly [stands: string, why: string] {
  if (muting === null)
    return ['open', now === null ? 'its counts are not possible: nothing is decided' : onOneLine(now.reason)];
  const { event, ended } = muting;
  return ended === null
    ? ['muted', onOneLine(event.reason)]
    : ['unmuted', onOneLine(`${ended.unmutedBy}: ${ended.reason}`)];
}

function renderControlArm({ all, domains }: ControlArmWorth, style: Style): string {
  if (all.problems === 0) return '';
  const columns = [
    { title: 'WITHOUT ENTRIES' },
    ...['PROBLEMS', 'MORE SOLVED WITH THEM', 'AT ANY LOOK'].map((title) => ({ title, align: right })),
  ];
  const rows = [...domains, { ...all, domain: 'all' }].map(({ domain, problems, moreSolved: more }) => [
    ...[onOneLine(domain), count(problems)],
    ...(more === null
      ? ['–', '–']
      : [rounded(more.value), `${rounded(more.interval[0])} to ${rounded(more.interval[1])}`]),
  ]);
  return `\nThe control arm: what it costs, and below 0 what it prevents. All harm that is known is known from it.\n${renderTable(columns, rows, style)}`;
}

function moreSolved({ moreSolved: more }: Withheld): string {
  if (more === null) return 'it is not known how many more would have been solved';
  const [low, high] = more.interval;
  const range = `${rounded(low)} to ${rounded(high)} at any look`;
  const verdict = high < 0 ? 'harm was prevented' : low > 0 ? 'solutions were lost' : 'neither harm nor help is shown';
  return `${rounded(more.value)} more would have been solved (${range}): ${verdict}`;
}

export function renderRecomputedMuting({ muting, isSame, difference }: RecomputedMuting): string {
  const { adapterDigest, domain } = muting;
  const of = adapterDigest === null ? 'the base model' : shortId(adapterDigest);
  return `guard  ${onOneLine(domain)} of ${of}  muted  ${isSame ? 'same bytes' : 'DIFFERS'}${difference === '' ? '' : `: ${onOneLine(difference)}`}\n`;
}
