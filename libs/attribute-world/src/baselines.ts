/**
 * What can be had from recorded attempts without a model: each baseline is a pure function of them, and advises on problems as an entry
 * does. A domain that comes late is read like the one whose work it has. None sees a reference or the lore. The first three know what a reader of the log knows; the last two are given more.
 */
import type { Problem } from '@seamstream/events';
import { entryText } from '@seamstream/experience';
import { type PlanEntry, planEntry, planSchemaFor, stepsOf } from './entries.js';
import { type Attributes, type Domain, kindOf } from './lore.js';
import { operatorsOf } from './operators.js';
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
  'table of attributes',
] as const;
export type Baseline = (typeof BASELINES)[number];

/** Learns from attempts in the order given; of equals the first counts. */
export function learnBaseline(name: Baseline, attempts: readonly Attempt[]): Advisor {
  switch (name) {
    case 'word table':
      return countTable(attempts, ({ thing }) => thing);
    case 'retrieved case':
      return retrievedCase(attempts);
    case 'cheatsheet':
      return cheatsheet(attempts);
    // It is given that attributes matter and names do not, and not which attribute matters for which step.
    case 'table of triples':
      return countTable(attempts, ({ attributes: { weight, matter, age } }) => `${weight} ${matter} ${age}`);
    // It is given for each step which attribute decides: what is left to learn are as many facts as there are attributes.
    case 'table of attributes':
      return countTable(attempts, ({ value }) => value);
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

/** Counts how often each operator succeeded for a key, and advises the best; for a key that it never met, the best of all. */
function countTable(attempts: readonly Attempt[], keyOf: (place: Place) => string): Advisor {
  const tallies = new Map<string, Tally>();
  const count = (key: string, success: boolean): void => {
    const tally = tallies.get(key) ?? { tried: 0, succeeded: 0 };
    tallies.set(key, { tried: tally.tried + 1, succeeded: tally.succeeded + (success ? 1 : 0) });
  };
  for (const { problem, entry, success } of attempts) {
    const steps = planOf(entry);
    for (const [at, place] of placesOf(domainOf(problem.domain), readStatement(problem)).entries()) {
      const operator = steps[at]?.operator;
      if (operator === undefined) continue;
      count(`${keyOf(place)}/${operator}`, success);
      count(`/${operator}`, success);
    }
  }
  return (problem) => {
    const steps = placesOf(domainOf(problem.domain), readStatement(problem)).map((place): Step => {
      const operators = operatorsOf(kindOf(place.value)!);
      const key = keyOf(place);
      const isMet = operators.some((operator) => tallies.has(`${key}/${operator}`));
      return {
        value: place.value,
        operator: best(operators, (each) => rateOf(tallies.get(`${isMet ? key : ''}/${each}`))),
      };
    });
    return textOf(problem, planEntry(steps));
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
    for (const [at, { value, operator }] of steps.entries()) {
      const text = `${value} ${operator}`;
      const tally = places[at]?.get(text) ?? { tried: 0, succeeded: 0 };
      places[at]?.set(text, { tried: tally.tried + 1, succeeded: tally.succeeded + (success ? 1 : 0) });
    }
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

function wordsOf({ prompt }: Asked): ReadonlySet<string> {
  return new Set(prompt.match(/\w+/g));
}

/** The first of those with the highest figure. @param items one at least */
function best<T>(items: readonly T[], figure: (item: T) => number): T {
  return items.map((item) => ({ item, own: figure(item) })).reduce((kept, next) => (next.own > kept.own ? next : kept))
    .item;
}
