/** The result of training an adapter again: whether it is the same, and what decided that. */
import type { EngineIdentity } from '@seamstream/events';
import { onOneLine } from '@seamstream/kernel';
import type { AdapterVerification } from '@seamstream/operations/train';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';

export function renderVerifiedAdapter(verification: AdapterVerification, style: Style): string {
  const { runId, recordedDigest, replayedDigest, equal, engines } = verification;
  const facts: [string, string][] = [
    ['run', onOneLine(runId)],
    ['recorded', recordedDigest],
    ['replayed', replayedDigest ?? 'no adapter'],
    ['engine', engineText(engines.recorded)],
    ...(engineText(engines.recorded) === engineText(engines.here)
      ? []
      : ([['engine here', engineText(engines.here)]] as [string, string][])),
    ['compared', comparisonText(verification)],
  ];
  const verdict = equal
    ? style.green('The log gives this adapter again.')
    : style.red('DIFFERENT: the records, the code, or the engine are not those that made it.');
  return `${renderFacts(facts, style)}${verdict}\n`;
}

function engineText(engine: EngineIdentity | null): string {
  if (engine === null) return 'not recorded';
  const { name, versions, device, precision, worldSize } = engine;
  const packages = Object.entries(versions).map(([each, version]) => `${each} ${version}`);
  const processes = worldSize === 1 ? [] : [`${worldSize} processes`];
  return onOneLine([`${name} (${packages.sort().join(', ')})`, device, precision, ...processes].join(', '));
}

function comparisonText({ comparison }: AdapterVerification): string {
  if (comparison.by === 'digest') return 'by digest: every bit';
  const { tolerance, difference } = comparison;
  const worst = difference.tensor === null ? '' : ` (${onOneLine(difference.tensor)})`;
  const weights = `weights ${difference.weights.toPrecision(2)}${worst} of at most ${tolerance.weights}`;
  return `by tolerance: ${weights}, change ${difference.change.toPrecision(2)} of at most ${tolerance.change}`;
}
