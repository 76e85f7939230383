/**
 * Chaos: services and servers are killed at random moments while problems arrive, and what is left is compared with a run
 * of the same rounds without disturbance.
 *
 * What is compared is content: every experience, outcome, admission and rejection by id and by all that it states but times,
 * the rows of every version of the buffer, the adapters. Manifests and runs name offsets; on Kafka these follow from how
 * transactions were cut, so they are compared on the embedded log only, where they do not.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { KafkaOptions } from '@seamstream/dev-servers';
import { canonicalJson, Random, sha256 } from '@seamstream/kernel';
import { deploy } from './deployment.js';
import { type RecordedRun, repeatedIds } from './recorded-run.js';
import { SERVICES, type ServiceName, type ServiceProcessesOptions } from './service-processes.js';
import { playToyRun, type Scene, type ToyRun } from './toy-run.js';
import { TOY_ROUND, type ToyWorld, toyEnvironment } from './toy-world.js';

export interface ChaosOptions {
  readonly kills: number;
  readonly log: 'lmdb' | 'kafka';
  readonly objects: 'fs' | 's3';
  readonly kafka?: KafkaOptions;
  /** Which moments and victims. */
  readonly seed: string;
  /** At least so many are published; more when the kills take longer. */
  readonly problems: number;
  /** Mean time between two kills. */
  readonly everyMs: number;
  /** Of the disturbed run: for mutants of the services. */
  readonly processes?: ServiceProcessesOptions;
  readonly onProgress?: (line: string) => void;
}

export interface ChaosReport {
  readonly kills: number;
  readonly published: number;
  /** Published problems without an end. */
  readonly unaccounted: number;
  /** Experiences, outcomes and admissions that the log has more than once. */
  readonly duplicates: number;
  readonly ledger: RecordedRun['ledger'];
  readonly bufferDigestEqual: boolean;
  readonly adapterDigestEqual: boolean;
  /** Whether both runs state the same facts under the same ids. */
  readonly factsEqual: boolean;
  /** What is not equal, in words. */
  readonly differences: readonly string[];
  readonly bufferVersions: number;
  readonly adapters: number;
  readonly deadLetters: number;
  readonly killsByVictim: Readonly<Record<string, number>>;
  /** Processes that ended by themselves and were started again. */
  readonly exits: number;
  /** 95th percentile of the time from start to being at work. */
  readonly restartSecondsP95: number;
  readonly undisturbedSeconds: number;
  readonly seconds: number;
}

/** Whether everything holds that must. */
export function holds(report: ChaosReport): boolean {
  const { unaccounted, duplicates, ledger, bufferDigestEqual, adapterDigestEqual, factsEqual, deadLetters } = report;
  return (
    unaccounted === 0 &&
    duplicates === 0 &&
    ledger.balanced &&
    bufferDigestEqual &&
    adapterDigestEqual &&
    factsEqual &&
    deadLetters === 0
  );
}

/** Of a round in which services die all the time, on a busy machine. */
const ROUND_TIMEOUT_MS = 300_000;

/** How often a service is chosen for one time that a server is: a broker takes seconds to come back. */
const SERVICE_WEIGHT = 9;
const SERVER_WEIGHT = 4;

/** One kill in so many may come before its victim is at work: a process may die while it starts, but not every time. */
const EARLY_KILLS = 4;

/** Kills one after the other; victims and pauses follow from the seed. Resolves when all are made and all servers are back. */
async function killAtRandom(
  { services, deployment: { servers } }: Scene,
  { kills, seed, everyMs }: Pick<ChaosOptions, 'kills' | 'seed' | 'everyMs'>,
  signal: AbortSignal,
  onKill: (victim: string) => void,
): Promise<void> {
  const random = Random.of('kills', seed);
  const victims = [
    ...SERVICES.flatMap((name) => Array<string>(SERVICE_WEIGHT).fill(name)),
    ...servers.flatMap(({ name }) => Array<string>(SERVER_WEIGHT).fill(name)),
  ];
  let down: { readonly name: string; readonly back: Promise<void> } | undefined;
  const isOver = (): boolean => signal.aborted;
  for (let kill = 0; kill < kills && !isOver(); kill++) {
    await pause(everyMs * (0.25 + 1.5 * random.float()));
    const victim = random.pick(victims);
    const server = servers.find(({ name }) => name === victim);
    if (server === undefined) {
      const name = victim as ServiceName;
      const mayBeEarly = random.int(EARLY_KILLS) === 0;
      while (!mayBeEarly && !services.isAtWork(name) && !isOver()) await pause(20);
      await services.killAndRestart(name);
    } else {
      // One server at a time: of three brokers two must be there.
      await down?.back;
      await server.kill('SIGKILL');
      const downMs = random.int(500);
      down = { name: victim, back: pause(downMs).then(() => server.restart()) };
      down.back.catch(() => undefined); // its caller awaits it
    }
    onKill(victim);
  }
  await down?.back;
}

const contentOf = (run: RecordedRun): string =>
  sha256(
    canonicalJson([run.experiences, run.outcomes, run.admissions, run.rejections].map((facts) => [...facts].sort())),
  );

const BY_CONTENT = ['bufferDigests', 'adapterDigests'] as const;
const BY_OFFSETS = [...BY_CONTENT, 'buffers', 'adapters', 'ends'] as const;

/** In words, what one run states that the other does not; of what names offsets, only where these are the same. */
function differencesOf(disturbed: RecordedRun, undisturbed: RecordedRun, log: 'lmdb' | 'kafka'): string[] {
  const facts = (['experiences', 'outcomes', 'admissions', 'rejections'] as const).flatMap((kind) => {
    const [ours, theirs] = [new Set(disturbed[kind]), new Set(undisturbed[kind])];
    const only = disturbed[kind].filter((fact) => !theirs.has(fact));
    const missing = undisturbed[kind].filter((fact) => !ours.has(fact));
    if (only.length + missing.length === 0) return [];
    return [
      `${kind}: ${only.length} in the disturbed run only (${only[0]}), ${missing.length} missing (${missing[0]})`,
    ];
  });
  const lists = (log === 'lmdb' ? BY_OFFSETS : BY_CONTENT).flatMap((kind) => {
    const at = undisturbed[kind].findIndex((value, index) => value !== disturbed[kind][index]);
    const isLonger = disturbed[kind].length > undisturbed[kind].length;
    return at < 0 && !isLonger
      ? []
      : [
          `${kind}: of ${undisturbed[kind].length}, the disturbed run has ${disturbed[kind].length}; first other one at ${at}`,
        ];
  });
  return [...facts, ...lists];
}

/** Compares a disturbed run with its undisturbed twin. */
export function compareRuns(
  disturbed: ToyRun,
  undisturbed: ToyRun,
  facts: { readonly log: 'lmdb' | 'kafka'; readonly killsByVictim: Readonly<Record<string, number>> },
): ChaosReport {
  const published = disturbed.rounds * TOY_ROUND;
  const { ledger } = disturbed;
  const buffers = (run: RecordedRun): readonly string[] => (facts.log === 'lmdb' ? run.buffers : run.bufferDigests);
  const adapters = (run: RecordedRun): readonly string[] => (facts.log === 'lmdb' ? run.adapters : run.adapterDigests);
  const times = disturbed.startTimes.toSorted((a, b) => a - b);
  return {
    kills: Object.values(facts.killsByVictim).reduce((sum, count) => sum + count, 0),
    published,
    unaccounted: published - (ledger.solved + ledger.failed + ledger.ungraded + ledger.expired + ledger.deadLettered),
    duplicates: [disturbed.experiences, disturbed.outcomes, disturbed.admissions].reduce(
      (sum, each) => sum + repeatedIds(each).length,
      0,
    ),
    ledger,
    bufferDigestEqual: canonicalJson(buffers(disturbed)) === canonicalJson(buffers(undisturbed)),
    adapterDigestEqual: canonicalJson(adapters(disturbed)) === canonicalJson(adapters(undisturbed)),
    factsEqual: contentOf(disturbed) === contentOf(undisturbed),
    differences: differencesOf(disturbed, undisturbed, facts.log),
    bufferVersions: disturbed.buffers.length,
    adapters: disturbed.adapters.length,
    deadLetters: disturbed.deadLetters,
    killsByVictim: facts.killsByVictim,
    exits: disturbed.exits.length,
    restartSecondsP95: (times[Math.floor(times.length * 0.95)] ?? 0) / 1000,
    undisturbedSeconds: undisturbed.seconds,
    seconds: disturbed.seconds,
  };
}

/** The disturbed run, then the undisturbed one of as many rounds. */
export async function runChaos(world: ToyWorld, options: ChaosOptions): Promise<ChaosReport> {
  const { log, objects, kafka, problems, onProgress = () => undefined } = options;
  const killsByVictim: Record<string, number> = {};
  const play = async (
    name: string,
    run: Pick<Parameters<typeof playToyRun>[0], 'goesOn' | 'disturb' | 'processes'>,
  ): Promise<ToyRun> => {
    const folder = await mkdtemp(join(tmpdir(), `seam-chaos-${name}-`));
    const deployment = await deploy({
      folder,
      log,
      objects,
      ...(kafka === undefined ? {} : { kafka }),
      environment: toyEnvironment(world, folder),
    });
    try {
      const onRound = (round: number): void => onProgress(`${name}: round ${round} is over`);
      return await playToyRun({ deployment, onRound, roundTimeoutMs: ROUND_TIMEOUT_MS, ...run });
    } finally {
      await deployment.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
  let kills = 0;
  let isOver = false;
  const disturbed = await play('disturbed', {
    processes: { supervised: true, ...options.processes },
    goesOn: (round) => !isOver || (round - 1) * TOY_ROUND < problems,
    disturb: async (scene, signal) => {
      try {
        await killAtRandom(scene, options, signal, (victim) => {
          killsByVictim[victim] = (killsByVictim[victim] ?? 0) + 1;
          if (++kills % 10 === 0)
            onProgress(`disturbed: ${kills} of ${options.kills} kills, in round ${scene.round()}`);
        });
      } finally {
        isOver = true;
      }
    },
  });
  if (kills < options.kills) throw new Error(`the run ended after ${kills} of ${options.kills} kills`);
  const undisturbed = await play('undisturbed', { goesOn: (round) => round <= disturbed.rounds });
  return compareRuns(disturbed, undisturbed, { log, killsByVictim });
}
