import { count, excerpt, onOneLine, plural } from '@seamstream/kernel';
import { countByCode, type DeadLetter, placeOf, type RedrivePlan } from '@seamstream/operations/dead-letters';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { timeText } from '../terminal/text.js';

/** A table of letters and a line that sums them up. */
export function renderLetters(letters: readonly DeadLetter[], redriven: ReadonlySet<string>, style: Style): string {
  if (letters.length === 0) return 'No dead letters.\n';
  const table = renderTable(
    [
      { title: 'TIME' },
      { title: 'RECORD' },
      { title: 'GROUP' },
      { title: 'CODE' },
      { title: 'REDRIVEN' },
      { title: 'REASON' },
    ],
    letters.map((letter) => [
      timeText(letter.meta.occurredAt),
      onOneLine(placeOf(letter)),
      onOneLine(letter.group),
      style.red(onOneLine(letter.code)),
      redriven.has(placeOf(letter)) ? 'yes' : 'no',
      excerpt(letter.reason, 80),
    ]),
    style,
  );
  const sums = countByCode(letters)
    .map(([code, number]) => `${onOneLine(code)} ${count(number)}`)
    .join(', ');
  return `${table}${plural(letters.length, 'dead letter')}: ${sums}\n`;
}

/** What a redrive did, or would do. */
export function renderRedrive(plan: RedrivePlan, appended: number, dryRun: boolean): string {
  const lines = [
    dryRun
      ? `Would redrive ${plural(plan.records.length, 'record')} (--dry-run: nothing was recorded).`
      : `Redrove ${plural(appended, 'record')}.`,
  ];
  if (plan.alreadyRedriven > 0)
    lines.push(`${plural(plan.alreadyRedriven, 'record was', 'records were')} redriven before.`);
  if (plan.sameRecord > 0)
    lines.push(`${plural(plan.sameRecord, 'letter')} named a record that another letter named too.`);
  if (plan.withoutTopic > 0)
    lines.push(`${plural(plan.withoutTopic, 'letter')} named a topic that the log does not have.`);
  if (plan.unreadable > 0)
    lines.push(`${plural(plan.unreadable, 'letter')} stood for bytes that cannot be read: publish them again.`);
  return `${lines.join('\n')}\n`;
}
