/** Measures entries against all controls, and against baselines without a model, when the rounds in a world of attributes are over. */
import { type Attempt, BASELINES, learnBaseline, type World } from '@seamstream/attribute-world';
import {
  armResult,
  type ControlRow,
  type ControlsStudy,
  type Entry,
  EVALUATION_ARMS,
  measureEntries,
  pairs,
  studyControls,
} from '@seamstream/evaluation';
import { type EventOf, type Problem, TOPIC } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { compareText } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import type { Served } from '@seamstream/rollout';
import { pairedDifference } from '@seamstream/statistics';
import type { Host } from './host-services.js';
import { learnedRounds, type MeasureRunInput, roundsFacts, storedArtefact } from './measure-run.js';
import { ATTRIBUTE_PRESETS } from './methods.js';
import { placeInStream } from './problem-stream.js';
import {
  type AttributesReport,
  type AttributesRow,
  type AttributesSet,
  holds,
  SPLIT_WORDS,
} from './report/attributes-report.js';
import { exploredOf, rate } from './round-progress.js';
import { attributeSet, attributeWorldOf } from './world-files.js';

/** Splits that are reported on, and nothing else. */
const REPORTED = ['heldOut', 'newWords'] as const;

export async function measureAttributesRun(input: MeasureRunInput): Promise<AttributesReport> {
  const { host, progress, run } = input;
  const { method, seed } = run.settings;
  const { served } = progress.adapters;
  const world = attributeWorldOf(method, seed);
  const adapter = await storedArtefact(host, served);
  const attempts = await recordedAttempts(host);
  const sets: AttributesSet[] = [];
  for (const split of REPORTED) sets.push(await measureSet(input, adapter, world, split, attempts));
  const rounds = learnedRounds(progress).map(({ row, end }) => ({
    ...{ round: row.round, explored: rate(exploredOf(row)) ?? 0, ...end },
    attempts: row.byAdapter.executed + row.byBase.executed,
    faithful: rate(row.quoting),
  }));
  const preset = ATTRIBUTE_PRESETS[method]!;
  return {
    ...{ method: method as AttributesReport['method'], preset, sets, rounds, attempts: attempts.length },
    served: served?.adapterDigest ?? null,
    ...(await roundsFacts(input, 'held-out problems of the demonstration')),
    converged: holds({ preset, sets }),
  };
}

async function measureSet(
  { host, heldOut, run, say }: MeasureRunInput,
  adapter: Served | null,
  world: World,
  split: (typeof REPORTED)[number],
  attempts: readonly Attempt[],
): Promise<AttributesSet> {
  const problems = attributeSet(world, split, heldOut);
  const { generator, environment, prompts, schemaFor, entryMaxTokens } = host;
  const onProgress = (row: string, done: number, total: number): void =>
    say(`measuring ${SPLIT_WORDS[split]}: ${row} ${done}/${total}`);
  const study = await studyControls(problems, {
    ...{ generator, environment, prompts, schemaFor, adapter, onProgress },
    ...{ rows: EVALUATION_ARMS, seed: `${split}/${run.settings.seed}`, nowMs: () => performance.now() },
    ...{ maxEntryTokens: entryMaxTokens, maxAloneTokens: entryMaxTokens },
  });
  const rows = EVALUATION_ARMS.flatMap((arm) => (study.rows[arm] === undefined ? [] : [controlRow(arm, study)]));
  for (const name of BASELINES) {
    const advise = learnBaseline(name, attempts);
    rows.push(await baselineRow(name, problems, problems.map(advise), study, { environment, onProgress }));
  }
  const { problemSetDigest, faithful } = study;
  return {
    ...{ split, problems: problems.length, problemSetDigest, rows },
    faithful: faithful === null ? null : faithful.faithful / faithful.quoting,
  };
}

function controlRow(name: ControlRow, study: ControlsStudy): AttributesRow {
  const { success, interval95, perDomain, rescued, broken, lift } = study.rows[name]!;
  const share = (count: number | null): number => (count ?? 0) / study.problems;
  return {
    ...{ name, isBaseline: false, success, interval95, lift },
    ...{ rescued: share(rescued), broken: share(broken) },
    perDomain: Object.fromEntries(Object.entries(perDomain).map(([domain, own]) => [domain, own.success])),
  };
}

/** As the controls are measured: what a baseline says goes to the same executor, in the same slot. */
async function baselineRow(
  name: string,
  problems: readonly Problem[],
  entries: readonly Entry[],
  study: ControlsStudy,
  settings: Pick<Parameters<typeof measureEntries>[3], 'environment' | 'onProgress'>,
): Promise<AttributesRow> {
  const measured = await measureEntries(name, problems, entries, settings);
  const { success, interval95, perDomain } = armResult(problems, measured);
  const both = pairs(measured.solved, study.rows.noExperience!.solved);
  const share = (of: (own: boolean, alone: boolean) => boolean): number =>
    both.filter((pair) => of(...pair)).length / problems.length;
  return {
    ...{ name, isBaseline: true, success, interval95, lift: pairedDifference(both) },
    ...{ rescued: share((own, alone) => own && !alone), broken: share((own, alone) => !own && alone) },
    perDomain: Object.fromEntries(Object.entries(perDomain).map(([domain, own]) => [domain, own.success])),
  };
}

/** Every judged attempt of the rounds that had an entry, in the order of the stream: what the learner had, the baselines have. */
async function recordedAttempts({ drivers }: Host): Promise<readonly Attempt[]> {
  const contents = new ProblemContents(drivers.log);
  const found: (Attempt & { readonly order: readonly [round: number, id: string] })[] = [];
  for await (const { events } of readTopics(drivers.log, [TOPIC.outcomes], { undecodable: 'skip' })) {
    const outcomes = events.flatMap(({ event }) => (event.type === 'OutcomeRecorded' ? [event] : []));
    for (const event of await contents.fill<EventOf<'OutcomeRecorded'>>(outcomes)) {
      const { problem, entry, success, experienceId } = event;
      const place = placeInStream(problem);
      if (entry === null || place === null || typeof problem.prompt !== 'string') continue;
      const { domain, prompt } = problem;
      found.push({ problem: { domain, prompt }, entry, success, order: [place.round, experienceId] });
    }
  }
  return found.sort(({ order: [a, one] }, { order: [b, other] }) => a - b || compareText(one, other));
}
