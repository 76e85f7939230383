/**
 * Problems of a world: one or two things are described and worked with, and a dial moves. Problem i of a set is a pure function of
 * (world, seed, split, i). What decides the split is the plan that solves it, which is what an entry has to say: the attributes that
 * count, in their order. Words and the start of the dial do not, for another of them asks for the same entry.
 */
import type { GradedProblem, Problem } from '@seamstream/events';
import { compareText, derivedId, Random, SeamError, sha256 } from '@seamstream/kernel';
import type { Attributes } from './attributes.js';
import { DOMAIN_RULES, type Domain, LATE_DOMAIN_RULES, type Things, type World } from './lore.js';
import { DIAL, moved } from './operators.js';
import { pairOf } from './pairs.js';

/** development: to choose settings on; validation: to decide promotions; heldOut and newWords: to report, and for nothing else. */
export const SPLITS = ['train', 'development', 'validation', 'heldOut', 'newWords'] as const;
export type Split = (typeof SPLITS)[number];

export interface ProblemsRequest {
  readonly world: World;
  /** Which stream of the world's problems. */
  readonly seed: string | number;
  readonly split: Split;
  /** Whether they are of the late domains, each with a late attribute that counts; not by default. Late things are in all splits but that of new words. */
  readonly isLate?: boolean;
  /** Problems to make; the domains take turns. */
  readonly count: number;
  /** Index of the first, 0 by default. */
  readonly startIndex?: number;
}

/** Percentages of a domain's plans: those before the first are trained on, and so on; the rest is held out. A lathe has one for each known word. */
const SHARES: readonly (readonly [Split, number])[] = [
  ['train', 55],
  ['development', 65],
  ['validation', 80],
  ['heldOut', 100],
];

/** As {@link SHARES}, of the plans without a pair that is held out: all pairs of those of development are. */
const PAIR_SHARES: typeof SHARES = [
  ['train', 65],
  ['validation', 80],
  ['heldOut', 100],
];

export const DOMAINS: readonly string[] = DOMAIN_RULES.map(({ name }) => name);
/** Those that come with the shift of a world with late attributes. */
export const LATE_DOMAINS: readonly string[] = LATE_DOMAIN_RULES.map(({ name }) => name);
const ALL_RULES = [...DOMAIN_RULES, ...LATE_DOMAIN_RULES];

/** @throws NOT_FOUND */
export function domainOf(name: string): Domain {
  const domain = ALL_RULES.find((rule) => rule.name === name);
  if (domain === undefined)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot find a domain of the world of attributes: expected one of ${ALL_RULES.map((rule) => rule.name).join(', ')}, got ${JSON.stringify(name)}.`,
    );
  return domain;
}

/** What a statement says, as read from its text alone. */
export interface Statement {
  readonly described: ReadonlyMap<string, Attributes>;
  /** Names of the things asked about, in order. */
  readonly asked: readonly string[];
  /** Where the dial stands at first. */
  readonly start: number;
}

/** @throws INVALID_INPUT when count or startIndex is not a whole number ≥ 0, or for late problems that the world does not have */
export function attributeProblems({
  world,
  seed,
  split,
  isLate = false,
  count,
  startIndex = 0,
}: ProblemsRequest): readonly GradedProblem[] {
  for (const [name, value] of Object.entries({ count, startIndex })) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot make problems of attributes: expected ${name} to be a whole number ≥ 0, got ${value}.`,
      );
  }
  if (isLate) assertLate(world, split);
  const named = `${world.seed}/${world.preset}${world.late.size === 0 ? '' : '/late attributes'}`;
  const from = `attribute-world/${named}/${seed}/${isLate ? 'late ' : ''}${split}`;
  const rules = isLate ? LATE_DOMAIN_RULES : DOMAIN_RULES;
  const things = isLate ? world.late : thingsOf(world, split);
  const isMember = membersOf(world, split);
  return Array.from({ length: count }, (_, offset) => {
    const index = startIndex + offset;
    const domain = rules[index % rules.length]!;
    const random = Random.of(from, index);
    let statement = drawStatement(domain, things, random);
    // A draw of another split is drawn again: within a split all remain equally likely.
    while (!isMember(domain, statement)) statement = drawStatement(domain, things, random);
    return {
      problemId: derivedId(from, 'problem', index),
      domain: domain.name,
      prompt: told(domain, statement),
      reference: String(
        worked(
          statement.start,
          planFor(domain, statement, world.lore).map(({ operator }) => operator),
        ),
      ),
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: { key: keyOf(domain, statement), facts: valuesOf(domain, statement).join(', ') },
    };
  });
}

function thingsOf(world: World, split: Split): Things {
  if (split === 'newWords') return world.unseen;
  return split === 'development' ? world.development : world.known;
}

function assertLate({ late }: World, split: Split): void {
  if (late.size > 0 && split !== 'newWords') return;
  const got = late.size === 0 ? 'one without' : `the split ${split}`;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot make late problems: expected a world with late attributes and a split of known words, got ${got}. Draw the world with late attributes, or ask for ${SPLITS.filter((each) => each !== 'newWords').join(', ')}.`,
  );
}

/** A statement about things that are drawn, each another one. */
export function drawStatement({ things: count }: Pick<Domain, 'things'>, things: Things, random: Random): Statement {
  const names = [...things.keys()];
  const asked = [random.pick(names)];
  while (asked.length < count) {
    const name = random.pick(names);
    if (!asked.includes(name)) asked.push(name);
  }
  const like = (name: string): Attributes => {
    const likes = things.get(name)!;
    // What is like one thing alone takes no draw: worlds stay what they were.
    return likes.length === 1 ? likes[0]! : random.pick(likes);
  };
  return { described: new Map(asked.map((name) => [name, like(name)])), asked, start: random.int(DIAL) };
}

/** The text of a statement, such as "Fire the molm, heavy iron old, then the bux, light glass new. Dial at 3." */
export function told({ verb }: Pick<Domain, 'verb'>, { described, asked, start }: Statement): string {
  const things = asked.map((name) => {
    const { weight, matter, age } = described.get(name)!;
    return `the ${name}, ${weight} ${matter} ${age}`;
  });
  return `${verb} ${things.join(', then ')}. Dial at ${start}.`;
}

/** @throws INVALID_INPUT for a problem of another world */
export function readStatement({ domain: name, prompt }: Pick<Problem, 'domain' | 'prompt'>): Statement {
  const domain = domainOf(name);
  const described = new Map(
    [...prompt.matchAll(/the (\S+), (\S+) (\S+) ([^\s.,]+)/g)].map(([, thing, weight, matter, age]) => [
      thing!,
      { weight: weight!, matter: matter!, age: age! },
    ]),
  );
  const statement = { described, asked: [...described.keys()], start: Number(/ Dial at (\d+)\.$/.exec(prompt)?.[1]) };
  if (described.size !== domain.things || told(domain, statement) !== prompt)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read a statement of ${name}: expected one such as "Turn the molm, heavy iron old. Dial at 3.", got ${JSON.stringify(prompt.slice(0, 80))}.`,
    );
  return statement;
}

/** One step of a plan: an attribute, and the operator that it calls for. */
export interface Step {
  readonly value: string;
  readonly operator: string;
}

/** The attributes that count, in the order of the steps. */
export function valuesOf({ kinds }: Pick<Domain, 'kinds'>, { described, asked }: Statement): readonly string[] {
  return asked.flatMap((thing) => kinds.map((kind) => described.get(thing)![kind]));
}

/** The plan that a lore, or custom, has for a statement. */
export function planFor(
  { kinds }: Pick<Domain, 'kinds'>,
  { described, asked }: Statement,
  lore: ReadonlyMap<string, string>,
): readonly Step[] {
  return asked.flatMap((name) => {
    const thing = described.get(name)!;
    return kinds.map((kind): Step => {
      const value = thing[kind];
      return { value, operator: lore.get(value) ?? lore.get(pairOf(value, kind, thing))! };
    });
  });
}

/** Where the dial stands at the end. @throws as `moved` */
function worked(start: number, operators: readonly string[]): number {
  return operators.reduce(moved, start);
}

function keyOf({ name }: Domain, { asked, start }: Statement): string {
  return [name, ...asked, start].join('/');
}

/** What an entry for a statement has to be about: equal keys call for equal entries. */
function planKey(domain: Domain, statement: Statement): string {
  return [domain.name, ...valuesOf(domain, statement)].join('/');
}

/** @param own the split of a statement's plan; undefined for a plan that no known words have, and for one of late words without a late attribute */
function isOf(split: Split, own: Split | undefined): boolean {
  // Two attributes of a new word may be those of a known one: the plan has to be held out as well.
  return split === 'newWords' ? own === undefined || own === 'heldOut' : own === split;
}

/** Whether a statement is of the split. */
function membersOf(world: World, split: Split): (domain: Domain, statement: Statement) => boolean {
  if (world.preset !== 'pairs') {
    const plans = splitsOf(world);
    return (domain, statement) => isOf(split, plans.get(planKey(domain, statement)));
  }
  // The things decide: no plan about them is one of another split.
  if (split === 'development' || split === 'newWords') return () => true;
  return (domain, statement) => splitOfPairs(world, domain, statement) === split;
}

/** There are too many plans in a world of pairs to sort, and enough of them for a hash: a lathe alone has 200. */
function splitOfPairs({ seed, lore }: World, domain: Domain, statement: Statement): Split {
  // The operators as well: what is quoted does not show the partners that they depend on.
  const steps = planFor(domain, statement, lore).map(({ value, operator }) => `${value} ${operator}`);
  const place = Number.parseInt(sha256(`${seed}/pairs/${domain.name}/${steps.join('/')}`).slice(0, 8), 16) % 100;
  return PAIR_SHARES.find(([, below]) => place < below)![0];
}

const known = new WeakMap<World, ReadonlyMap<string, Split>>();

/** The split of every plan that known words have. Each domain's are cut in an order by hash, so that every split has its share of them. */
function splitsOf(world: World): ReadonlyMap<string, Split> {
  const found =
    known.get(world) ??
    new Map([
      ...DOMAIN_RULES.flatMap((domain) => [...cutPlans(domain, world, world.known)]),
      ...LATE_DOMAIN_RULES.flatMap((domain) => [...cutPlans(domain, world, world.late, world.lateValues)]),
    ]);
  known.set(world, found);
  return found;
}

/** @param holding plans without any of these attributes do not belong to the domain; absent: all do */
function cutPlans(
  domain: Domain,
  { seed, preset }: World,
  things: Things,
  holding?: ReadonlySet<string>,
): ReadonlyMap<string, Split> {
  const names = [...things.keys()];
  const asked =
    domain.things === 1
      ? names.map((name) => [name])
      : names.flatMap((name) => names.filter((other) => other !== name).map((other) => [name, other]));
  const described = new Map([...things].map(([name, [like]]) => [name, like!]));
  const statements = asked.map((each): Statement => ({ described, asked: each, start: 0 }));
  const own = statements.filter(
    (statement) => holding === undefined || valuesOf(domain, statement).some((value) => holding.has(value)),
  );
  const keys = new Set(own.map((statement) => planKey(domain, statement)));
  const inOrder = [...keys]
    .map((key) => ({ key, place: sha256(`${seed}/${preset}/${key}`) }))
    .sort((a, b) => compareText(a.place, b.place));
  return new Map(
    inOrder.map(({ key }, at) => [key, SHARES.find(([, below]) => (at * 100) / inOrder.length < below)![0]]),
  );
}
