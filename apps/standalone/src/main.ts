import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@seamstream/kernel';
import { readStartOptions } from './config.js';
import { renderReportPage } from './report/report-page.js';
import { type LoopResult, runLoop } from './run-loop.js';

const options = readStartOptions(process.argv.slice(2));
const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());

let result: LoopResult | undefined;
try {
  result = await runLoop(options, process.env, stopped.signal, process.stderr);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
if (result?.report !== undefined) {
  const { report } = result;
  const paths = [join(options.dataDir, 'report.json'), join(options.dataDir, 'report.html')] as const;
  await writeFile(paths[0], `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(paths[1], renderReportPage(report));
  const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else
    process.stdout.write(
      `${report.ended}\nHeld-out success ${percent(report.heldOut.final)} (no experience ${percent(report.heldOut.noExperience)}, untrained ${percent(report.heldOut.untrained)}) after ${report.rollouts} rollouts in ${report.loopSeconds.toFixed(0)} s.\n${paths.join('\n')}\n`,
    );
}
process.exit();
