/** What experiences add, as text. Pure. */
import { count, onOneLine, percent, plural, points } from '@seamstream/kernel';
import type { Comparison, ExperimentCheck, LiftAnswer, LiftAnswers } from '@seamstream/operations/read-models';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

function row(name: string, { treated, control, lift }: Comparison): string[] {
  return [
    onOneLine(name),
    percent(treated.rate),
    count(treated.problems),
    percent(control.rate),
    count(control.problems),
    lift === null ? '–' : points(lift.value),
    lift === null ? '–' : `${points(lift.interval95[0])} to ${points(lift.interval95[1])}`,
  ];
}

export function renderLift({ modes, unsettled }: LiftAnswers, style: Style): string {
  const waiting =
    unsettled === 0
      ? ''
      : `${plural(unsettled, 'problem')} do not count yet: they, or some before them, have no end.\n`;
  if (modes.length === 0) return `No problem counts yet.\n${waiting}`;
  return `${modes.map((mode) => renderMode(mode, style)).join('\n')}${waiting}`;
}

function renderMode(mode: LiftAnswer, style: Style): string {
  const table = renderTable(
    [
      { title: mode.mode.toUpperCase() },
      { title: 'WITH', align: 'right' },
      { title: 'PROBLEMS', align: 'right' },
      { title: 'WITHOUT', align: 'right' },
      { title: 'PROBLEMS', align: 'right' },
      { title: 'LIFT', align: 'right' },
      { title: '95 %, AT ANY LOOK', align: 'right' },
    ],
    [...mode.domains.map((each) => row(each.domain, each)), row('all', mode)],
    style,
  );
  const { treated, control, unassigned } = mode.missing;
  const missing = treated + control + unassigned;
  return [
    table,
    mode.lift === null ? 'No interval: an arm is empty, or the log does not name its share.\n' : '',
    mode.harmed.length === 0
      ? ''
      : mode.isCausal
        ? `Experiences do harm in: ${mode.harmed.map(onOneLine).join(', ')} (5 % risk that any is named wrongly, at any look).\n`
        : `Fewer are solved with experiences in: ${mode.harmed.map(onOneLine).join(', ')}; this may come from the arms.\n`,
    ...mode.experiments.flatMap(warningsOf),
    mode.repeated === 0
      ? ''
      : `${plural(mode.repeated, 'problem')} do not count: an earlier one of their conversation does.\n`,
    missing === 0
      ? ''
      : `${plural(missing, 'problem')} ended without a verdict: ${count(treated)} with experiences, ${count(control)} controls, ${count(unassigned)} before an arm.\n`,
  ].join('');
}

function warningsOf(check: ExperimentCheck): string[] {
  const { experiment, controlShare, treated, control, treatedMissing, controlMissing } = check;
  const name = `${onOneLine(experiment)} (${percent(controlShare)} controls)`;
  return [
    check.isUneven
      ? `Not causal: ${name} has ${count(control)} controls of ${count(treated + control)}, which is not as it was drawn.\n`
      : '',
    check.isMissingUnevenly
      ? `Not causal: of ${name} ${count(treatedMissing)} treated and ${count(controlMissing)} controls have no verdict, which is not as often.\n`
      : '',
  ];
}
