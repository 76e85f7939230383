/** The learning curve of a page: what was served and what was tried, round by round, next to levels that do not learn in rounds. */
import { escapeHtml, percent } from './page-pieces.js';
import type { RoundRow } from './report.types.js';

type CurveRound = Pick<RoundRow, 'round' | 'phase' | 'algorithm' | 'validation' | 'promoted' | 'servedValidation'>;

/** A line over rounds, with a gap to be bridged wherever a round has no value. */
interface CurveLine {
  readonly name: string;
  /** A colour of the page's style, by its name. */
  readonly color: string;
  /** By round, in their order. */
  readonly values: readonly (number | null)[];
  /** Marks each value: for a line that few rounds have one of. */
  readonly hasDots?: boolean;
}

/** What has one rate for all rounds: a horizontal line with its name. */
export interface CurveLevel {
  readonly name: string;
  readonly rate: number;
}

export interface LearningCurve {
  /** What the drawing shows, for those who do not see it. */
  readonly label: string;
  readonly rounds: readonly CurveRound[];
  readonly lines: readonly CurveLine[];
  readonly levels?: readonly CurveLevel[];
}

const WIDTH = 860;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 16, top: 16, bottom: 42 };
/** Names of levels stand to the right of the drawing, one below another. */
const LEVELS = { width: 244, height: 13 };

interface Scale {
  readonly x: (round: number) => number;
  readonly y: (rate: number) => number;
  /** Where the drawing ends and names of levels begin. */
  readonly right: number;
}

export function learningCurve(curve: LearningCurve): string {
  const { rounds, lines, levels = [], label } = curve;
  const last = Math.max(2, ...rounds.map((row) => row.round));
  const right = WIDTH - MARGIN.right - (levels.length === 0 ? 0 : LEVELS.width);
  const scale: Scale = {
    x: (round) => MARGIN.left + ((round - 1) / (last - 1)) * (right - MARGIN.left),
    y: (rate) => MARGIN.top + (1 - rate) * (HEIGHT - MARGIN.top - MARGIN.bottom),
    right,
  };
  const drawn = [
    ...[axes(rounds, last, scale), shiftMark(rounds, scale), levelLines(levels, scale), servedSteps(rounds, scale)],
    ...lines.map((line) => drawnLine(line, rounds, scale)),
    candidateMarks(rounds, scale),
  ].join('');
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(label)}">${drawn}</svg><p class="legend">${legend(curve)}</p>`;
}

function axes(rounds: readonly CurveRound[], last: number, { x, y, right }: Scale): string {
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (rate) =>
      `<line x1="${MARGIN.left}" x2="${right}" y1="${y(rate)}" y2="${y(rate)}" class="grid"/><text x="${MARGIN.left - 8}" y="${y(rate) + 4}" text-anchor="end">${rate * 100} %</text>`,
  );
  const step = Math.max(1, Math.ceil(last / 12));
  const ticks = rounds
    .filter((row) => (row.round - 1) % step === 0)
    .map((row) => `<text x="${x(row.round)}" y="${HEIGHT - 22}" text-anchor="middle">${row.round}</text>`);
  const name = `<text x="${(right + MARGIN.left) / 2}" y="${HEIGHT - 5}" text-anchor="middle">round</text>`;
  return [...grid, ...ticks, name].join('');
}

function shiftMark(rounds: readonly CurveRound[], { x, y }: Scale): string {
  const first = rounds.find((row) => row.phase === 'shifted');
  if (first === undefined) return '';
  return `<line x1="${x(first.round)}" x2="${x(first.round)}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" class="shift"/><text x="${x(first.round) + 6}" y="${y(0.5) - 8}">new problems appear</text>`;
}

/** What is served stays so until another one is promoted: steps. */
function servedSteps(rounds: readonly CurveRound[], { x, y }: Scale): string {
  const points = rounds.flatMap((row, index) => {
    const before = rounds[index - 1]?.servedValidation ?? null;
    const now = row.servedValidation;
    if (now === null) return [];
    const at = x(row.round).toFixed(1);
    return [...(before === null ? [] : [`${at},${y(before).toFixed(1)}`]), `${at},${y(now).toFixed(1)}`];
  });
  return points.length === 0 ? '' : `<polyline points="${points.join(' ')}" style="stroke:var(--validation)"/>`;
}

function drawnLine(
  { name, color, values, hasDots = false }: CurveLine,
  rounds: readonly CurveRound[],
  { x, y }: Scale,
): string {
  const points = rounds.flatMap((row, index) => {
    const rate = values[index] ?? null;
    return rate === null ? [] : [{ round: row.round, rate, x: x(row.round).toFixed(1), y: y(rate).toFixed(1) }];
  });
  const dots = points.map(
    (at) =>
      `<circle cx="${at.x}" cy="${at.y}" r="4" style="fill:var(${color})"><title>round ${at.round}: ${percent(at.rate)}, ${escapeHtml(name)}</title></circle>`,
  );
  return `<polyline points="${points.map((at) => `${at.x},${at.y}`).join(' ')}" style="stroke:var(${color})"/>${hasDots ? dots.join('') : ''}`;
}

function candidateMarks(rounds: readonly CurveRound[], { x, y }: Scale): string {
  return rounds
    .flatMap(({ round, algorithm, validation, promoted }) => {
      if (validation === null) return [];
      const outcome = promoted ? 'promoted' : 'rejected';
      return [
        `<circle cx="${x(round)}" cy="${y(validation)}" r="3.2" class="${outcome}"><title>round ${round}: ${escapeHtml(algorithm)} ${outcome}, ${percent(validation)} on validation</title></circle>`,
      ];
    })
    .join('');
}

/** A dashed line for each, and its name to the right, from the best to the worst: names of close levels give way to each other. */
function levelLines(levels: readonly CurveLevel[], { y, right }: Scale): string {
  const best = [...levels].sort((a, b) => b.rate - a.rate);
  const places = namePlaces(best.map(({ rate }) => y(rate)));
  return best
    .map(({ name, rate }, at) => {
      const [from, place] = [y(rate).toFixed(1), places[at]!.toFixed(1)];
      return `<line x1="${MARGIN.left}" x2="${right}" y1="${from}" y2="${from}" class="level"/><line x1="${right}" x2="${right + 14}" y1="${from}" y2="${place}" class="grid"/><text x="${right + 18}" y="${places[at]! + 4}">${escapeHtml(name)} ${percent(rate)}</text>`;
    })
    .join('');
}

/** Heights of names, apart by a line of text at least and within the drawing. @param wanted from the highest to the lowest */
function namePlaces(wanted: readonly number[]): readonly number[] {
  const places: number[] = [];
  for (const height of wanted) places.push(Math.max(height, (places.at(-1) ?? -LEVELS.height) + LEVELS.height));
  let lowest = HEIGHT - MARGIN.bottom;
  for (const at of [...places.keys()].reverse()) {
    places[at] = Math.min(places[at]!, lowest);
    lowest = places[at] - LEVELS.height;
  }
  return places;
}

function legend({ rounds, lines, levels = [] }: LearningCurve): string {
  const key = (name: string, color: string): string =>
    `<span class="key"><i style="background:var(${color})"></i>${escapeHtml(name)}</span>`;
  const isServed = rounds.some((row) => row.servedValidation !== null);
  const candidates =
    '<span class="key"><b class="dot"></b>candidate, promoted</span><span class="key"><b class="dot hollow"></b>candidate, rejected: never served</span>';
  return [
    ...(isServed ? [key('served adapter (validation, greedy)', '--validation')] : []),
    ...lines.map(({ name, color }) => key(name, color)),
    ...(rounds.some((row) => row.validation !== null) ? [candidates] : []),
    ...(levels.length === 0 ? [] : ['<span class="key"><i class="level-key"></i>does not learn in rounds</span>']),
  ].join('');
}
