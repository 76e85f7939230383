/** Releases as text. Pure. */
import { count, onOneLine, percent, shortId } from '@seamstream/kernel';
import type { RecomputedDecision, ReleaseStatus } from '@seamstream/operations/release';
import type { ReleaseStage } from '@seamstream/release';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : shortId(digest));

function stageName(stage: ReleaseStage): string {
  return stage.kind === 'canary' ? `canary ${percent(stage.share)}` : stage.kind;
}

export function renderRelease({ release, evidence, now }: ReleaseStatus, style: Style): string {
  const { event, plan, stage, status, decisions } = release;
  const rows = plan.stages.map((planned, at) => {
    const decision = decisions.find((each) => each.stage === at);
    const isRunning = status === 'running' && at === stage;
    return [
      stageName(planned),
      problemsOf(evidence, at),
      decision === undefined ? (isRunning ? 'runs' : '–') : onOneLine(decision.decision),
      decision === undefined
        ? isRunning
          ? onOneLine(now!.reason)
          : ''
        : onOneLine(decision.decidedBy === null ? decision.reason : `${decision.decidedBy}: ${decision.reason}`),
    ];
  });
  const columns = [
    { title: 'STAGE' },
    { title: 'PROBLEMS', align: 'right' as const },
    { title: 'END' },
    { title: 'WHY' },
  ];
  return [
    `Release ${shortId(event.releaseId)}: ${shortId(event.candidate)} over ${nameOf(event.parent)}, planned by ${onOneLine(event.plannedBy)} (${onOneLine(event.reason)}): ${status}\n`,
    renderTable(columns, rows, style),
    status === 'overtaken' ? 'Something else is served than its parent: plan it again over that.\n' : '',
  ].join('');
}

function problemsOf({ paired, canaries }: ReleaseStatus['evidence'], at: number): string {
  const pairs = paired.find(({ stage }) => stage === at);
  const canary = canaries.find(({ stage }) => stage === at);
  if (pairs !== undefined) return count(pairs.problems);
  if (canary === undefined) return '–';
  const arms = [canary.candidate, canary.parent];
  return count(arms.reduce((sum, { solved, failed, missing }) => sum + solved + failed + missing, 0));
}

export function renderRecomputed({ decision, isSame, difference }: RecomputedDecision): string {
  const { stage, decidedBy } = decision;
  const verdict = isSame === null ? `by ${onOneLine(decidedBy ?? '')}` : isSame ? 'same bytes' : 'DIFFERS';
  return `stage ${stage + 1}  ${onOneLine(decision.decision)}  ${verdict}${difference === '' ? '' : `: ${onOneLine(difference)}`}\n`;
}
