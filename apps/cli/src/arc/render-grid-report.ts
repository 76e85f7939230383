/** A report on tool configurations for a terminal. Pure. */
import { count, plural } from '@seamstream/kernel';
import { type ArmFigures, GRID_ARMS, type GridReport, SWITCHES, type Switch } from '@seamstream/operations/arc';
import type { Estimate } from '@seamstream/statistics';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

const NOTHING = '–';

const ARM_MEANING: Readonly<Record<(typeof GRID_ARMS)[number], string>> = {
  inContext: 'the frozen model, with the pairs in its prompt',
  fixed: 'the fixed configuration of the settings',
  configured: 'the configuration that was written',
};

const SWITCH_MEANING: Readonly<Record<Switch, string>> = {
  basic: 'rotations, flips, transpose, mirrors, shift',
  size: 'double resolution, height, width',
  chain: 'a turn, then double resolution',
  repeat: 'copies downwards, to the right, both',
  'output-tokens': 'loss on the output alone, not on all tokens',
};

export function renderGridReport(report: GridReport, style: Style): string {
  const { attempts, tasks, arms, switches, failures, bestFixed } = report;
  const failed = Object.entries(failures).map(([reason, times]) => `${reason} ${count(times)}`);
  const chosen = bestFixed.chosen.map((on) => (on.length === 0 ? 'nothing' : on.join(' + ')));
  return [
    renderTable(
      [
        { title: 'ARM' },
        ...['ATTEMPTS', 'TASKS', 'RIGHT %', 'CELLS %', 'SOLVED'].map((title) => ({ title, align: 'right' as const })),
        { title: '' },
      ],
      GRID_ARMS.map((arm) => [arm, ...armCells(arms[arm]), ARM_MEANING[arm]]),
      style,
    ),
    '\n',
    renderTable(
      [
        { title: 'SWITCH' },
        ...['ON', 'OFF', 'TASKS WITH BOTH', 'EFFECT, POINTS'].map((title) => ({ title, align: 'right' as const })),
        { title: '' },
      ],
      SWITCHES.map((name) => {
        const { on, off, tasks: both, effect } = switches[name];
        return [name, count(on), count(off), count(both), figure(effect), SWITCH_MEANING[name]];
      }),
      style,
    ),
    bestFixed.tasks === 0
      ? ''
      : `\nBest fixed switches (${chosen.join('; ')}), chosen on one half of the tasks and measured on the other: ${figure(bestFixed.right)} % right on ${plural(bestFixed.tasks, 'task')}.\n`,
    failed.length === 0 ? '' : `\nConfigurations that could not be carried out: ${failed.join(', ')}.\n`,
    `\n${plural(attempts, 'attempt')} at ${plural(tasks, 'task')}. Means over tasks, with intervals at 95 %.\n`,
  ].join('');
}

function armCells({ attempts, tasks, right, cells, solvedTasks }: ArmFigures): readonly string[] {
  return [count(attempts), count(tasks), figure(right), figure(cells), count(solvedTasks)];
}

/** In percent, or percentage points. */
function figure(estimate: Estimate | null): string {
  if (estimate === null) return NOTHING;
  const [value, low, high] = [estimate.value, ...estimate.interval95].map((each) => (each * 100).toFixed(1));
  return `${value} (${low} … ${high})`;
}
