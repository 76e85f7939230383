/** The result of a run, in words: the first line of the report and the last of the terminal. */
import { percent } from './page-pieces.js';
import type { Report, RoundsReport } from './report.types.js';

/** Whether it converged, and which domains are short where it did not. */
export function headline({ converged, ended, verdict }: Pick<Report, 'verdict' | 'converged' | 'ended'>): string {
  const target = percent(verdict.target);
  if (converged) return `Converged: every domain reached ${target} on the validation problems.`;
  const short = verdict.short.map(({ domain, validation }) => `${domain} ${percent(validation)}`).join(', ');
  const what =
    short !== ''
      ? `short of ${target} on the validation problems: ${short}`
      : verdict.served === null
        ? 'no adapter was promoted'
        : `no later run confirmed that every domain reaches ${target}`;
  return `NOT CONVERGED, ${what}. ${ended}`;
}

/** 1536 as "1.5 KiB". */
function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 2 ** (10 * power)).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** What it took: room in the folder, which nothing gives back but removing it, and memory. */
export function cost({ folderBytes, peakMemoryBytes }: Pick<Report, 'folderBytes' | 'peakMemoryBytes'>): string {
  return `The folder takes ${size(folderBytes)}; at most ${size(peakMemoryBytes)} of memory were used.`;
}

function optimismLine({ optimism }: Report): readonly string[] {
  if (optimism === null) return [];
  const { atPromotion, heldOut } = optimism;
  const more = (atPromotion - heldOut) * 100;
  const points = Math.abs(more).toFixed(1);
  const compared = points === '0.0' ? 'the same' : `${points} points ${more > 0 ? 'more' : 'less'}`;
  return [`Validation had said ${percent(atPromotion)} at the promotion, ${compared}.`];
}

/** How long the loop took, and where its time went. */
export function loopTime({ loopSeconds, phases: { exploring, training, comparing } }: RoundsReport): string {
  const seconds = (value: number): string => `${value.toFixed(0)} s`;
  return `The loop took ${seconds(loopSeconds)}: exploring ${seconds(exploring)}, training ${seconds(training)}, comparing ${seconds(comparing)}.`;
}

/** The end of a run for a terminal: verdict, figures, costs. Few lines, so that the verdict stays on a small one. */
export function summary(report: Report): string {
  const { heldOut, rollouts, loopSeconds, measuredOn } = report;
  const [low, high] = heldOut.interval95;
  const onWhat = measuredOn.isHeldOut ? 'Held-out success' : 'Success on the validation problems';
  return [
    `${headline(report)}${report.converged ? '' : ' Ask seam doctor why.'}`,
    `${onWhat} ${percent(heldOut.final)} of ${heldOut.problems} (95 %: ${percent(low)} to ${percent(high)}; no experience ${percent(heldOut.noExperience)}, untrained ${percent(heldOut.untrained)}) after ${rollouts} rollouts in ${loopSeconds.toFixed(0)} s.`,
    ...optimismLine(report),
    cost(report),
  ].join('\n');
}
