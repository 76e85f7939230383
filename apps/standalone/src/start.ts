/** The whole of a start, as `npm start` and `seam start` run it. */
import { writeFile } from 'node:fs/promises';
import { withoutControls } from '@seamstream/kernel';
import { EXIT, type StartExit, type StartOptions } from './config.js';
import { optionsInFolder } from './read-start.js';
import type { FinishedReport } from './report/finished-report.js';
import { runLoop } from './run-loop.js';
import { loopOf } from './run-settings.js';
import { reportPaths } from './start-facts.js';
import { runTeam } from './team/run-team.js';

/**
 * Runs the loop in this process, to its end or until SIGINT or SIGTERM, and reports the result at the end.
 * @returns the exit status
 * @throws what keeps it from starting or continuing
 */
export async function start(options: StartOptions): Promise<StartExit> {
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());
  const outcome: { report: FinishedReport | null } = { report: null };

  /** Writes report.json and report.html, and says in a few lines what they hold. */
  const writeReport = async (report: FinishedReport): Promise<string> => {
    const paths = reportPaths(options.dataDir);
    await writeFile(paths.figures, `${JSON.stringify(report.figures, null, 2)}\n`);
    await writeFile(paths.page, report.page);
    outcome.report = report;
    process.stdout.write(
      options.json
        ? `${JSON.stringify(report.figures)}\n`
        : withoutControls(`${report.summary}\n${paths.figures}\n${paths.page}\n`),
    );
    return paths.page;
  };

  const surroundings = {
    environment: process.env,
    signal: stopped.signal,
    terminal: process.stderr,
    onReport: writeReport,
  };
  const { method } = await optionsInFolder(options);
  await (loopOf(method, options) === 'team' ? runTeam : runLoop)(options, surroundings);
  if (outcome.report !== null) return options.exit && !outcome.report.converged ? EXIT.notConverged : EXIT.ok;
  if (!options.drive) return EXIT.ok;
  process.stderr.write(
    `Stopped before the end: there is no report. "seam start ${options.exit ? '--exit ' : ''}--data-dir ${options.dataDir}" resumes from here.\n`,
  );
  return EXIT.interrupted;
}
