/**
 * The controls without which an experience's success means nothing, measured on one set of problems that
 * no training saw: what the executor does alone, with a wrapper, with any text, with another problem's entry, with an untrained
 * generator's; whether entries give answers away; and whether the generator would have solved the problem itself for the
 * same tokens. Everything is greedy, in one answer format and one budget; intervals of differences are paired.
 */
import { type Environment, PromptInjection } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { answersOf, hasFindableAnswer, holdsAnswer, withoutAnswer } from '@seamstream/experience';
import { LanguageModelExecutor } from '@seamstream/model-clients';
import type { GeneratorModel, Judgement, Unjudged } from '@seamstream/rollout';
import { weightsOf } from '@seamstream/rollout';
import { type Estimate, mean, pairedDifference } from '@seamstream/statistics';
import {
  armEntries,
  assertCanJudge,
  type Entry,
  EVALUATION_ARMS,
  type EvaluationArm,
  type EvaluationSettings,
  statementsOf,
  unwritten,
} from './arm-entries.js';
import {
  type ArmResult,
  armResult,
  judgeOf,
  type Measured,
  measureEntries,
  pairs,
  problemSetDigest,
} from './evaluate.js';
import { type FaithfulShare, faithfulShare } from './faithful-share.js';
import { unasked } from './predictions.js';
import { type TimeToCorrect, timeToCorrect } from './time-to-correct.js';

/** The arms of an evaluation; the trained generator's entries with the answer taken out, and judged as if they were answers; the generator as its own executor. */
export const CONTROL_ROWS = [...EVALUATION_ARMS, 'answerRemoved', 'entryAlone', 'generatorAlone'] as const;
export type ControlRow = (typeof CONTROL_ROWS)[number];

export interface ControlsStudySettings extends Omit<EvaluationSettings, 'arms' | 'onProgress'> {
  readonly rows: readonly ControlRow[];
  /** Most tokens of the generator where it solves by itself: those of an entry and of a response together. */
  readonly maxAloneTokens: number;
  /** Also measures the time to the first correct of so many candidates; absent: not. */
  readonly candidates?: number;
  /** Milliseconds of a steady clock. */
  readonly nowMs: () => number;
  onProgress?(what: string, done: number, total: number): void;
}

export interface ControlRowResult extends ArmResult {
  /** Problems that the executor alone fails and this row solves; null where no problem was judged in both, as without the row `noExperience`. */
  readonly rescued: number | null;
  /** Problems that the executor alone solves and this row fails. */
  readonly broken: number | null;
  /** Rescued less broken, as a share of the problems that both judged: Newcombe's paired interval. Null as they are. */
  readonly lift: Estimate | null;
  /** Success of `trained` less that of this row, paired; null for itself, without it, and where no problem was judged in both. */
  readonly trainedAhead: Estimate | null;
  /** Mean tokens of a response; null without any answer. */
  readonly responseTokens: number | null;
}

/** Of entries by the adapter, written greedily, for problems with an answer that can be looked for. */
export interface LeakTest {
  readonly entries: number;
  /** Entries that hold their problem's answer. */
  readonly withAnswer: number;
  /** Of these, problems that state the answer themselves, among their numbers or words. */
  readonly statedByProblem: number;
  /** Entries that hold the answer of another problem, exchanged at random: what chance alone gives. Null without the row `otherProblemsEntry`. */
  readonly byChance: number | null;
  /** Solved of the problems whose entries hold the answer, with it and with it taken out; null without these rows. */
  readonly solvedWith: number | null;
  readonly solvedWithout: number | null;
}

export interface ControlsStudy {
  readonly problemSetDigest: string;
  readonly problems: number;
  readonly rows: Readonly<Partial<Record<ControlRow, ControlRowResult>>>;
  readonly leaks: LeakTest | null;
  /** Of the adapter's entries, written greedily; null where none were, and where no schema names quotes. */
  readonly faithful: FaithfulShare | null;
  readonly timeToCorrect: Readonly<Partial<Record<'executorAlone' | 'untrained' | 'trained', TimeToCorrect>>> | null;
}

/** Where the executor tries alone it has to draw, for its greedy answer is always the same. */
const ALONE = { temperature: 1, topP: 1 } as const;

const NEEDS_ENTRIES: ReadonlySet<ControlRow> = new Set([
  'trained',
  'otherProblemsEntry',
  'answerRemoved',
  'entryAlone',
]);

/** Measures the rows that are asked for, in the order of CONTROL_ROWS. @throws as `evaluate` */
export async function studyControls(
  problems: readonly Problem[],
  settings: ControlsStudySettings,
): Promise<ControlsStudy> {
  assertCanJudge(problems, settings);
  const rows = CONTROL_ROWS.filter((row) => settings.rows.includes(row));
  const arms = EVALUATION_ARMS.filter((arm) => rows.includes(arm));
  const entriesOfArm = await armEntries(statementsOf(problems), {
    ...settings,
    arms: rows.some((row) => NEEDS_ENTRIES.has(row)) ? [...arms, 'trained'] : arms,
  });
  const entries = new Map<EvaluationArm, readonly Entry[]>();
  const entriesOf = async (arm: EvaluationArm): Promise<readonly Entry[]> => {
    const known = entries.get(arm) ?? (await entriesOfArm(arm));
    entries.set(arm, known);
    return known;
  };
  const measured = new Map<ControlRow, Measured>();
  for (const row of rows) measured.set(row, await measure(row, problems, entriesOf, settings));
  const result = (row: ControlRow): ControlRowResult => rowResult(row, problems, measured);
  const own = entries.get('trained');
  return {
    problemSetDigest: problemSetDigest(problems),
    problems: problems.length,
    rows: Object.fromEntries(rows.map((row) => [row, result(row)])),
    faithful: own === undefined ? null : faithfulShare(problems, own, (domain) => settings.schemaFor(domain)),
    leaks: own === undefined ? null : leakTest(problems, own, entries.get('otherProblemsEntry'), measured),
    timeToCorrect:
      settings.candidates === undefined ? null : await timesToCorrect(problems, settings.candidates, settings),
  };
}

async function measure(
  row: ControlRow,
  problems: readonly Problem[],
  entriesOf: (arm: EvaluationArm) => Promise<readonly Entry[]>,
  settings: ControlsStudySettings,
): Promise<Measured> {
  switch (row) {
    case 'answerRemoved': {
      const own = await entriesOf('trained');
      return measureEntries(
        row,
        problems,
        own.map((entry, i) => (typeof entry === 'string' ? withoutAnswer(entry, problems[i]!) : entry)),
        settings,
      );
    }
    case 'entryAlone': {
      const own = await entriesOf('trained');
      const alone = await Promise.all(own.map((entry, i) => answersByItself(entry, problems[i]!, settings)));
      const solved = alone.map((each) => each?.success ?? null);
      const judgedBy = alone.map((each) => each?.judgedBy ?? null);
      settings.onProgress?.(row, problems.length, problems.length);
      const unjudged = unwritten(own).map((reason, i) => reason ?? (solved[i] === null ? NO_TEXT_TO_FIND : null));
      for (const [i, reason] of unjudged.entries()) {
        const entry = typeof own[i] === 'string' ? own[i] : null;
        // The entry is judged as if it were an answer: no executor is asked.
        const said = { success: solved[i]!, judgedBy: judgedBy[i]!, unjudged: reason };
        settings.onPrediction?.({ ...unasked(row, i, NO_TEXT_TO_FIND, entry), ...said });
      }
      const noTokens = problems.map(() => null);
      return { solved, promptTokens: noTokens, responseTokens: noTokens, unjudged, judgedBy };
    }
    case 'generatorAlone':
      return measureEntries(
        row,
        problems,
        problems.map(() => null),
        { ...settings, environment: generatorAlone(settings) },
      );
    default:
      return measureEntries(row, problems, await entriesOf(row), settings);
  }
}

const NO_TEXT_TO_FIND: Unjudged = {
  code: 'INVALID_INPUT',
  reason: 'Its reference is no answer that an entry could hold word for word.',
};

/** Null where there is no entry, or no answer that a text may hold (code, a service's verdict). */
async function answersByItself(
  entry: Entry,
  problem: Problem,
  { verifiers }: ControlsStudySettings,
): Promise<Pick<Judgement, 'success' | 'judgedBy'> | null> {
  if (typeof entry !== 'string' || !hasFindableAnswer(problem)) return null;
  let last: Pick<Judgement, 'success' | 'judgedBy'> = { success: false };
  for (const text of answersOf(entry)) {
    last = await judgeOf('entryAlone', problem, { text, finished: true }, verifiers);
    if (last.success) break;
  }
  return last;
}

/** The generator with its adapter, asked without an entry in the executor's template, with the tokens of both. */
function generatorAlone({ generator, adapter, prompts, maxAloneTokens }: ControlsStudySettings): Environment {
  const weights = weightsOf(adapter);
  const adapted: GeneratorModel = {
    digest: generator.digest,
    config: generator.config,
    tokenizer: generator.tokenizer,
    generate: (requests, options) =>
      generator.generate(requests, { ...options, ...(weights === null ? {} : { adapter: weights }) }),
  };
  const executor = new LanguageModelExecutor(adapted, { name: 'generator', maxTokens: maxAloneTokens });
  return new PromptInjection(executor, prompts);
}

function rowResult(
  row: ControlRow,
  problems: readonly Problem[],
  measured: ReadonlyMap<ControlRow, Measured>,
): ControlRowResult {
  const own = measured.get(row)!;
  const { solved, responseTokens } = own;
  const alone = measured.get('noExperience')?.solved;
  const trained = measured.get('trained')?.solved;
  const told = responseTokens.filter((tokens) => tokens !== null);
  const withAndWithout = alone === undefined ? [] : pairs(solved, alone);
  const count = (of: (own: boolean, without: boolean) => boolean): number | null =>
    withAndWithout.length === 0 ? null : withAndWithout.filter((pair) => of(...pair)).length;
  return {
    ...armResult(problems, own),
    rescued: count((own, without) => own && !without),
    broken: count((own, without) => !own && without),
    lift: row === 'noExperience' ? againstItself(withAndWithout) : pairedDifference(withAndWithout),
    trainedAhead: trained === undefined || row === 'trained' ? null : pairedDifference(pairs(trained, solved)),
    responseTokens: told.length === 0 ? null : mean(told),
  };
}

/** Against itself: the same answers, so nothing is left to chance. */
function againstItself(judged: ReturnType<typeof pairs>): Estimate | null {
  return judged.length === 0 ? null : { value: 0, interval95: [0, 0] };
}

function textOf(entry: Entry | undefined): string {
  return typeof entry === 'string' ? entry : '';
}

function leakTest(
  problems: readonly Problem[],
  own: readonly Entry[],
  others: readonly Entry[] | undefined,
  measured: ReadonlyMap<ControlRow, Measured>,
): LeakTest {
  const asked = [...problems.keys()].filter((i) => typeof own[i] === 'string' && hasFindableAnswer(problems[i]!));
  const leaking = asked.filter((i) => holdsAnswer(textOf(own[i]), problems[i]!));
  const solvedIn = (row: ControlRow): number | null => {
    const solved = measured.get(row)?.solved;
    return solved === undefined ? null : leaking.filter((i) => solved[i] === true).length;
  };
  return {
    entries: asked.length,
    withAnswer: leaking.length,
    statedByProblem: leaking.filter((i) => holdsAnswer(problems[i]!.prompt, problems[i]!)).length,
    byChance: others === undefined ? null : asked.filter((i) => holdsAnswer(textOf(others[i]), problems[i]!)).length,
    solvedWith: solvedIn('trained'),
    solvedWithout: solvedIn('answerRemoved'),
  };
}

async function timesToCorrect(
  problems: readonly Problem[],
  candidates: number,
  settings: ControlsStudySettings,
): Promise<NonNullable<ControlsStudy['timeToCorrect']>> {
  const until = (what: string): Parameters<typeof timeToCorrect>[2] => ({
    ...settings,
    candidates,
    onProgress: (candidate, done, total) => settings.onProgress?.(`${what}, candidate ${candidate + 1}`, done, total),
  });
  const { adapter, environment } = settings;
  return {
    ...(environment.drawn(ALONE) === null
      ? {}
      : { executorAlone: await timeToCorrect(problems, { kind: 'alone', drawing: ALONE }, until('executor alone')) }),
    untrained: await timeToCorrect(problems, { kind: 'entries', adapter: null }, until('untrained')),
    trained: await timeToCorrect(problems, { kind: 'entries', adapter }, until('trained')),
  };
}
