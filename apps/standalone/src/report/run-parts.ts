/** Parts that the pages of all demonstrations have. */
import { escapeHtml, table } from './page-pieces.js';
import type { Report } from './report.types.js';

type Run = Pick<Report, 'seed' | 'settings' | 'version' | 'madeAt' | 'commands'>;

/**
 * What was run, and how it is run again.
 * @param rounds how much a round or stage has, in words
 * @param seeded the words behind the seed, up to the algorithm
 */
export function runFacts({ seed, settings, version, madeAt, commands }: Run, rounds: string, seeded = ','): string {
  const facts = `seed ${seed}${seeded} algorithm ${settings.algorithm}, ${rounds}, Seamstream ${version}, measured ${madeAt.slice(0, 16).replace('T', ' ')} UTC.`;
  return `<p class="soft">${escapeHtml(facts)} The figures are in report.json next to this file.</p>
<p class="soft">The same again, in an empty folder:</p><pre>${escapeHtml(commands.join('\n'))}</pre>`;
}

/** What became of the problems. */
export function ledgerTable({ published, solved, failed, deadLettered, expired, inFlight }: Report['ledger']): string {
  return table(
    ['published', 'solved', 'failed', 'dead-lettered', 'expired', 'in flight'],
    [[published, solved, failed, deadLettered, expired, inFlight]],
  );
}
