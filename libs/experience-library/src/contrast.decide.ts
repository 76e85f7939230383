/**
 * Experiences without a language model: which texts in which fields separate success from failure. Attempts of one group tried the same
 * problem, so that within a group only what they wrote differs. A text that is tried by some members of a group and not by others is
 * tested by the exact test over groups (libs/statistics), within each writer: another writer's other habits are no evidence.
 *
 * Of all texts of a batch that are tested, those stay that Holm's procedure keeps at the level: the probability that a text that means
 * nothing is among them is at most the level.
 */

import { compareText } from '@seamstream/kernel';
import { type Stratum, stratifiedExactTest } from '@seamstream/statistics';
import type { ExperienceLibrary } from './library.js';
import { type EntrySchemasLike, phrasesOf } from './phrases.js';
import type { Proposal } from './proposals.js';

/** One attempt with its verdict. */
export interface JudgedAttempt {
  readonly experienceId: string;
  readonly groupId: string;
  readonly domain: string;
  readonly entry: string;
  readonly success: boolean;
  /** Who wrote it: the digest of what was served, null for the bare base model. */
  readonly writer: string | null;
}

export interface ContrastSettings {
  /** Probability of one wrong text or more in a batch. */
  readonly level: number;
  /** Most proposals of a batch; null: no limit. */
  readonly maxOperations: number | null;
}

export interface Contrast {
  readonly proposals: readonly Proposal[];
  readonly metrics: Readonly<Record<string, number>>;
}

interface Tested {
  readonly domain: string;
  readonly field: string;
  readonly text: string;
  /** Texts with the same are about the same thing. */
  readonly about: string;
  readonly groups: readonly string[];
  readonly helps: number;
  readonly harms: number;
}

export function contrast(
  attempts: readonly JudgedAttempt[],
  library: Pick<ExperienceLibrary, 'items'>,
  schemaFor: EntrySchemasLike,
  settings: ContrastSettings,
): Contrast {
  const groups = [...Map.groupBy(attempts, ({ groupId }) => groupId)];
  const live = groups.filter(
    ([, members]) => members.some(({ success }) => success) && !members.every(({ success }) => success),
  );
  const tested = testsOf(
    live.flatMap(([, members]) => members),
    schemaFor,
  );
  const helping = heldBy(tested, ({ helps }) => helps, settings.level);
  const harming = heldBy(tested, ({ harms }) => harms, settings.level);
  const proposals = [...additions(helping, library, schemaFor), ...deletions(harming, helping, library)].sort(
    (a, b) => b.groups.length - a.groups.length || compareText(JSON.stringify(a), JSON.stringify(b)),
  );
  const { maxOperations } = settings;
  return {
    proposals: maxOperations === null ? proposals : proposals.slice(0, maxOperations),
    metrics: {
      groups: groups.length,
      liveGroups: live.length,
      testedTexts: tested.length,
      helpingTexts: helping.length,
      harmingTexts: harming.length,
    },
  };
}

function testsOf(attempts: readonly JudgedAttempt[], schemaFor: EntrySchemasLike): readonly Tested[] {
  const written = attempts.map((attempt) => ({
    attempt,
    phrases: phrasesOf(attempt.entry, schemaFor(attempt.domain)),
  }));
  const strata = [...Map.groupBy(written, ({ attempt }) => JSON.stringify([attempt.groupId, attempt.writer])).values()];
  const tables = new Map<
    string,
    {
      readonly named: Omit<Tested, 'groups' | 'helps' | 'harms'>;
      readonly strata: (Stratum & { readonly groupId: string })[];
    }
  >();
  for (const members of strata) {
    const successes = members.filter(({ attempt }) => attempt.success).length;
    if (successes === 0 || successes === members.length) continue;
    const [
      {
        attempt: { groupId, domain },
      },
    ] = members as [(typeof members)[number]];
    const phrases = new Map(members.flatMap((member) => member.phrases.map((phrase) => [phrase.key, phrase] as const)));
    for (const [key, { field, text, about }] of phrases) {
      const having = members.filter((member) => member.phrases.some((each) => each.key === key));
      if (having.length === members.length) continue;
      const place = JSON.stringify([domain, key]);
      const known = tables.get(place) ?? { named: { domain, field, text, about }, strata: [] };
      tables.set(place, known);
      known.strata.push({
        ...{ groupId, members: members.length, successes, withTrait: having.length },
        both: having.filter(({ attempt }) => attempt.success).length,
      });
    }
  }
  return [...tables.values()].map(({ named, strata: own }) => ({
    ...named,
    groups: [...new Set(own.map(({ groupId }) => groupId))].sort(compareText),
    helps: stratifiedExactTest(own),
    harms: stratifiedExactTest(
      own.map((each) => ({ ...each, successes: each.members - each.successes, both: each.withTrait - each.both })),
    ),
  }));
}

/** Holm (1979): ascending p values, the i-th of m against level / (m − i), up to the first that fails. */
function heldBy(tested: readonly Tested[], pOf: (each: Tested) => number, level: number): readonly Tested[] {
  const ascending = tested.toSorted((a, b) => pOf(a) - pOf(b) || compareText(keyOf(a), keyOf(b)));
  const fails = ascending.findIndex((each, i) => pOf(each) > level / (ascending.length - i));
  return fails < 0 ? ascending : ascending.slice(0, fails);
}

const keyOf = ({ domain, field, text }: Pick<Tested, 'domain' | 'field' | 'text'>): string =>
  JSON.stringify([domain, field, text]);

/** The best text about each thing: a new item, or the new text of one that said otherwise. */
function additions(
  helping: readonly Tested[],
  { items }: Pick<ExperienceLibrary, 'items'>,
  schemaFor: EntrySchemasLike,
): readonly Proposal[] {
  const best = [
    ...Map.groupBy(helping, ({ domain, field, about }) => JSON.stringify([domain, field, about])).values(),
  ].map(([first]) => first!);
  return best.flatMap(({ domain, field, text, about, groups, helps }): Proposal[] => {
    const rivals = items.filter(
      (item) =>
        item.domain === domain &&
        item.field === field &&
        phrasesOf(JSON.stringify({ [field]: [item.text] }), schemaFor(domain)).some((each) => each.about === about),
    );
    const reason = `goes with success in ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}, p = ${helps.toExponential(1)}`;
    const same = rivals.find((item) => item.text === text);
    if (same !== undefined) return [{ operation: 'keep', id: same.id, reason, groups, calls: [] }];
    const [rival] = rivals;
    return rival === undefined
      ? [{ operation: 'add', text, domain, field, reason, groups, calls: [] }]
      : [{ operation: 'modify', id: rival.id, text, reason, groups, calls: [] }];
  });
}

/** Items that go with failure, where nothing better is known about the same thing. */
function deletions(
  harming: readonly Tested[],
  helping: readonly Tested[],
  { items }: Pick<ExperienceLibrary, 'items'>,
): readonly Proposal[] {
  const placeOf = ({ domain, field, about }: Tested): string => JSON.stringify([domain, field, about]);
  const better = new Set(helping.map(placeOf));
  return harming.flatMap((each): Proposal[] => {
    const item = items.find(
      ({ domain, field, text }) => domain === each.domain && field === each.field && text === each.text,
    );
    if (item === undefined || better.has(placeOf(each))) return [];
    const { groups, harms } = each;
    const reason = `goes with failure in ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}, p = ${harms.toExponential(1)}`;
    return [{ operation: 'delete', id: item.id, reason, groups, calls: [] }];
  });
}
