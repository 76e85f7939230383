/**
 * False alarms over simulated logs without an effect, looked at all the time. `npm run conformance:false-alarms` draws 2,000 logs of each world;
 * the quick suite draws some.
 */
import { Random } from '@seamstream/kernel';
import { logMissingEvidence, logSampleRatioEvidence } from './allocation-evidence.js';
import { type ArmCount, logLiftEvidence } from './lift-interval.js';

const LOGS = Number(process.env.SEAM_TEST_LOGS ?? 24);
const PROBLEMS = 2000;
const LOOKS_EVERY = 20;
const ALPHA = 0.05;

const WORLDS: Readonly<Record<string, World>> = {
  stationary: { share: 0.9, rate: () => 0.3 },
  drift: { share: 0.9, rate: (time) => 0.1 + 0.8 * time },
  'late failures': { share: 0.5, rate: () => 0.5, lag: 300 },
  rare: { share: 0.9, rate: () => 0.02 },
  'a canary of 5 %': { share: 0.05, rate: () => 0.8 },
};

describe('false alarms in a world without an effect', () => {
  it.each(Object.entries(WORLDS))('are as rare as promised, counted in the order of publication: %s', (name, world) => {
    const alarms = countAlarms(world, 'publication', LOGS);
    if (LOGS >= 2000) process.stdout.write(`${name}: ${JSON.stringify(alarms)} of ${LOGS} logs\n`);
    for (const alarm of ['lift', 'ratio', 'missing'] as const) expect(alarms[alarm]).toBeLessThanOrEqual(most);
  });

  it('come in most logs where outcomes are counted as they arrive and one arm fails late', () => {
    expect(countAlarms(WORLDS['late failures']!, 'arrival', 20).lift).toBeGreaterThan(10);
  });
});

/** At which arrival which problem is known, and what became of it. */
interface Drawn {
  readonly isTreated: boolean;
  readonly isSolved: boolean;
  readonly isMissing: boolean;
  readonly knownAt: number;
}

function draw({ share, rate, lag = 0 }: World, random: Random): Drawn[] {
  return Array.from({ length: PROBLEMS }, (_, i) => {
    const isTreated = random.float() < share;
    const isSolved = random.float() < rate(i / PROBLEMS);
    return { isTreated, isSolved, isMissing: random.float() < 0.03, knownAt: i + (isTreated && !isSolved ? lag : 0) };
  });
}

type Alarm = 'lift' | 'ratio' | 'missing';

/** Which tests alarmed at some look. @param order how what is known by then is counted */
function alarmsIn(problems: readonly Drawn[], share: number, order: 'publication' | 'arrival'): ReadonlySet<Alarm> {
  const alarms = new Set<Alarm>();
  const queue = order === 'publication' ? problems : [...problems].sort((a, b) => a.knownAt - b.knownAt);
  const [four, missing] = [[0, 0, 0, 0], { treatedMissing: 0, controlMissing: 0 }];
  let next = 0;
  for (let now = LOOKS_EVERY; now < PROBLEMS + 400; now += LOOKS_EVERY) {
    for (; next < PROBLEMS && queue[next]!.knownAt <= now; next++) {
      const { isTreated, isSolved, isMissing } = queue[next]!;
      if (isMissing) missing[isTreated ? 'treatedMissing' : 'controlMissing']++;
      else four[(isTreated ? 2 : 0) + (isSolved ? 1 : 0)]!++;
    }
    const counts = four.map((times, k): ArmCount => ({ treated: k > 1, result: k % 2, problems: times }));
    const lift = ([1, -1] as const).map((side) => logLiftEvidence(counts, { treatedShare: share }, 0, side));
    if (Math.max(...lift) >= Math.log(2 / ALPHA)) alarms.add('lift');
    const arms = {
      treatedShare: share,
      treated: four[2]! + four[3]! + missing.treatedMissing,
      control: four[0]! + four[1]! + missing.controlMissing,
    };
    if (logSampleRatioEvidence(arms) >= -Math.log(ALPHA)) alarms.add('ratio');
    if (logMissingEvidence({ ...arms, ...missing }) >= -Math.log(ALPHA)) alarms.add('missing');
  }
  return alarms;
}

function countAlarms(world: World, order: 'publication' | 'arrival', logs: number): Record<Alarm, number> {
  const counts = { lift: 0, ratio: 0, missing: 0 };
  for (let log = 0; log < logs; log++) {
    const problems = draw(world, Random.of('world without an effect', log, world.share));
    for (const alarm of alarmsIn(problems, world.share, order)) counts[alarm]++;
  }
  return counts;
}

/** Most of `logs` that a method which just keeps its promise shows in all but one of a thousand runs; of 2,000 exactly the promise. */
const most = LOGS >= 2000 ? ALPHA * LOGS : ALPHA * LOGS + 3 * Math.sqrt(ALPHA * (1 - ALPHA) * LOGS);

interface World {
  readonly share: number;
  /** Success of either arm at a time from 0 to 1. */
  readonly rate: (time: number) => number;
  /** Problems that are published before a failure of a treated problem is known. */
  readonly lag?: number;
}
