/** A study of controls as rows of text, the same for a terminal and for a page. Pure. */

import type { ControlRow, ControlRowResult, ControlsStudy, LeakTest, TimeToCorrect } from '@seamstream/evaluation';
import { count, plural, points } from '@seamstream/kernel';
import type { Estimate } from '@seamstream/statistics';
import { percent } from '../terminal/text.js';

export const ROW_MEANING: Readonly<Record<ControlRow, string>> = {
  noExperience: 'the executor alone',
  wrapperOnly: "the entry's slot, empty",
  fixedHint: 'one text for all problems of a domain',
  otherProblemsEntry: 'the entry of another problem',
  untrained: "the base model's entry",
  trained: "the adapter's entry",
  answerRemoved: "the adapter's entry without the answer",
  entryAlone: "the adapter's entry, read as an answer",
  generatorAlone: 'the generator solves by itself',
};

export const STUDY_TITLES = [
  'ROW',
  'N',
  'SUCCESS',
  '95 %',
  'RESCUED',
  'BROKEN',
  'LIFT',
  'TRAINED IS AHEAD BY',
  'TOKENS',
  '',
] as const;

const NOTHING = '–';

/** A signed difference of shares in percentage points, with its interval. */
export function inPoints(estimate: Estimate | null): string {
  if (estimate === null) return NOTHING;
  return `${points(estimate.value)} (${estimate.interval95.map(points).join(' … ')})`;
}

/** A share with its interval, as two cells. */
function share(value: number, [low, high]: readonly [number, number], problems: number): readonly string[] {
  if (problems === 0) return [NOTHING, NOTHING];
  return [percent(value), `${(low * 100).toFixed(1)} … ${(high * 100).toFixed(1)}`];
}

function studyRow(row: ControlRow, result: ControlRowResult): string[] {
  const number = (value: number | null): string => (value === null ? NOTHING : count(value));
  return [
    row,
    count(result.problems),
    ...share(result.success, result.interval95, result.problems),
    number(result.rescued),
    number(result.broken),
    inPoints(result.lift),
    inPoints(result.trainedAhead),
    result.responseTokens === null ? NOTHING : result.responseTokens.toFixed(0),
    ROW_MEANING[row],
  ];
}

/** Under {@link STUDY_TITLES}. */
export function studyRows({ rows }: ControlsStudy): string[][] {
  return (Object.entries(rows) as [ControlRow, ControlRowResult][]).map(([row, result]) => studyRow(row, result));
}

/** What the leak test says, in a sentence or two. */
export function leakSentences(leaks: LeakTest | null): string {
  if (leaks === null) return '';
  if (leaks.entries === 0) return 'No problem has an answer that an entry could hold.';
  const { entries, withAnswer, statedByProblem, byChance, solvedWith, solvedWithout } = leaks;
  const chance = byChance === null ? '' : `; by chance, with entries of other problems: ${count(byChance)}`;
  const removed =
    withAnswer === 0 || solvedWith === null || solvedWithout === null
      ? ''
      : ` Of these problems ${count(solvedWith)} are solved with it and ${count(solvedWithout)} with it taken out.`;
  return `${count(withAnswer)} of ${plural(entries, 'entry', 'entries')} hold their problem's answer (${count(statedByProblem)} of them where the problem states it itself${chance}).${removed}`;
}

export const TIME_TITLES = ['', 'SOLVED', '95 %', 'FIRST', 'CANDIDATES', 'TOKENS', 'SECONDS'] as const;

function figure(estimate: Estimate | null, digits: number): string {
  if (estimate === null) return NOTHING;
  const { value, interval95 } = estimate;
  const [low, high] = interval95;
  return `${value.toFixed(digits)} (${low.toFixed(digits)} … ${high.toFixed(digits)})`;
}

/** Under {@link TIME_TITLES}; none where nothing was measured. */
export function timeRows({ timeToCorrect }: ControlsStudy): string[][] {
  return Object.entries<TimeToCorrect>(timeToCorrect ?? {}).map(([who, time]) => [
    who,
    ...share(time.solved, time.solvedInterval95, time.problems),
    time.problems === 0 ? NOTHING : percent(time.firstCorrect[0]),
    figure(time.candidatesTried, 2),
    figure(time.tokens, 0),
    figure(time.seconds, 3),
  ]);
}

export const EXPLANATION =
  "Greedy, in one answer format and budget. SUCCESS with Wilson's interval; RESCUED and BROKEN are problems, against the executor alone; " +
  'LIFT is rescued less broken, in percentage points, bracketed by a paired interval (95 %, Newcombe), as is what TRAINED IS AHEAD BY.';

export const TIME_EXPLANATION =
  'Candidates are tried in turn, entries drawn at temperature 1 and answered greedily (the executor alone draws its answers), until one is right; ' +
  'where none is, all count. TOKENS are those of entries and answers; SECONDS are a share of throughput.';
