/** What a buffer keeps, found without remembering anything: every rule applied to all successes at once. */
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { NearDuplicateClusters } from '@seamstream/near-duplicates';
import type { BufferState } from './index.js';

/** Ids of what a buffer keeps, found without remembering anything. */
export function keptAtOnce({ groups, config: rules }: BufferState): string[] {
  const { scope, threshold, shingleWords } = rules.nearDuplicates;
  const all = [...groups.values()].flatMap((each) => {
    const results = [...each.members.values()].map(([counting]) => counting);
    if (each.arm === 'control' || results.length < each.groupSize) return [];
    const judged = results.filter(({ status }) => status !== 'failed').length;
    const solved = results.flatMap((result) => (result.status === 'solved' ? [result.pair!] : []));
    const rate = judged < 2 ? 0.5 : solved.length / judged;
    const difficulty = rate <= 1 / 3 ? 'hard' : rate >= 2 / 3 ? 'easy' : 'medium';
    return solved.map((pair) => ({
      pair,
      rate,
      stratum: `${each.domain}/${difficulty}`,
      classOfHelp: Math.min(7, Math.floor((judged < 2 ? 0.5 : (judged - solved.length) / judged) * 8)),
      priority: sha256(canonicalJson([rules.seed, pair.outcomeId])).slice(0, 16),
    }));
  });
  type Each = (typeof all)[number];
  const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const first = (alike: Each[]): Each =>
    alike.sort((a, b) => a.rate - b.rate || byText(a.pair.outcomeId, b.pair.outcomeId))[0]!;
  const best = (of: Each[], keyOf: (each: Each) => unknown): Each[] => [...Map.groupBy(of, keyOf).values()].map(first);
  const few = (of: Each[], keyOf: (each: Each) => string | null, capacity: number): Each[] =>
    [...Map.groupBy(of, keyOf)].flatMap(([key, alike]) =>
      key === null
        ? alike
        : alike.sort((a, b) => b.classOfHelp - a.classOfHelp || byText(a.priority, b.priority)).slice(0, capacity),
    );
  const valid = all.filter(({ pair }) => pair.entry !== 'bad');
  const unique = best(valid, ({ pair }) => canonicalJson([pair.domain, pair.prompt, pair.entry]));
  const bucketOf = ({ pair }: Each): string =>
    canonicalJson(scope === 'entry' ? [pair.domain, pair.entry] : [pair.domain]);
  const distinct =
    scope === 'off'
      ? unique
      : [...Map.groupBy(unique, bucketOf).values()].flatMap((bucket) => {
          const clusters = new NearDuplicateClusters({ threshold, shingleWords });
          const ids = new Map(
            bucket.map((each) => [
              each,
              clusters.add(scope === 'entry' ? each.pair.prompt : `${each.pair.prompt}\n${each.pair.entry}`),
            ]),
          );
          return best(bucket, (each) => clusters.clusterOf(ids.get(each)!));
        });
  const { maxRowsPerSubject: cap } = rules;
  const capped = few(distinct, ({ pair }) => (cap === 0 ? null : pair.subject), cap);
  return few(capped, ({ stratum }) => stratum, rules.capacityPerStratum)
    .map(({ pair }) => pair.outcomeId)
    .sort(byText);
}
