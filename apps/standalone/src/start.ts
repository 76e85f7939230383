/** The whole of `npm start`: importing this runs it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@seamstream/kernel';
import { readStartOptions } from './config.js';
import type { Report } from './report/report.types.js';
import { renderReportPage } from './report/report-page.js';
import { runLoop } from './run-loop.js';

const options = readStartOptions(process.argv.slice(2));
const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;

/** As a shell reports a program that SIGINT ended (128 + 2). */
const INTERRUPTED = 130;
const outcome = { isReported: false };

/** Writes report.json and report.html, and says in three lines what they hold. */
async function writeReport(report: Report): Promise<void> {
  const paths = [join(options.dataDir, 'report.json'), join(options.dataDir, 'report.html')] as const;
  await writeFile(paths[0], `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(paths[1], renderReportPage(report));
  outcome.isReported = true;
  const { heldOut, rollouts, loopSeconds, ended } = report;
  process.stdout.write(
    options.json
      ? `${JSON.stringify(report)}\n`
      : `${ended}\nHeld-out success ${percent(heldOut.final)} (no experience ${percent(heldOut.noExperience)}, untrained ${percent(heldOut.untrained)}) after ${rollouts} rollouts in ${loopSeconds.toFixed(0)} s.\n${paths.join('\n')}\n`,
  );
}

try {
  await runLoop(options, {
    environment: process.env,
    signal: stopped.signal,
    terminal: process.stderr,
    onReport: writeReport,
  });
  if (options.exit && stopped.signal.aborted && !outcome.isReported) {
    process.stderr.write('Stopped before the end: there is no report. The same command goes on from here.\n');
    process.exitCode = INTERRUPTED;
  }
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
process.exit();
