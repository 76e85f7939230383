/** The read models without a separate command, as text. Pure. */
import { count, excerpt, onOneLine, plural, shortId } from '@seamstream/kernel';
import type { SuccessByArm, SuccessTally, TrainingProgress } from '@seamstream/read-models';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

const tally = ({ successes, outcomes, rate }: SuccessTally): string =>
  outcomes === 0 ? '–' : `${percent(rate)} (${count(successes)}/${count(outcomes)})`;

const tallies = ({ explore, deploy, control }: SuccessByArm['arms']): readonly string[] =>
  [explore, deploy, control].map(tally);

export function renderSuccess({ arms, domains, adapters, ...others }: SuccessByArm, style: Style): string {
  const perDomain = renderTable(
    [
      { title: 'DOMAIN' },
      { title: 'EXPLORE', align: 'right' },
      { title: 'DEPLOY', align: 'right' },
      { title: 'CONTROL', align: 'right' },
    ],
    [
      ...domains.map(({ domain, arms: own }) => [...[onOneLine(domain), ...tallies(own)]]),
      ...[others.otherDomains ?? []].flat().map(({ names, arms: own }) => [`${count(names)} others`, ...tallies(own)]),
      ['all', ...tallies(arms)],
    ],
    style,
  );
  const perAdapter = renderTable(
    [{ title: 'ADAPTER' }, { title: 'EXPLORE', align: 'right' }, { title: 'DEPLOY', align: 'right' }],
    [
      ...adapters.map(({ adapterDigest, explore, deploy }) => [
        ...[adapterDigest === null ? 'base' : shortId(adapterDigest), tally(explore), tally(deploy)],
      ]),
      ...[others.otherAdapters ?? []]
        .flat()
        .map(({ names, explore, deploy }) => [...[`${count(names)} others`, tally(explore), tally(deploy)]]),
    ],
    style,
  );
  return `${perDomain}\n${perAdapter}`;
}

export function renderTraining({ runs, deadGroups }: TrainingProgress, style: Style): string {
  if (runs.length === 0) return 'No training runs yet.\n';
  const table = renderTable(
    [
      { title: 'RUN' },
      { title: 'ALGORITHM' },
      { title: 'STATUS' },
      { title: 'FROM' },
      { title: 'MADE' },
      { title: 'STEPS', align: 'right' },
      { title: 'SECONDS', align: 'right' },
      { title: 'LOSS', align: 'right' },
      { title: 'REASON' },
    ],
    runs.map((run) => [
      shortId(run.runId),
      onOneLine(run.algorithm),
      run.status === 'failed' ? style.red(run.status) : run.status,
      run.parentAdapter === null ? 'base' : shortId(run.parentAdapter),
      run.adapterDigest === null ? '–' : shortId(run.adapterDigest),
      count(run.steps),
      run.endedAt === null ? '–' : ((run.endedAt - run.startedAt) / 1000).toFixed(1),
      run.metrics.loss === undefined ? '–' : run.metrics.loss.toFixed(4),
      excerpt(run.reason ?? '', 60),
    ]),
    style,
  );
  return `${table}${plural(runs.length, 'run')}, ${plural(deadGroups, 'group')} without variance dropped.\n`;
}
