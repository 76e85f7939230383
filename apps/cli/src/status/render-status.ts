/** The current state as a screen of text. Pure. */

import { remedyOf } from '@seamstream/doctor';
import { count, excerpt, onOneLine, plural, shortId } from '@seamstream/kernel';
import type { Status } from '@seamstream/operations/status';
import type { FaithfulEntries } from '@seamstream/read-models';
import type { ToldStart } from '@seamstream/standalone';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';
import { minuteOf, percent } from '../terminal/text.js';

/** With what the run of the folder was begun with. */
export function renderStatus(
  { status, ...told }: { readonly status: Status } & ToldStart,
  nowMs: number,
  style: Style,
): string {
  const { ledger, waiting, lag, served, entries, buffer, runs, lastRun, findings, newestAt } = status;
  const facts: [string, string][] = [
    [
      'problems',
      `${count(ledger.published)}: ${count(ledger.solved)} solved, ${count(ledger.failed)} not, ${count(ledger.inFlight)} in flight, ${count(ledger.expired)} expired, ${count(ledger.deadLettered)} dead letters${ledger.balanced ? '' : style.red(', does not balance')}`,
    ],
    ...(waiting.firstEndsAt === null
      ? []
      : [
          [
            'answers',
            `${style.yellow(`${plural(waiting.answers, 'answer waits', 'answers wait')} for feedback`)} (seam feedback), the first until ${minuteOf(waiting.firstEndsAt)}`,
          ] as [string, string],
        ]),
    ['served', served === null ? 'the base model' : `adapter ${style.green(shortId(served))}`],
    ...(entries.all === null ? [] : [['entries', faithfulness(entries.all, entries.served)] as [string, string]]),
    ['buffer', buffer === null ? 'no version yet' : `version ${count(buffer.version)}, ${plural(buffer.rows, 'row')}`],
    [
      'runs',
      `${count(runs.all)}: ${count(runs.promoted)} promoted${runs.underWay === 0 ? '' : `, ${style.cyan(`${count(runs.underWay)} under way`)}`}`,
    ],
    ...(lastRun === null
      ? []
      : [
          [
            'last run',
            `${shortId(lastRun.runId)} ${onOneLine(lastRun.algorithm)}: ${lastRun.decision ?? lastRun.status}${lastRun.reason === null ? '' : `, ${excerpt(lastRun.reason, 120)}`}`,
          ] as [string, string],
        ]),
    ...lag.map(({ consumer, topic, records }): [string, string] => [
      consumer.replace(/^seam\./, ''),
      records === 0 ? style.dim(`has all of ${topic}`) : style.yellow(`${plural(records, 'record')} of ${topic} to go`),
    ]),
    ...findings.map((code): [string, string] => ['finding', `${style.yellow(code)}: ${remedyOf(code)}`]),
    ['newest', newestAt === null ? 'nothing yet' : `${Math.max(0, Math.round((nowMs - newestAt) / 1000))} s ago`],
    ...startRows(told, style),
  ];
  return renderFacts(facts, style);
}

function startRows({ start, unread }: ToldStart, style: Style): readonly [string, string][] {
  if (unread !== null) return [['begun with', style.yellow(onOneLine(unread))]];
  if (start === null) return [];
  const { method, seed, algorithm, roundSize, limits, commands } = start;
  const { maxRounds, maxShiftedRounds } = limits.at(-1)!;
  const shifted = maxShiftedRounds === 0 ? '' : ` and ${count(maxShiftedRounds)} with new problems`;
  return [
    [
      'begun with',
      `method ${method}, seed ${seed}, algorithm ${onOneLine(algorithm)}, rounds of ${count(roundSize)}, at most ${count(maxRounds)}${shifted}`,
    ],
    ...commands.map((command): [string, string] => ['the same again', onOneLine(command)]),
  ];
}

/** Both, since entries of adapters that are served no longer hide what is written now. */
function faithfulness(all: FaithfulEntries, served: FaithfulEntries | null): string {
  const share = ({ quoting, faithful }: FaithfulEntries): string =>
    `${percent(faithful / quoting)} of ${count(quoting)}`;
  return `faithful ${share(all)}${served === null ? '' : `, of what is served ${share(served)}`}`;
}
