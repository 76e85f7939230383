/**
 * What there is to know in a world: which operator each attribute calls for. All of it is drawn from a seed, so that every seed is
 * another world. Custom is what the shipped executor believes; the lore of a world contradicts it everywhere (strange), or here and there (familiar).
 */
import { Random, SeamError } from '@seamstream/kernel';
import { ATTRIBUTES, type Attributes, kindOf } from './attributes.js';
import { KINDS, type Kind, operatorsOf } from './operators.js';
import { drawCombinations, drawPairLore } from './pairs.js';

const list = (text: string): readonly string[] => text.split(' ');

/** Names of things. Which of them a world trains on, and what they are like, is drawn. */
export const NAMES: readonly string[] = list('b d f g k l m n p r s t').flatMap((onset) =>
  list('olm ux int arp eld onk ift ern').map((rime) => onset + rime),
);
/** Names that training asks about, names that it never sees, and names that come late. */
const NAME_COUNTS = {
  withoutShift: { known: 64, unseen: 24, late: 0 },
  withLateAttributes: { known: 40, unseen: 16, late: 40 },
} as const;
/** Names that training asks about in a world of pairs; the others it never sees. */
const PAIR_NAMES = 72;
/** Attributes of each kind that come late, in a world that has such. */
const LATE_VALUES = 2;

/** Attributes whose operator is another than by custom, in a familiar world. */
const EXCEPTIONS = 4;
/** Share of problems that custom solves there, at least and at most; worlds outside are drawn again. */
const CUSTOM_SOLVES = [0.42, 0.55] as const;

/** Worlds in which an operator depends on one attribute. */
export const SINGLE_PRESETS = ['strange', 'familiar'] as const;
export const PRESETS = [...SINGLE_PRESETS, 'pairs'] as const;
/** strange: custom is wrong about every attribute; familiar: about {@link EXCEPTIONS} of them; pairs: an operator depends on two attributes. */
export type Preset = (typeof PRESETS)[number];

/** By name: what a thing may be like, one description or several. */
export type Things = ReadonlyMap<string, readonly Attributes[]>;

export interface World {
  readonly seed: string | number;
  readonly preset: Preset;
  /** Attribute to operator; in a world of pairs {@link pairOf two attributes}. */
  readonly lore: ReadonlyMap<string, string>;
  /** Names that training asks about, and what they are like. In a world of pairs each may be like any of many. */
  readonly known: Things;
  /** Things that settings are chosen on: the known ones, in a world of pairs known names whose pairs are all held out. */
  readonly development: Things;
  /** Names for measuring alone. Each attribute is also one of known names; no known name has the same three, or in a world of pairs the same two. */
  readonly unseen: Things;
  /** Attributes that no known and no new word has; none in a world without a shift. */
  readonly lateValues: ReadonlySet<string>;
  /** Names that come with the shift. Each has a late attribute, or several, and no two have the same three. */
  readonly late: Things;
}

/** What plans of a domain are made of. */
export interface Domain {
  readonly name: string;
  /** Things asked about, one after the other. */
  readonly things: 1 | 2;
  /** Kinds that count, in the order of the steps for a thing. */
  readonly kinds: readonly Kind[];
  /** What is done to a thing. */
  readonly verb: string;
}

/** Plans of three, four and six steps. */
export const DOMAIN_RULES: readonly Domain[] = [
  { name: 'lathe', things: 1, kinds: KINDS, verb: 'Turn' },
  { name: 'kiln', things: 2, kinds: ['weight', 'matter'], verb: 'Fire' },
  { name: 'press', things: 2, kinds: KINDS, verb: 'Press' },
];

/** The same work on late things, under names that say so: early and late problems are judged apart. */
export const LATE_DOMAIN_RULES: readonly Domain[] = DOMAIN_RULES.map((rule) => ({
  ...rule,
  name: `late-${rule.name}`,
}));

/** Attribute to the operator that custom has for it; the same in all worlds. */
export const CUSTOM: ReadonlyMap<string, string> = new Map(
  KINDS.flatMap((kind) =>
    ATTRIBUTES[kind].map((value, index) => [value, operatorsOf(kind)[index % operatorsOf(kind).length]!] as const),
  ),
);

/**
 * The world of a seed.
 * @param options hasLateAttributes: whether some attributes are kept for a shift; such a world is another one, in all that it has
 * @throws INVALID_INPUT for a world of pairs with late attributes
 */
export function drawWorld(
  seed: string | number,
  preset: Preset,
  { hasLateAttributes = false }: { readonly hasLateAttributes?: boolean } = {},
): World {
  if (preset === 'pairs') return drawPairsWorld(seed, hasLateAttributes);
  const counts = NAME_COUNTS[hasLateAttributes ? 'withLateAttributes' : 'withoutShift'];
  for (let attempt = 0; ; attempt++) {
    const random = hasLateAttributes
      ? Random.of('attribute-world', seed, preset, 'late attributes', attempt)
      : Random.of('attribute-world', seed, preset, attempt);
    const names = random.shuffled(NAMES);
    const later = hasLateAttributes
      ? KINDS.map((kind) => random.shuffled(ATTRIBUTES[kind]).slice(0, LATE_VALUES))
      : KINDS.map(() => []);
    const lateValues = new Set<string>(later.flat());
    const early = KINDS.map((kind) => ATTRIBUTES[kind].filter((value) => !lateValues.has(value)));
    const taken = new Set<string>();
    const known = describe(names.slice(0, counts.known), early, taken, random);
    const unseen = describe(names.slice(counts.known, counts.known + counts.unseen), early, taken, random);
    const late = describeLate(names.slice(counts.known + counts.unseen).slice(0, counts.late), later, random);
    const lore = drawLore(preset, random);
    const world: World = { seed, preset, lore, known, development: known, unseen, lateValues, late };
    if (preset === 'strange') return world;
    const [least, most] = CUSTOM_SOLVES;
    const sets = late.size === 0 ? [world.known, world.unseen] : [world.known, world.unseen, world.late];
    const shares = sets.map((things) => solvedByCustom(world.lore, things));
    if (shares.every((share) => share >= least && share <= most)) return world;
  }
}

function drawPairsWorld(seed: string | number, hasLateAttributes: boolean): World {
  if (hasLateAttributes)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot draw a world: expected ${SINGLE_PRESETS.join(' or ')} with late attributes, got pairs. Draw it without.`,
    );
  const random = Random.of('attribute-world', seed, 'pairs');
  const names = random.shuffled(NAMES);
  const lore = drawPairLore(random);
  const combinations = drawCombinations(random);
  // Names say nothing: of one name and three attributes, a learner could count by the name.
  const things = (of: readonly string[], likes: readonly Attributes[]): Things =>
    new Map(of.map((name) => [name, likes]));
  return {
    ...{ seed, preset: 'pairs', lore, lateValues: new Set(), late: new Map() },
    known: things(names.slice(0, PAIR_NAMES), combinations.known),
    development: things(names.slice(0, PAIR_NAMES), combinations.development),
    unseen: things(names.slice(PAIR_NAMES), combinations.unseen),
  };
}

/**
 * Every value as often as another, and no three values twice.
 * @param values by kind, in their order
 */
function describe(
  names: readonly string[],
  values: readonly (readonly string[])[],
  taken: Set<string>,
  random: Random,
): Things {
  for (;;) {
    const columns = values.map((ofKind) => random.shuffled(names.map((_, index) => ofKind[index % ofKind.length]!)));
    const rows = names.map((_, index) => columns.map((column) => column[index]!));
    const keys = rows.map((row) => row.join(' '));
    if (new Set([...taken, ...keys]).size < taken.size + keys.length) continue;
    for (const key of keys) taken.add(key);
    return named(names, rows);
  }
}

/**
 * The kinds take turns in which one is late for certain, so that every late value comes as often as another; the other two are of any value.
 * @param later values that come late, by kind
 */
function describeLate(names: readonly string[], later: readonly (readonly string[])[], random: Random): Things {
  for (;;) {
    const columns = KINDS.map((kind) =>
      random.shuffled(names.map((_, index) => ATTRIBUTES[kind][index % ATTRIBUTES[kind].length]!)),
    );
    const rows = names.map((_, index) => {
      const turn = Math.floor(index / KINDS.length);
      return columns.map((column, kind) =>
        kind === index % KINDS.length ? later[kind]![turn % LATE_VALUES]! : column[index]!,
      );
    });
    if (new Set(rows.map((row) => row.join(' '))).size === rows.length) return named(names, rows);
  }
}

function named(names: readonly string[], rows: readonly (readonly string[])[]): Things {
  return new Map(
    names.map((name, index) => {
      const [weight, matter, age] = rows[index]!;
      return [name, [{ weight: weight!, matter: matter!, age: age! }]];
    }),
  );
}

function drawLore(preset: (typeof SINGLE_PRESETS)[number], random: Random): ReadonlyMap<string, string> {
  const values = [...CUSTOM.keys()];
  const changed = new Set(preset === 'strange' ? values : random.shuffled(values).slice(0, EXCEPTIONS));
  const other = (value: string): string =>
    random.pick(operatorsOf(kindOf(value)!).filter((operator) => operator !== CUSTOM.get(value)));
  return new Map(values.map((value) => [value, changed.has(value) ? other(value) : CUSTOM.get(value)!]));
}

/** Share of the plans that custom has right step by step, each domain weighing the same. */
function solvedByCustom(lore: ReadonlyMap<string, string>, things: Things): number {
  const shares = DOMAIN_RULES.map(({ things: count, kinds }) => {
    const rights = [...things.values()]
      .flat()
      .map((thing) => kinds.every((kind) => lore.get(thing[kind]) === CUSTOM.get(thing[kind])));
    const right = rights.filter(Boolean).length;
    return count === 1 ? right / rights.length : (right * (right - 1)) / (rights.length * (rights.length - 1));
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
