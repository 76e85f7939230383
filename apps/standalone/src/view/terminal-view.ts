/** The live view: what the terminal shows of the progress. Rendering is pure; the writer below owns the terminal. */
import { onOneLine } from '@seamstream/kernel';
import { endedRuns, exploredOf, type LoopProgress, type RunProgress, rate } from '../round-progress.js';

export interface ViewFacts {
  readonly seed: number;
  readonly elapsedSeconds: number;
  /** What the trainer does right now, e.g. step 3 of 10; null between runs. */
  readonly training: {
    readonly algorithm: string;
    readonly step: number;
    readonly steps: number;
    readonly loss: number | null;
  } | null;
  /** Batches of a model that take long enough to be told of, by service; absent where there are none. */
  readonly work?: readonly WorkFacts[];
  /** A line for what happens outside the loop (loading models, measuring held-out problems). */
  readonly activity: string | null;
}

interface WorkFacts {
  readonly service: string;
  readonly ready: number;
  readonly records: number;
  readonly tokensPerSecond: number | null;
  readonly remainingMs: number | null;
}

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** A row of block characters, one per value in [0, 1]; the newest values when there are more than `width`. */
export function sparkline(values: readonly number[], width: number): string {
  return values
    .slice(-width)
    .map((value) => BLOCKS[Math.min(BLOCKS.length - 1, Math.max(0, Math.floor(value * BLOCKS.length)))])
    .join('');
}

/** A bar of the given width, filled to the fraction. */
export function bar(fraction: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

const percent = (value: number | null): string =>
  value === null ? '     –' : `${(value * 100).toFixed(1).padStart(5)}%`;
const clock = (seconds: number): string =>
  `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

function workLine({ service, ready, records, tokensPerSecond, remainingMs }: WorkFacts): string {
  const speed = tokensPerSecond === null ? '' : `, ${tokensPerSecond.toPrecision(3)} tokens/s`;
  const left = remainingMs === null ? '' : `, about ${clock(remainingMs / 1000)} left`;
  return `  ${service.padEnd(18)} ${ready} of ${records}${speed}${left}`;
}

function runLine(run: RunProgress): string {
  const mark = { running: '…', promoted: '✔', rejected: '✘', failed: '!' }[run.status];
  const digest = run.adapterDigest?.slice(0, 10) ?? '          ';
  return `${mark} ${run.algorithm.padEnd(5)} ${digest}  validation ${percent(run.validation)}  ${run.reason ?? ''}`;
}

/** The lines of the view, none longer than `width` columns. */
export function renderView(progress: LoopProgress, facts: ViewFacts, width: number): readonly string[] {
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  const runs = endedRuns(progress);
  const last = rounds.at(-1);
  const published = rounds.reduce((sum, row) => sum + row.published, 0);
  const validations = runs.flatMap((run) => (run.validation === null ? [] : [run.validation]));
  const explored = rounds.flatMap((row) => rate(exploredOf(row)) ?? []);
  const controls = rounds.reduce(
    (sum, row) => ({ executed: sum.executed + row.control.executed, solved: sum.solved + row.control.solved }),
    { executed: 0, solved: 0 },
  );
  const barWidth = Math.max(10, Math.min(32, width - 40));
  const { training } = facts;
  const lines = [
    `Seamstream  seed ${facts.seed}  ${clock(facts.elapsedSeconds)}  round ${last?.round ?? 0}${last?.phase === 'shifted' ? ', new problems in the stream' : ''}`,
    '',
    `  problems ${published}   experiences ${progress.experiences}   buffer ${progress.buffer.rows} pairs   dead letters ${progress.deadLettered}`,
    '',
    `  no experience      ${percent(rate(controls))}  ${bar(rate(controls) ?? 0, barWidth)}`,
    `  with an experience ${percent(explored.at(-1) ?? null)}  ${bar(explored.at(-1) ?? 0, barWidth)}  sampled`,
    `  validation         ${percent(validations.at(-1) ?? null)}  ${bar(validations.at(-1) ?? 0, barWidth)}  greedy`,
    `  so far             ${sparkline(validations, Math.max(10, width - 24))}`,
    '',
    training === null
      ? `  training           ${facts.activity ?? 'waiting for outcomes'}`
      : `  training ${training.algorithm.padEnd(9)} ${bar(training.steps === 0 ? 0 : training.step / training.steps, barWidth)} step ${training.step}/${training.steps}${training.loss === null ? '' : `, loss ${training.loss.toFixed(3)}`}`,
    ...(facts.work ?? []).map(workLine),
    ...runs.slice(-4).map((run) => `    ${runLine(run)}`),
  ];
  if (progress.lastSolved !== null) {
    const { prompt, entry, response } = progress.lastSolved;
    lines.push(
      '',
      '  solved just now',
      `    problem   ${prompt}`,
      `    entry     ${entry}`,
      `    executor  ${response.trim().replaceAll('\n', ' / ')}`,
    );
  }
  return lines.map((line) => cut(onOneLine(line), width));
}

/** Where the view goes: a terminal that is redrawn in place, or a stream that gets one line per ended run. */
export interface ViewStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Redraws the view on a terminal; elsewhere writes one line per ended training run. */
export class TerminalView {
  private drawnLines = 0;
  private reportedRuns = 0;
  private lastActivity: string | null = null;

  constructor(private readonly stream: ViewStream) {}

  draw(progress: LoopProgress, facts: ViewFacts): void {
    if (this.stream.isTTY === true) {
      const lines = renderView(progress, facts, (this.stream.columns ?? 100) - 1);
      const up = this.drawnLines > 0 ? `\u001b[${this.drawnLines}A` : '';
      this.stream.write(`${up}\u001b[J${lines.join('\n')}\n`);
      this.drawnLines = lines.length;
      return;
    }
    const ended = endedRuns(progress);
    for (const run of ended.slice(this.reportedRuns)) {
      this.reportedRuns++;
      const row = progress.rounds.get(this.reportedRuns);
      this.stream.write(
        `${clock(facts.elapsedSeconds)} round ${this.reportedRuns}: explored${percent(row ? rate(exploredOf(row)) : null)} ${onOneLine(runLine(run))}\n`,
      );
    }
    if (facts.activity !== null && facts.activity !== this.lastActivity)
      this.stream.write(`${clock(facts.elapsedSeconds)} ${facts.activity}\n`);
    this.lastActivity = facts.activity;
  }
}
