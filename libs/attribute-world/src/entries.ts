/** Entries of the world of attributes: a plan, step by step, each `for <attribute of the statement> <operator>`. */
import type { Problem } from '@seamstream/events';
import { domainEntrySchema } from '@seamstream/experience';
import { type Random, SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { ATTRIBUTES, kindOf } from './attributes.js';
import { CUSTOM, DOMAIN_RULES, LATE_DOMAIN_RULES, type World } from './lore.js';
import { KINDS, moved, operatorsOf } from './operators.js';
import { domainOf, planFor, readStatement, type Step, valuesOf } from './problems.js';

export interface PlanEntry {
  readonly concepts: readonly string[];
  readonly strategy: readonly string[];
  readonly pitfalls: readonly string[];
}

/** What every plan says of itself: it leaves no choice. */
const STRATEGY = 'in this order';
const write = ({ value, operator }: Step): string => `for ${value} ${operator}`;
const STEPS: readonly string[] = KINDS.flatMap((kind) =>
  ATTRIBUTES[kind].flatMap((value) => operatorsOf(kind).map((operator) => write({ value, operator }))),
);

/** By domain: what is worked out about a schema is remembered by its object. */
const schemas = new Map(
  [...DOMAIN_RULES, ...LATE_DOMAIN_RULES].map(({ name, things, kinds }) => [
    name,
    domainEntrySchema({
      // Two things may have an attribute in common, so a plan of six steps has to count its quotes as well.
      concepts: { words: STEPS, minItems: things * kinds.length, quotesBetween: ['for ', ' '], quotesCountUpTo: 6 },
      strategy: { words: [STRATEGY] },
      pitfalls: { words: ['nothing'], minItems: 0, maxItems: 0 },
    }),
  ]),
);

/** Every attribute with every operator of its kind: the language, and none of the lore. Undefined for another world's domain. */
export function planSchemaFor(domain: string): JsonSchema | undefined {
  return schemas.get(domain);
}

export function planEntry(steps: readonly Step[]): PlanEntry {
  return { concepts: steps.map(write), strategy: [STRATEGY], pitfalls: [] };
}

/** The entry that says what the lore says. @throws NOT_FOUND, INVALID_INPUT for a problem of another world */
export function rightEntry(problem: Problem, { lore }: Pick<World, 'lore'>): PlanEntry {
  return planEntry(planFor(domainOf(problem.domain), readStatement(problem), lore));
}

/** An entry of one who reads well and knows nothing: the right attributes, each with any operator of its kind. */
export function randomPlan(problem: Pick<Problem, 'domain' | 'prompt'>, random: Random): PlanEntry {
  const values = valuesOf(domainOf(problem.domain), readStatement(problem));
  return planEntry(values.map((value) => ({ value, operator: random.pick(operatorsOf(kindOf(value)!)) })));
}

/** @throws INVALID_INPUT for an entry without a plan */
export function stepsOf(entry: Pick<PlanEntry, 'concepts'>): readonly Step[] {
  return entry.concepts.map((text) => {
    const [, value, operator] = /^for (\S+) (\S+)$/.exec(text) ?? [];
    if (value === undefined || operator === undefined)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot read a plan: expected steps such as "for heavy double", got ${JSON.stringify(text)}.`,
      );
    return { value, operator };
  });
}

/** What an obedient solver writes: it follows the entry, right or wrong. The executor was trained to this; it decides no verdict. */
export function followPlan(problem: Pick<Problem, 'domain' | 'prompt'>, entry: Pick<PlanEntry, 'concepts'>): string {
  return responseOf(readStatement(problem).start, stepsOf(entry));
}

/** What the executor writes without an entry: it does as custom has it. */
export function followCustom(problem: Pick<Problem, 'domain' | 'prompt'>): string {
  const statement = readStatement(problem);
  return responseOf(statement.start, planFor(domainOf(problem.domain), statement, CUSTOM));
}

function responseOf(start: number, steps: readonly Step[]): string {
  let at = start;
  const lines = steps.map(({ value, operator }) => {
    at = moved(at, operator);
    return `${value} ${operator} ${at}`;
  });
  return ` ${lines.join(', ')}\nAnswer: ${at}`;
}
