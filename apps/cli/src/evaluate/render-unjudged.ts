import { onOneLine, plural } from '@seamstream/kernel';
import { isJudged } from '@seamstream/operations/evaluate';
import { groupUnjudged, type UnjudgedGroup } from '@seamstream/rollout';

/** Kinds of reasons shown; --json has all. */
const SHOWN = 5;

interface UnjudgedArm {
  /** Those that could be judged. */
  readonly problems: number;
  readonly unjudged: readonly UnjudgedGroup[];
}

/**
 * How many of all arms are without a judgement, and why; empty where none is.
 * @param unit what is counted
 * @param fate what became of them, "could not be judged and count for no arm"
 */
export function renderUnjudged(arms: readonly UnjudgedArm[], unit: string, fate: string): string {
  const groups = groupUnjudged(arms.flatMap(({ unjudged }) => unjudged));
  if (groups.length === 0) return '';
  const sum = (of: readonly UnjudgedGroup[]): number => of.reduce((total, { problems }) => total + problems, 0);
  const lines = groups
    .slice(0, SHOWN)
    .map(
      ({ code, reason, problems }) =>
        `  ${problems} × ${code}${problems === 1 ? '' : ', such as'}: ${onOneLine(reason)}\n`,
    );
  const rest = sum(groups.slice(SHOWN));
  const nothing = isJudged(arms) ? '' : 'NOTHING could be judged: no arm has a result, and nothing was measured.\n';
  return `${nothing}${plural(sum(groups), unit)} ${fate}:\n${lines.join('')}${rest === 0 ? '' : `  … and ${rest} for other reasons\n`}`;
}
