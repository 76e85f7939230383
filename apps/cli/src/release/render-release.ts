/** Releases as text. Pure. */
import { count, onOneLine, percent, shortId } from '@seamstream/kernel';
import type { RecomputedDecision, ReleaseStatus, StageStatus } from '@seamstream/operations/release';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : shortId(digest));

const stageName = ({ kind, share }: StageStatus): string => (share === null ? kind : `${kind} ${percent(share)}`);

const points = (difference: number): string => (difference * 100).toFixed(1);

function lead({ estimate }: StageStatus): string {
  if (estimate === null) return '–';
  const [low, high] = estimate.interval;
  return `${points(estimate.difference)} (${points(low)} to ${points(high)})`;
}

export function renderRelease({ release, now, stages, pin }: ReleaseStatus, style: Style): string {
  const { event, status } = release;
  const rows = stages.map((stage) => [
    stageName(stage),
    stage.problems === null ? '–' : count(stage.problems),
    lead(stage),
    ...endOf(stage, now),
  ]);
  const columns = [
    { title: 'STAGE' },
    { title: 'PROBLEMS', align: 'right' as const },
    { title: 'POINTS', align: 'right' as const },
    { title: 'END' },
    { title: 'WHY' },
  ];
  return [
    `Release ${shortId(event.releaseId)}: ${shortId(event.candidate)} over ${nameOf(event.parent)}, planned by ${onOneLine(event.plannedBy)} (${onOneLine(event.reason)}): ${status}\n`,
    renderTable(columns, rows, style),
    status === 'overtaken' ? 'Something else is served than its parent: plan it again over that.\n' : '',
    status === 'running' && pin !== null
      ? `What is served is pinned by ${onOneLine(pin.by)} (${onOneLine(pin.reason)}): a promotion waits for that.\n`
      : '',
  ].join('');
}

/** How the stage ended or stands, and why. */
function endOf({ standing, decision }: StageStatus, now: ReleaseStatus['now']): readonly [end: string, why: string] {
  if (decision !== null) {
    const { decidedBy, reason } = decision;
    return [onOneLine(decision.decision), onOneLine(decidedBy === null ? reason : `${decidedBy}: ${reason}`)];
  }
  return standing === 'runs' ? ['runs', onOneLine(now!.reason)] : ['–', ''];
}

export function renderRecomputed({ decision, isSame, difference }: RecomputedDecision): string {
  const { stage, decidedBy } = decision;
  const verdict = isSame === null ? `by ${onOneLine(decidedBy ?? '')}` : isSame ? 'same bytes' : 'DIFFERS';
  return `stage ${stage + 1}  ${onOneLine(decision.decision)}  ${verdict}${difference === '' ? '' : `: ${onOneLine(difference)}`}\n`;
}
