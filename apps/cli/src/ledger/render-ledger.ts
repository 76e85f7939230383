import { count, plural } from '@seamstream/kernel';
import type { Ledger } from '@seamstream/read-models';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

const STANDINGS = [
  ['solved', 'at least one candidate succeeded'],
  ['failed', 'every candidate is in, none succeeded'],
  ['ungraded', 'it has no verifier, and was not judged in time'],
  ['expired', 'its time was over before an answer'],
  ['deadLettered', 'a record of it could not be used'],
  ['inFlight', 'still on its way'],
] as const satisfies readonly (readonly [keyof Ledger, string])[];

/** Where every published problem ended, then the groups of candidates per arm, then the verdict on the balance. */
export function renderLedger(ledger: Ledger, style: Style): string {
  const { published, balanced, orphaned, arms, deadLetterRecords, executionsFailed } = ledger;
  const standings = renderTable(
    [{ title: 'PROBLEMS' }, { title: 'COUNT', align: 'right' }, { title: 'SHARE', align: 'right' }, { title: '' }],
    [
      ['published', count(published), '', ''],
      ...STANDINGS.map(([name, meaning]) => [
        name,
        count(ledger[name]),
        percent(published === 0 ? null : ledger[name] / published),
        style.dim(meaning),
      ]),
    ],
    style,
  );
  const groups = renderTable(
    [
      { title: 'GROUPS' },
      { title: 'SEEN', align: 'right' },
      { title: 'COMPLETE', align: 'right' },
      { title: 'SOLVED', align: 'right' },
      { title: 'RATE', align: 'right' },
    ],
    Object.entries(arms).map(([arm, { groups: seen, complete, solved }]) => [
      arm,
      count(seen),
      count(complete),
      count(solved),
      percent(seen === 0 ? null : solved / seen),
    ]),
    style,
  );
  const remarks = [
    executionsFailed > 0 ? `${plural(executionsFailed, 'execution')} failed without a verdict.\n` : '',
    deadLetterRecords > 0 ? `${plural(deadLetterRecords, 'dead letter')}: see "seam dead-letters list".\n` : '',
    ...Object.entries(ledger.repeated).map(([what, times]) =>
      times > 0 ? `${count(times)} repeated ${what} were counted once.\n` : '',
    ),
  ];
  const sum = STANDINGS.reduce((total, [name]) => total + ledger[name], 0);
  const verdict = balanced
    ? style.green(`Balanced: the ${plural(published, 'published problem')} are all accounted for.`)
    : style.red(
        `NOT BALANCED: ${count(published)} published, ${count(sum)} accounted for, ${count(orphaned)} with facts but never published.`,
      );
  return `${standings}\n${groups}\n${remarks.join('')}${verdict}\n`;
}
