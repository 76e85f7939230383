/**
 * What a guard mutes: its rule on counts, and how often it is wrong on simulated logs that it acts on. `npm run conformance:guard` plays 300 logs of
 * each world; the quick suite plays some.
 */
import { Random } from '@seamstream/kernel';
import { logStagedEvidence } from '@seamstream/statistics';
import {
  type DomainCounts,
  decideMuting,
  domainCountsIn,
  type GuardStage,
  liftsOf,
  mutingText,
} from './guard.decide.js';
import { checkedGuardPlan, DEFAULT_GUARD_PLAN, type GuardPlan, guardPlanIn, guardPlanText } from './guard-plan.js';
import { RULE_VERSIONS } from './rule-version.js';

const LOGS = Number(process.env.SEAM_TEST_LOGS ?? 8);
const plan = { ...DEFAULT_GUARD_PLAN, weights: { sums: 0.5 } };

describe('The rule of a guard', () => {
  it('mutes a domain at evidence of 1 / (α w), and not before', () => {
    const counts = domain('sums', stage(0.1, [120, 180], [22, 8]));
    const { harm, needed } = decideMuting(plan, counts).figures;
    expect(needed).toBeCloseTo(Math.log(1 / (0.05 * 0.5)), 12);
    expect(harm).toBeCloseTo(logStagedEvidence(liftsOf(counts.stages, 0.5), 0, -1), 12);
    const at = (weight: number) => decideMuting({ ...plan, weights: { sums: weight } }, counts).isMuted;
    const just = Math.exp(-harm) / plan.alpha;
    expect([at(just * 1.001), at(just * 0.999)]).toEqual([true, false]);
  });

  it('is what a person computes by hand from one problem', () => {
    // A treated failure at a share of 1/2 and a centre of 1/2 has the score −1; it pays 1 + λ for the bet λ on harm, and harm is bounded by 1.
    const half = decideMuting(plan, domain('sums', stage(0.5, [0, 1], [0, 0]))).figures.harm;
    const bets = Array.from({ length: 20 }, (_, j) => 1 + 0.95 * 2 ** (-j / 2));
    expect(half).toBeCloseTo(Math.log(bets.reduce((sum, pays) => sum + pays, 0) / 20), 12);
  });

  it('gives a domain that the plan does not name its place in the reserve, and one without any place nothing', () => {
    const counts = { ...domain('new', stage(0.1, [0, 10], [1, 0])), rank: 3 };
    expect(decideMuting(plan, counts).figures.needed).toBeCloseTo(-Math.log((0.05 * 0.5 * 6) / (9 * Math.PI ** 2)), 12);
    const never = decideMuting(plan, domain('new', stage(0.1, [0, 10_000], [2_000, 0])));
    expect(never).toMatchObject({ isMuted: false, figures: { needed: Infinity }, reason: /more than there can be/ });
  });

  it('multiplies the evidence of shares, so that a share that was changed does not mislead', () => {
    // Each half shows nothing; their pool would show 30 points of harm.
    const split = domain('sums', stage(0.1, [90, 810], [10, 90]), stage(0.9, [90, 10], [810, 90]));
    expect(decideMuting(plan, split).isMuted).toBe(false);
    expect(decideMuting(plan, domain('sums', stage(0.5, [180, 820], [820, 180]))).isMuted).toBe(true);
  });

  it.each([
    ['has other arms than were drawn', stage(0.5, [100, 800], [90, 10]), 'problems are divided as they were drawn'],
    [
      'lacks verdicts in one arm',
      { ...stage(0.1, [100, 800], [38, 2]), missing: { treated: 0, control: 60 } },
      'verdicts are missing as often in either arm',
    ],
  ])('mutes nothing where a comparison %s', (_, counted, rule) => {
    expect(decideMuting(plan, domain('sums', counted))).toMatchObject({ isMuted: false, rule });
  });

  it('refuses what are no counts', () => {
    const twice = domain('sums', stage(0.1, [1, 1], [1, 1]), stage(0.1, [1, 1], [1, 1]));
    expect(() => decideMuting(plan, twice)).toThrow(/a share twice/);
    expect(() => decideMuting(plan, domain('sums', stage(0.1, [-1, 0], [0, 0])))).toThrow(/counts of problems/);
    expect(() => decideMuting(plan, domain('sums', stage(1, [1, 0], [0, 0])))).toThrow(/counts of problems/);
  });
});

describe('The evidence of a recorded muting', () => {
  it('is read as it was written, and refused where it holds something else', () => {
    const counts = domain('sums', stage(0.1, [20, 280], [28, 2]));
    const text = mutingText(plan, counts, decideMuting(plan, counts).figures);
    expect(domainCountsIn(text)).toEqual(counts);
    expect(domainCountsIn('x')).toBeUndefined();
    expect(domainCountsIn(text.replace('"problems":280', '"problems":4e15'))).toBeUndefined();
    expect(domainCountsIn(`${text}${' '.repeat(300_000)}`)).toBeUndefined();
  });
});

describe('The plan of a guard', () => {
  it('is read again as it was recorded, and is refused where it says what this version does not know', () => {
    for (const version of RULE_VERSIONS) {
      const own = { ...plan, version };
      expect(guardPlanIn(guardPlanText(own))).toEqual(own);
    }
    for (const wrong of [
      ...[{ version: 3 }, { alpha: 0 }, { share: 0 }, { share: 0.6 }, { surprise: 1 }, { weights: { a: 0.6, b: 0.5 } }],
      { weights: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`d${i}`, 0])) },
    ]) {
      expect(() => checkedGuardPlan({ ...plan, ...wrong })).toThrow(/Cannot read the plan of a guard/);
      expect(guardPlanIn(JSON.stringify({ ...plan, ...wrong }))).toMatch(
        /^Cannot read the plan of a guard: (?!Cannot)/,
      );
    }
    expect(guardPlanIn('{')).toMatch(/Cannot read the plan of a guard/);
  });
});

const WITHOUT_HARM: Readonly<Record<string, World>> = {
  'that is stationary': { rate: () => 0.5 },
  'that drifts': { rate: (time) => 0.1 + 0.8 * time },
  'with rare successes': { rate: () => 0.03 },
  'with late failures of treated problems': { rate: () => 0.5, lag: 200 },
  'where domains arrive all the time': { rate: () => 0.4, domains: 12 },
};

describe('A guard that acts on a log', () => {
  it.each(Object.entries(WITHOUT_HARM))('hardly ever mutes in a world %s and without harm', (name, world) => {
    const logs = Array.from({ length: LOGS }, (_, log) => play(world, Random.of('no harm', name, log)));
    const wrong = logs.filter(({ mutedAt }) => mutedAt.size > 0).length;
    if (LOGS >= 200) process.stdout.write(`${name}: a domain muted in ${wrong} of ${LOGS} logs\n`);
    expect(wrong).toBeLessThanOrEqual(0.05 * LOGS + 3 * Math.sqrt(0.05 * 0.95 * LOGS));
  });

  it('mutes a domain that loses 30 points within 500 of its problems at the median, and no other', () => {
    const harmful: World = { rate: () => 0.7, harm: { 'd-1': 0.3 }, problems: 6000 };
    const logs = Array.from({ length: LOGS }, (_, log) => play(harmful, Random.of('harm', log)));
    const took = logs.map(({ mutedAt }) => mutedAt.get('d-1') ?? Infinity).sort((a, b) => a - b);
    const median = took[Math.floor(LOGS / 2)]!;
    if (LOGS >= 200)
      process.stdout.write(
        `30 points: median ${median}, 90 % within ${took[Math.floor(LOGS * 0.9)]} of its problems\n`,
      );
    expect(median).toBeLessThan(500);
    expect(logs.filter(({ mutedAt }) => [...mutedAt.keys()].some((name) => name !== 'd-1')).length).toBeLessThanOrEqual(
      0.05 * LOGS + 3 * Math.sqrt(0.05 * 0.95 * LOGS),
    );
  });

  it('keeps a muted domain muted with its small share, also where entries help from then on', () => {
    const turning: World = { rate: () => 0.5, harm: { 'd-0': 0.45 }, problems: 8000, helpsOnceMuted: true };
    for (let log = 0; log < 4; log++) {
      const { mutedAt, afterMuting } = play(turning, Random.of('turning', log));
      expect(mutedAt.has('d-0')).toBe(true);
      const { treated, problems } = afterMuting.get('d-0')!;
      expect(problems).toBeGreaterThan(1000);
      // 2 % of them, and within five standard deviations of that.
      expect(Math.abs(treated - 0.02 * problems)).toBeLessThan(5 * Math.sqrt(0.02 * problems));
    }
  });
});

/** Solved and failed of an arm. */
type Arm = readonly [solved: number, failed: number];

function stage(controlShare: number, treated: Arm, control: Arm): GuardStage {
  return {
    controlShare,
    counts: [
      ...([0, 1] as const).map((result) => ({ treated: false, result, problems: control[1 - result]! })),
      ...([0, 1] as const).map((result) => ({ treated: true, result, problems: treated[1 - result]! })),
    ],
    missing: { treated: 0, control: 0 },
  };
}

const domain = (name: string, ...stages: GuardStage[]): DomainCounts => ({ domain: name, rank: null, stages });

interface World {
  /** Success without an entry at a time from 0 to 1. */
  readonly rate: (time: number) => number;
  /** What an entry takes away, by domain. */
  readonly harm?: Readonly<Record<string, number>>;
  /** Entries give as much instead once a domain is muted. */
  readonly helpsOnceMuted?: true;
  /** Problems that are published before a failure of a treated problem is known. */
  readonly lag?: number;
  /** Four of them are there from the beginning, and have weights. */
  readonly domains?: number;
  readonly problems?: number;
}

interface Drawn {
  readonly name: string;
  readonly share: number;
  readonly isTreated: boolean;
  readonly isSolved: boolean;
  readonly knownAt: number;
}

const LOOKS_EVERY = 40;
const KNOWN = 4;
const guarded: GuardPlan = {
  ...DEFAULT_GUARD_PLAN,
  weights: Object.fromEntries(Array.from({ length: KNOWN }, (_, i) => [`d-${i}`, 0.2])),
};

/** A stream that the guard looks at and acts on: what it mutes is drawn with another share from then on. */
function play(world: World, random: Random) {
  const { rate, harm = {}, lag = 0, domains = KNOWN, problems = 2500, helpsOnceMuted } = world;
  const [stream, order]: [Drawn[], string[]] = [[], []];
  const counted = new Map<string, Map<number, [Arm, Arm]>>();
  const mutedAt = new Map<string, number>();
  const afterMuting = new Map<string, { treated: number; problems: number }>();
  for (let [at, head] = [0, 0]; at < problems; at++) {
    const name = `d-${random.int(Math.max(KNOWN, Math.ceil((domains * (at + 1)) / problems)))}`;
    if (!Object.hasOwn(guarded.weights, name) && !order.includes(name)) order.push(name);
    const share = mutedAt.has(name) ? 1 - guarded.share : 0.1;
    const isTreated = random.float() >= share;
    const effect = isTreated ? (harm[name] ?? 0) * (helpsOnceMuted === true && mutedAt.has(name) ? -1 : 1) : 0;
    const isSolved = random.float() < rate(at / problems) - effect;
    stream.push({ name, share, isTreated, isSolved, knownAt: at + (isTreated && !isSolved ? lag : 0) });
    const after = afterMuting.get(name);
    if (after !== undefined)
      afterMuting.set(name, { treated: after.treated + Number(isTreated), problems: after.problems + 1 });
    if (at % LOOKS_EVERY !== 0) continue;
    // In the order of publication, up to the first that is not known.
    for (; head < stream.length && stream[head]!.knownAt <= at; head++) count(counted, stream[head]!);
    for (const [known, stages] of counted) {
      if (mutedAt.has(known)) continue;
      const counts = {
        domain: known,
        rank: order.includes(known) ? order.indexOf(known) + 1 : null,
        stages: [...stages].map(([own, [treated, control]]) => stage(own, treated, control)),
      };
      const { isMuted, problems: took } = decideMuting(guarded, counts);
      if (!isMuted) continue;
      mutedAt.set(known, took);
      afterMuting.set(known, { treated: 0, problems: 0 });
    }
  }
  return { mutedAt, afterMuting };
}

function count(counted: Map<string, Map<number, [Arm, Arm]>>, { name, share, isTreated, isSolved }: Drawn): void {
  const stages = counted.get(name) ?? new Map<number, [Arm, Arm]>();
  counted.set(name, stages);
  const arms = stages.get(share) ?? [
    [0, 0],
    [0, 0],
  ];
  const [solved, failed] = arms[isTreated ? 0 : 1];
  arms[isTreated ? 0 : 1] = isSolved ? [solved + 1, failed] : [solved, failed + 1];
  stages.set(share, arms);
}
