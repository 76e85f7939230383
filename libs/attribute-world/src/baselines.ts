/**
 * What can be had from recorded attempts without a model: each baseline is a pure function of them, and advises on problems as an entry
 * does. A domain that comes late is read like the one whose work it has. None sees a reference or the lore. Most know what a reader of
 * the log knows: problems, entries and verdicts. Those of triples and of pairs and the sum are given that attributes matter.
 */
import type { Problem } from '@seamstream/events';
import { entryText } from '@seamstream/experience';
import { type Counted, fitAdditive } from './additive.js';
import { type Attributes, kindOf } from './attributes.js';
import { type PlanEntry, planEntry, planSchemaFor, stepsOf } from './entries.js';
import type { Domain } from './lore.js';
import { type Kind, operatorsOf } from './operators.js';
import { pairOf } from './pairs.js';
import { domainOf, readStatement, type Statement, type Step } from './problems.js';

type Asked = Pick<Problem, 'domain' | 'prompt'>;

/** One attempt of a recorded group. */
export interface Attempt {
  readonly problem: Asked;
  /** As it was recorded. */
  readonly entry: string;
  readonly success: boolean;
}

/** The text of an entry; null where there is nothing to say. */
type Advisor = (problem: Asked) => string | null;

export const BASELINES = [
  'word table',
  'retrieved case',
  'cheatsheet',
  'table of triples',
  'table of quoted attributes',
  'table of pairs',
  'sum over attributes',
] as const;
export type Baseline = (typeof BASELINES)[number];

/** Learns from attempts in the order given; of equals the first counts. */
export function learnBaseline(name: Baseline, attempts: readonly Attempt[]): Advisor {
  switch (name) {
    case 'word table':
      return countTable(attempts, ({ thing }) => [thing]);
    case 'retrieved case':
      return retrievedCase(attempts);
    case 'cheatsheet':
      return cheatsheet(attempts);
    // It is given that attributes matter and names do not, and not which attribute matters for which step.
    case 'table of triples':
      return countTable(attempts, ({ attributes: { weight, matter, age } }) => [`${weight} ${matter} ${age}`]);
    case 'table of quoted attributes':
      return quotedTable(attempts);
    // It is given which two attributes decide in a world of pairs. A pair that it never met has what its first attribute has.
    case 'table of pairs':
      return countTable(attempts, ({ value, attributes }) => [pairOf(value, kindOf(value)!, attributes), value]);
    case 'sum over attributes':
      return additiveTable(attempts);
  }
}

/** A step of a plan as the statement has it, before anybody says what to do. */
interface Place {
  readonly thing: string;
  readonly attributes: Attributes;
  readonly value: string;
}

function placesOf({ kinds }: Pick<Domain, 'kinds'>, { asked, described }: Statement): readonly Place[] {
  return asked.flatMap((thing) => {
    const attributes = described.get(thing)!;
    return kinds.map((kind) => ({ thing, attributes, value: attributes[kind] }));
  });
}

interface Tally {
  tried: number;
  succeeded: number;
}

/** Of a coin that was never thrown: one success of eight, as blind plans roughly have it, so that one lucky try is not a certainty. */
const PRIOR = { succeeded: 0.125, tried: 1 } as const;
const rateOf = ({ tried, succeeded }: Tally = { tried: 0, succeeded: 0 }): number =>
  (succeeded + PRIOR.succeeded) / (tried + PRIOR.tried);

function countIn(tallies: Map<string, Tally>, key: string, success: boolean): void {
  const tally = tallies.get(key) ?? { tried: 0, succeeded: 0 };
  tallies.set(key, { tried: tally.tried + 1, succeeded: tally.succeeded + (success ? 1 : 0) });
}

/**
 * Counts how often each operator succeeded for a key, and advises the best; where it never met the first key it goes by the next, and in the end
 * by what succeeded most often of all.
 */
function countTable(attempts: readonly Attempt[], keysOf: (place: Place) => readonly string[]): Advisor {
  const tallies = new Map<string, Tally>();
  for (const { problem, entry, success } of attempts) {
    const steps = planOf(entry);
    for (const [at, place] of placesOf(domainOf(problem.domain), readStatement(problem)).entries()) {
      const operator = steps[at]?.operator;
      if (operator === undefined) continue;
      for (const key of [...keysOf(place), '']) countIn(tallies, `${key}/${operator}`, success);
    }
  }
  return (problem) => {
    const steps = placesOf(domainOf(problem.domain), readStatement(problem)).map((place): Step => {
      const operators = operatorsOf(kindOf(place.value)!);
      const key = keysOf(place).find((each) => operators.some((operator) => tallies.has(`${each}/${operator}`)));
      return { value: place.value, operator: best(operators, (each) => rateOf(tallies.get(`${key ?? ''}/${each}`))) };
    });
    return textOf(problem, planEntry(steps));
  };
}

/**
 * Logistic regression on the steps of successful plans: each of the three attributes of a thing speaks for operators, and the sum decides. It
 * knows what any number of counts that are weighed against each other can know, and no pair of attributes.
 */
function additiveTable(attempts: readonly Attempt[]): Advisor {
  const rows = new Map<Kind, Map<string, Counted & { readonly counts: Map<string, number> }>>();
  for (const { problem, entry, success } of attempts) {
    if (!success) continue;
    const steps = planOf(entry);
    for (const [at, { value, attributes }] of placesOf(domainOf(problem.domain), readStatement(problem)).entries()) {
      const operator = steps[at]?.operator;
      const kind = kindOf(value)!;
      // The form of an entry fixes no order of steps: what stands here may be for another one.
      if (operator === undefined || !operatorsOf(kind).includes(operator)) continue;
      const ofKind = rows.get(kind) ?? new Map<string, Counted & { readonly counts: Map<string, number> }>();
      rows.set(kind, ofKind);
      const features = Object.values(attributes);
      const row = ofKind.get(features.join(' ')) ?? { features, counts: new Map<string, number>() };
      ofKind.set(features.join(' '), row);
      row.counts.set(operator, (row.counts.get(operator) ?? 0) + 1);
    }
  }
  const scores = new Map([...rows].map(([kind, own]) => [kind, fitAdditive([...own.values()], operatorsOf(kind))]));
  return (problem) => {
    const steps = placesOf(domainOf(problem.domain), readStatement(problem)).map(({ value, attributes }): Step => {
      const kind = kindOf(value)!;
      const score = scores.get(kind);
      return { value, operator: best(operatorsOf(kind), (each) => score?.(Object.values(attributes), each) ?? 0) };
    });
    return textOf(problem, planEntry(steps));
  };
}

/** A step of the plans for one kind of work. */
interface QuotedStep {
  /** By the place of a word in the statement: how often an entry quoted the word there. */
  readonly places: Map<number, number>;
  readonly operators: Map<string, Tally>;
}

/**
 * Counts by the word that an entry quotes at a step, and advises on the word at the place that was quoted most often. It knows nothing of the
 * world: an entry says itself which attribute it goes by. Of a word that no entry quoted it knows what succeeds at that step.
 */
function quotedTable(attempts: readonly Attempt[]): Advisor {
  const works = new Map<string, readonly QuotedStep[]>();
  const byWord = new Map<string, Map<string, Tally>>();
  for (const { problem, entry, success } of attempts) {
    const words = wordsInOrder(problem);
    const plan = planOf(entry);
    const steps =
      works.get(workOf(problem)) ?? plan.map((): QuotedStep => ({ places: new Map(), operators: new Map() }));
    works.set(workOf(problem), steps);
    for (const [at, { value, operator }] of plan.slice(0, steps.length).entries()) {
      const { places, operators } = steps[at]!;
      for (const [place, word] of words.entries()) if (word === value) places.set(place, (places.get(place) ?? 0) + 1);
      const ofWord = byWord.get(value) ?? new Map<string, Tally>();
      byWord.set(value, ofWord);
      for (const tallies of [ofWord, operators]) countIn(tallies, operator, success);
    }
  }
  return (problem) => {
    const steps = works.get(workOf(problem));
    // Where no entry quoted its problem, nothing says which word to go by.
    if (steps === undefined || steps.some(({ places }) => places.size === 0)) return null;
    const words = wordsInOrder(problem);
    const plan = steps.map(({ places, operators }): Step => {
      const value = words[best([...places], ([, times]) => times)[0]]!;
      return { value, operator: best([...(byWord.get(value) ?? operators)], ([, tally]) => rateOf(tally))[0] };
    });
    return textOf(problem, planEntry(plan));
  };
}

/** The entry of the success whose statement has most words in common with the problem's. */
function retrievedCase(attempts: readonly Attempt[]): Advisor {
  const similar = similarCases(attempts);
  return (problem) => similar(problem)[0] ?? null;
}

/** Different entries of successes in the problem's domain, those first whose statement has most words in common with its own. */
export function similarCases(attempts: readonly Attempt[]): (problem: Asked) => readonly string[] {
  const cases = Map.groupBy(
    attempts.filter(({ success }) => success),
    ({ problem }) => workOf(problem),
  );
  const remembered = new Map(
    [...cases].map(([domain, own]) => [domain, own.map(({ problem, entry }) => ({ words: wordsOf(problem), entry }))]),
  );
  return (problem) => {
    const words = wordsOf(problem);
    const ranked = (remembered.get(workOf(problem)) ?? []).map(({ words: known, entry }) => {
      const common = words.intersection(known).size;
      return { entry, alike: common / (words.size + known.size - common) };
    });
    return [...new Set(ranked.sort((one, other) => other.alike - one.alike).map(({ entry }) => entry))];
  };
}

/** One entry for all problems of a domain: at each step what succeeded most often there, for all things. */
function cheatsheet(attempts: readonly Attempt[]): Advisor {
  const tallies = new Map<string, Map<string, Tally>[]>();
  for (const { problem, entry, success } of attempts) {
    const steps = planOf(entry);
    const places = tallies.get(workOf(problem)) ?? steps.map(() => new Map<string, Tally>());
    tallies.set(workOf(problem), places);
    // A plan may be longer than the first one was: what it adds has no place.
    for (const [at, { value, operator }] of steps.slice(0, places.length).entries())
      countIn(places[at]!, `${value} ${operator}`, success);
  }
  return (problem) => {
    const places = tallies.get(workOf(problem));
    if (places === undefined) return null;
    const steps = places.map((place) => {
      const [value, operator] = best([...place], ([, tally]) => rateOf(tally))[0].split(' ');
      return { value: value!, operator: operator! };
    });
    return textOf(problem, planEntry(steps));
  };
}

/** What is done to the things: plans for the same work have the same form. */
function workOf({ domain }: Asked): string {
  return domainOf(domain).verb;
}

function planOf(entry: string): readonly Step[] {
  return stepsOf(JSON.parse(entry) as PlanEntry);
}

function textOf({ domain }: Asked, entry: PlanEntry): string {
  return entryText(entry, planSchemaFor(domain)!);
}

function wordsInOrder({ prompt }: Asked): readonly string[] {
  return prompt.match(/\w+/g) ?? [];
}

function wordsOf(problem: Asked): ReadonlySet<string> {
  return new Set(wordsInOrder(problem));
}

/** The first of those with the highest figure. @param items one at least */
function best<T>(items: readonly T[], figure: (item: T) => number): T {
  return items.map((item) => ({ item, own: figure(item) })).reduce((kept, next) => (next.own > kept.own ? next : kept))
    .item;
}
