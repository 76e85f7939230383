/**
 * The figures of a run as one picture (SVG), drawn from the points that a tracker is given and from nothing else. Four panels by step:
 *
 *   mean reward ± deviation, and its trend │ shares of attempts with a reward, and with a gain
 *   success before and after, in bars      │ rewards of the last step, in ten bins
 */
import type { TrackedRun } from './tracker.port.js';

const [WIDTH, HEIGHT, GAP] = [320, 160, 48];
const BINS = 10;

type Series = ReadonlyMap<number, number>;

/** @returns the document: equal runs give equal pictures; panels without points say so */
export function runPlots({ name, points }: Pick<TrackedRun, 'name' | 'points'>): string {
  const series = (metric: string): Series =>
    new Map(points.filter((point) => point.metric === metric).map(({ step, value }) => [step, value]));
  const histograms = Array.from({ length: BINS }, (_, bin) => series(`reward/histogram_${bin}`));
  const last = Math.max(...histograms.flatMap((each) => [...each.keys()]), 0);
  const bars = [
    ['validation/before_training', '#b0b0b0'],
    ['validation/after_training', '#2b6cb0'],
    ['accuracy/before_update', '#d9c7a0'],
    ['accuracy/after_update', '#b7791f'],
  ] as const;
  const panels = [
    panel('mean reward, with its deviation and trend', rewardLines(series('reward/mean'), series('reward/std'))),
    panel('attempts with a reward (blue), with a gain (brown)', [
      ...line(series('success_rate'), '#2b6cb0'),
      ...line(series('gaining_share'), '#b7791f'),
    ]),
    panel(
      'success before (pale) and after: validation (blue), update (brown)',
      groupedBars(bars.map(([metric, colour]) => ({ values: series(metric), colour }))),
    ),
    panel(
      last === 0 ? 'rewards' : `rewards of step ${last}`,
      histogramBars(histograms.map((each) => each.get(last) ?? 0)),
    ),
  ];
  return picture(name, panels);
}

/** Counts of shares in ten bins as one picture, a panel each, in their order. @returns the document */
export function histogramPlots(
  name: string,
  histograms: readonly { readonly title: string; readonly counts: readonly number[] }[],
): string {
  return picture(
    name,
    histograms.map(({ title, counts }) => panel(title, histogramBars(counts))),
  );
}

function picture(name: string, panels: readonly string[]): string {
  const placed = panels.map((body, index) => {
    const [x, y] = [GAP + (index % 2) * (WIDTH + GAP), GAP + Math.floor(index / 2) * (HEIGHT + GAP)];
    return `<g transform="translate(${x} ${y})">${body}</g>`;
  });
  const rows = Math.ceil(panels.length / 2);
  const [width, height] = [2 * WIDTH + 3 * GAP, rows * HEIGHT + (rows + 1) * GAP];
  const title = `<text x="${GAP}" y="20" font-size="14">${escaped(name)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">\n<rect width="${width}" height="${height}" fill="white"/>\n${title}\n${placed.join('\n')}\n</svg>\n`;
}

function panel(title: string, marks: readonly string[]): string {
  const frame = `<rect width="${WIDTH}" height="${HEIGHT}" fill="none" stroke="#888"/>`;
  const scale = `<text x="-20" y="10">1</text><text x="-20" y="${HEIGHT}">0</text>`;
  const body = marks.length === 0 ? `<text x="10" y="24" fill="#888">no figures</text>` : marks.join('');
  return `<text y="-8">${escaped(title)}</text>${frame}${scale}${body}`;
}

/** From the top; values outside 0 … 1 are at the edge. */
const down = (value: number): number => round(HEIGHT * (1 - Math.min(1, Math.max(0, value))));
const round = (value: number): number => Math.round(value * 100) / 100;

/** Where steps stand from the left: the first and the last a little within the frame. */
function across(steps: readonly number[]): (step: number) => number {
  const [low, high] = [Math.min(...steps), Math.max(...steps)];
  return (step) => round(16 + ((WIDTH - 32) * (step - low)) / Math.max(1, high - low));
}

function line(values: Series, colour: string): string[] {
  if (values.size === 0) return [];
  const place = across([...values.keys()]);
  const places = [...values].map(([step, value]) => ({ x: place(step), y: down(value) }));
  const dots = places.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`);
  const corners = places.map(({ x, y }) => `${x},${y}`).join(' ');
  return [`<polyline points="${corners}" fill="none" stroke="${colour}"/>`, ...dots];
}

function rewardLines(means: Series, deviations: Series): string[] {
  if (means.size === 0) return [];
  const place = across([...means.keys()]);
  const bands = [...means].map(([step, mean]) => {
    const deviation = deviations.get(step) ?? 0;
    const [x, top, bottom] = [place(step), down(mean + deviation), down(mean - deviation)];
    return `<line x1="${x}" x2="${x}" y1="${top}" y2="${bottom}" stroke="#90cdf4" stroke-width="6"/>`;
  });
  const fitted = fittedLine(means);
  const trend = fitted === null ? [] : line(fitted, '#888').slice(0, 1);
  return [...bands, ...trend, ...line(means, '#2b6cb0')];
}

/** The line of least squares at its first and last step; null for fewer than two steps. */
function fittedLine(values: Series): Series | null {
  const steps = [...values.keys()];
  if (steps.length < 2) return null;
  const average = (of: readonly number[]): number => of.reduce((sum, each) => sum + each, 0) / of.length;
  const [x, y] = [average(steps), average([...values.values()])];
  const covariance = [...values].reduce((sum, [step, value]) => sum + (step - x) * (value - y), 0);
  const slope = covariance / steps.reduce((sum, step) => sum + (step - x) ** 2, 0);
  return new Map([Math.min(...steps), Math.max(...steps)].map((step) => [step, y + slope * (step - x)]));
}

function groupedBars(groups: readonly { readonly values: Series; readonly colour: string }[]): string[] {
  const steps = [...new Set(groups.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  const slot = WIDTH / Math.max(1, steps.length);
  const width = round((slot * 0.8) / groups.length);
  return groups.flatMap(({ values, colour }, at) =>
    [...values].map(([step, value]) => bar(steps.indexOf(step) * slot + slot * 0.1 + at * width, width, value, colour)),
  );
}

/** The highest bin fills the panel's height. */
function histogramBars(counts: readonly number[]): string[] {
  const most = Math.max(...counts);
  if (most === 0) return [];
  const width = WIDTH / counts.length;
  return counts.map((count, bin) => bar(bin * width, width - 2, count / most, '#2b6cb0', String(count)));
}

function bar(x: number, width: number, share: number, colour: string, title = share.toFixed(3)): string {
  const top = down(share);
  return `<rect x="${round(x)}" y="${top}" width="${round(width)}" height="${round(HEIGHT - top)}" fill="${colour}"><title>${title}</title></rect>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
