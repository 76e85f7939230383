/** The report of a demonstration in a world of attributes: `report.json`, its page, and its last words. Rates are fractions of 1. */
import { BASELINES, type Preset, type Split } from '@seamstream/attribute-world';
import type { LeakTest, TimeToCorrect } from '@seamstream/evaluation';
import type { Estimate } from '@seamstream/statistics';
import { ANSWERED_BY, type AnsweredBy, type ExecutorTraining } from '../trained-executor.js';
import { type AttemptsSet, attemptsLine, type ByAttempts, renderByAttempts } from './attempts-part.js';
import { type CurveLevel, type LearningCurve, learningCurve } from './curve-part.js';
import { type Examples, renderExamples } from './example-part.js';
import { type AttributesShift, renderShift, shiftLines, shiftShortcomings } from './late-part.js';
import { escapeHtml, inBrackets, measuredBars, page, percent, table } from './page-pieces.js';
import type { RoundsReport } from './report.types.js';
import { ledgerTable, runFacts } from './run-parts.js';
import { cost, loopTime } from './verdict.js';

export interface AttributesRow {
  /** A control, `trained`, a baseline, or another executor. */
  readonly name: string;
  /** Whether it needs no model. */
  readonly isBaseline: boolean;
  readonly success: number;
  /** Wilson's, at 95 %. */
  readonly interval95: readonly [low: number, high: number];
  readonly perDomain: Readonly<Record<string, number>>;
  /** Of the problems: those that the executor fails alone and solves in this row, and the reverse. Another executor has its own alone. */
  readonly rescued: number;
  readonly broken: number;
  /** Rescued less broken, paired, at 95 %. */
  readonly lift: Estimate | null;
}

/** The row of an executor that was trained itself, and is asked without an entry. */
export const trainedExecutorRow = (by: AnsweredBy): string => `executor trained on ${by}`;
/** The rows of another executor, which the generator never learned with: alone, and with the trained generator's entries. */
export const OTHER_EXECUTOR_ROWS = ['other executor alone', 'other executor with the entries'] as const;

/** An executor, and what it was trained on after the rounds. */
export interface ExecutorRow {
  readonly name: string;
  /** Null where it was not. */
  readonly training: ExecutorTraining | null;
  /** Share of held-out problems that it answers exactly as a plan says that knows nothing of the lore: whether it can still be advised. */
  readonly obeys: number;
}

/** Who tries, and what it takes until an answer is right. */
export interface TimeRow extends Pick<TimeToCorrect, 'solved' | 'candidatesTried' | 'tokens' | 'seconds'> {
  readonly name: string;
  /** Of the share that is solved: Wilson's, at 95 %. */
  readonly interval95: readonly [low: number, high: number];
  /** Share that the first candidate solves. */
  readonly first: number;
  /** Milliseconds until one problem's entry is there where nothing else is asked, in the median; null without entries. */
  readonly entryMs: number | null;
}

export interface TimesToCorrect {
  /** Held-out problems, and candidates that are tried in turn on each. */
  readonly problems: number;
  readonly candidates: number;
  /** Successes that a case is looked up in. */
  readonly cases: number;
  readonly rows: readonly TimeRow[];
}

/** A split, or the late problems of a shift, which are held out too. */
type SetName = Split | 'late';

/** One set of problems that decided nothing. */
export interface AttributesSet {
  readonly split: SetName;
  readonly problems: number;
  readonly problemSetDigest: string;
  /** Of the trained generator's entries, those whose every quote is in their problem; null without any. */
  readonly faithful: number | null;
  /** Whether the trained generator's entries give answers away; null without any. */
  readonly leaks: LeakTest | null;
  readonly rows: readonly AttributesRow[];
}

export interface AttributesReport extends RoundsReport {
  readonly method: 'attributes' | 'familiar-attributes' | 'attribute-pairs';
  readonly preset: Preset;
  readonly sets: readonly AttributesSet[];
  readonly rounds: readonly AttributesRound[];
  /** Of the held-out problems. */
  readonly examples: Examples;
  /** Judged attempts with an entry, from which the baselines learned. */
  readonly attempts: number;
  readonly executors: readonly ExecutorRow[];
  readonly timeToCorrect: TimesToCorrect;
  readonly byAttempts: ByAttempts;
  readonly served: string | null;
  /** Absent where no late attributes came. */
  readonly shift?: AttributesShift;
  /** Whether every claim holds. */
  readonly converged: boolean;
}

interface AttributesRound {
  readonly round: number;
  readonly phase: 'base' | 'shifted';
  /** That the round's run learned by. */
  readonly algorithm: string;
  readonly attempts: number;
  readonly explored: number;
  /** Of the round's entries, those whose every quote is in their problem; null without any. */
  readonly faithful: number | null;
  readonly validation: number | null;
  readonly parentValidation: number | null;
  /** Of the adapter that is served after the round; null while that is the base model. */
  readonly servedValidation: number | null;
  readonly status: 'promoted' | 'rejected' | 'failed';
  readonly reason: string | null;
  /** Problems of the control arm. */
  readonly controls: number;
  /** Of the adapter that the round's run made; null for none. */
  readonly digest: string | null;
  /** Problems on which it was compared with its parent; null where it was not. */
  readonly validationProblems: number | null;
  /** Attempts that this took; null where they were not counted. */
  readonly comparedAttempts: number | null;
}

/** Sets as people read them. */
export const SPLIT_WORDS = {
  train: 'problems to train on',
  development: 'problems to choose settings on',
  validation: 'validation problems',
  heldOut: 'held-out problems',
  newWords: 'new words',
  late: 'late problems',
} as const satisfies Readonly<Record<SetName, string>>;

/**
 * What is claimed, written down before any reporting run (docs/adr/0086-a-world-that-no-table-can-solve.md, 0098 for entries that quote
 * truly, and 0112 for pairs).
 */
const BARS = {
  heldOut: 0.9,
  newWords: 0.85,
  /** Share of faithful entries on either set. */
  faithful: 0.98,
  /** At most what the word table solves of new words in a strange world, and any baseline without a model in a world of pairs. */
  tables: 0.5,
  /** In both: how much more than the executor alone a control may solve. */
  controls: 0.1,
  /** In a familiar world: least lift, and most that entries break. */
  lift: 0.3,
  broken: 0.03,
} as const;
/** What a generator that learned nothing could do as well. */
export const CONTROLS = ['wrapperOnly', 'fixedHint', 'otherProblemsEntry'] as const;

type Facts = Pick<AttributesReport, 'preset' | 'sets' | 'shift'>;

/** A row by its name, where the set was measured. */
export function rowOf({ sets }: Pick<Facts, 'sets'>, split: SetName, name: string): AttributesRow | undefined {
  return sets.find((set) => set.split === split)?.rows.find((row) => row.name === name);
}

/** The claims that do not hold, in words. */
export function shortcomings(facts: Facts): readonly string[] {
  const success = (split: Split, name: string): number => rowOf(facts, split, name)?.success ?? 0;
  const short = [...(facts.shift === undefined ? [] : shiftShortcomings(facts.shift, facts.preset === 'strange'))];
  if (success('heldOut', 'trained') < BARS.heldOut) short.push(`held-out problems below ${percent(BARS.heldOut)}`);
  if (success('newWords', 'trained') < BARS.newWords) short.push(`new words below ${percent(BARS.newWords)}`);
  for (const { split, faithful } of facts.sets)
    if ((faithful ?? 0) < BARS.faithful)
      short.push(`entries faithful on ${SPLIT_WORDS[split]} below ${percent(BARS.faithful)}`);
  if (facts.preset !== 'familiar') {
    for (const name of facts.preset === 'pairs' ? BASELINES : (['word table'] as const))
      if (rowOf(facts, 'newWords', name) === undefined) short.push(`the ${name} was not asked new words`);
      else if (success('newWords', name) > BARS.tables)
        short.push(`the ${name} solves more than ${percent(BARS.tables)} of new words`);
    const most = success('heldOut', 'noExperience') + BARS.controls;
    for (const name of CONTROLS) if (success('heldOut', name) > most) short.push(`${name} helps as well`);
    return short;
  }
  for (const { split } of facts.sets) {
    // Late attributes may have few exceptions from custom: nothing is claimed of lift there.
    if (split === 'late') continue;
    const trained = rowOf(facts, split, 'trained');
    if ((trained?.lift?.value ?? 0) < BARS.lift)
      short.push(`lift on ${SPLIT_WORDS[split]} below ${percent(BARS.lift)}`);
    if ((trained?.broken ?? 1) > BARS.broken)
      short.push(`more than ${percent(BARS.broken)} broken on ${SPLIT_WORDS[split]}`);
  }
  return short;
}

export function holds(facts: Facts): boolean {
  return shortcomings(facts).length === 0;
}

/** What was learned, in one line. */
export function attributesHeadline(report: AttributesReport): string {
  const of = (split: Split, name: string): string => percent(rowOf(report, split, name)?.success ?? 0);
  const figures = `${of('heldOut', 'trained')} of held-out problems and ${of('newWords', 'trained')} of new words (alone ${of('newWords', 'noExperience')}, word table ${of('newWords', 'word table')}, table of quoted attributes ${of('newWords', 'table of quoted attributes')})`;
  return report.converged
    ? `Learned what attributes call for: ${figures}.`
    : `NOT SHOWN: ${shortcomings(report).join(', ')}; ${figures}. ${report.ended}`;
}

/** The end of a run for a terminal. */
export function attributesSummary(report: AttributesReport): string {
  const lifts = report.sets.map(({ split, rows, faithful, leaks }) => {
    const { rescued, broken, lift } = rows.find(({ name }) => name === 'trained')!;
    return `${SPLIT_WORDS[split]}: rescued ${percent(rescued)}, broken ${percent(broken)}, lift ${liftOf(lift)}, faithful entries ${faithful === null ? 'none' : percent(faithful)}, ${leaksOf(leaks)}`;
  });
  return [
    attributesHeadline(report),
    ...lifts,
    ...(report.shift === undefined ? [] : shiftLines(report.shift)),
    baselinesLine(report),
    attemptsLine(report.byAttempts),
    ...executorLines(report),
    timesLine(report.timeToCorrect),
    `${report.attempts} attempts. ${loopTime(report)}`,
    cost(report),
  ].join('\n');
}

/** What needs neither a generator nor the lore. */
function baselinesLine(report: AttributesReport): string {
  const figures = SHOWN_BASELINES.flatMap((name) => {
    const row = rowOf(report, 'newWords', name);
    return row === undefined ? [] : [`${name} ${percent(row.success)}`];
  });
  return `Baselines on new words: ${figures.join(', ')}.`;
}

const SHOWN_BASELINES = [
  ...BASELINES.filter((name) => name !== 'table of triples'),
  ...ANSWERED_BY.map(trainedExecutorRow),
];

function executorLines(report: AttributesReport): readonly string[] {
  const trained = report.executors.flatMap(({ name, training, obeys }) =>
    training === null
      ? []
      : [
          `${name}: ${training.examples} examples, ${training.steps} steps, ${training.seconds.toFixed(0)} s; it obeys ${percent(obeys)} of plans`,
        ],
  );
  const frozen = report.executors.find(({ training }) => training === null);
  const [alone, withEntries] = OTHER_EXECUTOR_ROWS.map((name) => rowOf(report, 'newWords', name)?.success ?? 0);
  return [
    ...(trained.length === 0 ? [] : [`${trained.join('; ')} (frozen ${percent(frozen?.obeys ?? 0)}).`]),
    `Another executor on new words: alone ${percent(alone!)}, with the trained generator's entries ${percent(withEntries!)}.`,
  ];
}

function timesLine({ candidates, rows }: TimesToCorrect): string {
  const figures = rows.map(
    ({ name, solved, candidatesTried, entryMs }) =>
      `${name} ${percent(solved)}${candidatesTried === null ? '' : ` after ${candidatesTried.value.toFixed(2)}`}${entryMs === null ? '' : `, ${entryMs.toFixed(1)} ms an entry`}`,
  );
  return `Right within ${candidates} candidates: ${figures.join('; ')}.`;
}

const liftOf = (lift: Estimate | null): string => (lift === null ? 'not measured' : inBrackets(lift));

const SET_TITLES: Readonly<Record<string, string>> = {
  heldOut: 'Held-out problems',
  newWords: 'New words: names that training never saw',
  late: 'Late problems: attributes that came during the run',
};

/** Whether entries hold the answer to their problem, in words. */
function leaksOf(leaks: LeakTest | null): string {
  if (leaks === null) return 'leaks not tested';
  const { entries, withAnswer, statedByProblem, byChance } = leaks;
  const chance = byChance === null ? '' : `, another problem's entry in ${byChance}`;
  return `the answer is in ${withAnswer} of ${entries} entries (${statedByProblem} where the problem states it too${chance})`;
}

function renderSet({ split, problems, rows, problemSetDigest, faithful, leaks }: AttributesSet): string {
  const domains = Object.keys(rows[0]?.perDomain ?? {});
  const named = ({ name, isBaseline }: AttributesRow): string => (isBaseline ? `${name} (no model)` : name);
  return `<h2>${SET_TITLES[split]}</h2>
${measuredBars(rows.map((row) => ({ name: named(row), rate: row.success, interval95: row.interval95, problems })))}
<div class="wide" tabindex="0">${table(
    ['row', ...domains, 'rescued', 'broken', 'lift, points'],
    rows.map((row) => [
      named(row),
      ...domains.map((domain) => percent(row.perDomain[domain] ?? 0)),
      ...[percent(row.rescued), percent(row.broken), liftOf(row.lift)],
    ]),
  )}</div>
<p class="soft">Problem set ${escapeHtml(problemSetDigest.slice(0, 16))}. Entries that quote truly: ${faithful === null ? 'none to judge' : percent(faithful)}. Leak test: ${escapeHtml(leaksOf(leaks))}. entryAlone reads the trained generator's entry as an answer, and generatorAlone has this generator solve the problem, with the tokens of an entry and of an answer.</p>`;
}

function renderExecutors({ executors, attempts, phases }: AttributesReport): string {
  const whole = (value: number | undefined): string => value?.toFixed(0) ?? '';
  return `<h2>The executor trained instead</h2>
<p>The same frozen base, trained after the rounds on problems that the generator learned from, and asked without an entry. <b>On answers</b>: one verified answer of each problem that was solved in the rounds, which an entry led to. <b>On references</b>: the published answer of every problem. The generator learned from ${attempts} attempts in ${whole(phases.training)} s of training.</p>
<div class="wide" tabindex="0">${table(
    ['executor', 'examples', 'passes', 'steps', 'seconds', 'obeys plans'],
    executors.map(({ name, training, obeys }) => [
      ...[name, whole(training?.examples), whole(training?.epochs), whole(training?.steps)],
      ...[training?.seconds.toFixed(1) ?? '', percent(obeys)],
    ]),
  )}</div>
<p class="soft">Obeys plans: of held-out problems those that it answers as a plan says that knows nothing of the lore. The other executor is another checkpoint, of another size and seed. No generator learned with it. Its rows above are compared with what it solves alone.</p>`;
}

function renderTimes({ problems, candidates, cases, rows }: TimesToCorrect): string {
  const figure = (estimate: Estimate | null, digits: number): string =>
    estimate === null
      ? ''
      : `${estimate.value.toFixed(digits)} (${estimate.interval95.map((each) => each.toFixed(digits)).join(' to ')})`;
  return `<h2>Time to correct</h2>
<div class="wide" tabindex="0">${table(
    ['who tries', 'solved', '95 %', 'first', 'candidates', 'tokens', 'seconds', 'ms an entry'],
    rows.map(({ name, solved, interval95, first, candidatesTried, tokens, seconds, entryMs }) => [
      ...[name, percent(solved), interval95.map(percent).join(' to '), percent(first), figure(candidatesTried, 2)],
      ...[figure(tokens, 0), figure(seconds, 3), entryMs === null ? '' : entryMs.toFixed(1)],
    ]),
  )}</div>
<p class="soft">${problems} held-out problems. At most ${candidates} candidates are tried in turn until one is right: entries at temperature 1, answers of the executor alone at temperature 1, and for the retrieved case the entries of the most similar of ${cases} successes. Seconds are a share of throughput. Milliseconds are the wait for one problem's entry, in the median.</p>`;
}

/** Of the rows of a set, those that do not learn in rounds: their names on a curve. */
function levelsOf(report: AttributesReport, split: AttemptsSet): readonly CurveLevel[] {
  const set = report.sets.find((each) => each.split === split);
  const shown = new Map<string, string>([
    ['noExperience', 'no entry'],
    ['untrained', 'untrained generator'],
    ...ANSWERED_BY.map((by) => [trainedExecutorRow(by), trainedExecutorRow(by)] as const),
  ]);
  return (set?.rows ?? []).flatMap(({ name, isBaseline, success: rate }) => {
    const called = isBaseline ? name : shown.get(name);
    return called === undefined ? [] : [{ name: called, rate }];
  });
}

/** Success by round on one set of unseen problems, with every baseline of the same set. */
function curveOf(report: AttributesReport, split: AttemptsSet): LearningCurve {
  const { rounds, byAttempts } = report;
  const loop = new Map(byAttempts.points.map(({ round, loop: on }) => [round, on[split].success]));
  const isOfRounds = split === 'heldOut';
  return {
    label: `Success rate per round on ${SPLIT_WORDS[split]}, with the baselines`,
    rounds: rounds.map(({ status, validation, servedValidation, ...row }) => ({
      ...{ ...row, promoted: status === 'promoted' },
      // Validation problems are drawn as held-out ones are: no new words.
      ...(isOfRounds ? { validation, servedValidation } : { validation: null, servedValidation: null }),
    })),
    lines: [
      ...(isOfRounds
        ? [{ name: 'explored (sampled)', color: '--explored', values: rounds.map((row) => row.explored) }]
        : []),
      {
        ...{ name: `served adapter on ${SPLIT_WORDS[split]}`, color: '--good', hasDots: true },
        values: rounds.map(({ round }) => loop.get(round) ?? null),
      },
    ],
    levels: levelsOf(report, split),
  };
}

function renderCurves(report: AttributesReport): string {
  const { heldOut, newWords } = report.byAttempts.problems;
  return `<h2>Success by round: held-out problems</h2>
${learningCurve(curveOf(report, 'heldOut'))}
<h2>Success by round: new words</h2>
${learningCurve(curveOf(report, 'newWords'))}
<p class="soft">The served adapter was measured after some rounds, on the first ${heldOut} held-out problems and the first ${newWords} with new words. Dashed lines were measured once, after the rounds, on all problems of the set: their intervals stand below. Tables, cases and trained executors had all attempts of the rounds.</p>`;
}

export function renderAttributesPage(report: AttributesReport): string {
  const { sets, rounds, ledger, settings, executor } = report;
  const share = (value: number | null): string => (value === null ? '' : percent(value));
  return page(
    `Seamstream report, attributes, seed ${report.seed}`,
    `<h1>Seamstream: what attributes call for</h1>
<p class="verdict ${report.converged ? 'good' : 'short'}"><b>${escapeHtml(attributesHeadline(report))}</b></p>
${runFacts(report, `rounds of ${settings.roundSize} problems`, `, which draws the ${report.preset} world;`)}
${renderExamples(report.examples, SPLIT_WORDS.heldOut)}
${renderCurves(report)}
${sets.map(renderSet).join('\n')}
${report.shift === undefined ? '' : renderShift(report.shift)}
<p class="soft">Rows without a model learned from the same ${report.attempts} attempts. The table of triples is given that attributes matter. The table of quoted attributes knows nothing of the world. It counts by the word that an entry quotes, and is a rival of the generator.</p>
${renderByAttempts(report.byAttempts)}
${renderExecutors(report)}
${renderTimes(report.timeToCorrect)}
<h2>Rounds</h2>
<div class="wide" tabindex="0">${table(
      ['round', 'attempts', 'explored', 'faithful', 'validation', "parent's", 'outcome', 'why'],
      rounds.map((row) => [
        ...[row.round, row.attempts, percent(row.explored), share(row.faithful)],
        ...[share(row.validation), share(row.parentValidation), row.status, row.reason ?? ''],
      ]),
    )}</div>
<h2>Ledger</h2>
${ledgerTable(ledger)}
<p class="soft">Executor ${escapeHtml(executor.model)} ${escapeHtml(executor.digest.slice(0, 16))}, ${executor.unchanged ? 'unchanged' : 'CHANGED'}. ${escapeHtml(`${loopTime(report)} ${cost(report)}`)}</p>`,
  );
}
