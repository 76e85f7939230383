/** The live view: what the terminal shows of the log. Rendering is pure; the writer below owns the terminal. */
import { onOneLine } from '@seamstream/kernel';
import type { Ledger } from '@seamstream/read-models';
import { comparisonOf, comparisonText } from '@seamstream/release';
import { wilsonInterval } from '@seamstream/statistics';
import {
  endedRuns,
  exploredOf,
  type LoopProgress,
  newestOf,
  type RoundProgress,
  type RunProgress,
  rate,
  servedRun,
} from '../round-progress.js';
import { columnsOf, cut } from './columns.js';

export interface ViewFacts {
  /** What the first line names: "seed 1", or the file whose problems are learned from. */
  readonly source: string;
  /** What became of the published problems, from every publisher. */
  readonly ledger: Pick<Ledger, 'published' | 'solved' | 'failed' | 'expired' | 'inFlight' | 'deadLetterRecords'>;
  /** Time that processes worked on the loop. */
  readonly workedSeconds: number;
  /** What the trainer does right now, e.g. step 3 of 10; null between runs. */
  readonly training: {
    readonly algorithm: string;
    readonly step: number;
    readonly steps: number;
    readonly loss: number | null;
  } | null;
  /** Batches of a model that take long enough to be shown, by service; absent where there are none. */
  readonly work?: readonly WorkFacts[];
  /** A line for what happens outside the loop (loading models, measuring held-out problems). */
  readonly activity: string | null;
  /** How the loop ended and where its report lies; stays in sight. */
  readonly result?: readonly string[];
  /** What an operator should know all the time: models that cannot solve these problems, a service that complained. */
  readonly remarks?: readonly string[];
  /** Where a browser and OpenAI's clients find this process; absent where the gateway is not hosted. */
  readonly gatewayUrl?: string | undefined;
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

function workLine({ service, ready, records, tokensPerSecond, remainingMs }: WorkFacts): string {
  const speed = tokensPerSecond === null ? '' : `, ${tokensPerSecond.toPrecision(3)} tokens/s`;
  const left = remainingMs === null ? '' : `, about ${clock(remainingMs / 1000)} left`;
  return `  ${service.padEnd(18)} ${ready} of ${records}${speed}${left}`;
}

/** "of 192 (95.5–99.5)": on how many problems a rate rests, and Wilson's interval at 95 %. Empty where nothing was asked. */
function restsOn(success: number | null, problems: number | null): string {
  if (success === null || problems === null || problems === 0) return '';
  const [low, high] = wilsonInterval(Math.round(success * problems), problems);
  return ` of ${problems} (${(low * 100).toFixed(1)}–${(high * 100).toFixed(1)})`;
}

function runLine(run: RunProgress): string {
  const mark = { running: '…', promoted: '✔', rejected: '✘', failed: '!' }[run.status];
  const digest = run.adapterDigest?.slice(0, 10) ?? '          ';
  const comparison = comparisonOf(run, run.level);
  const parent = run.parentValidation === null ? '' : `, parent ${percent(run.parentValidation).trim()}`;
  return `${mark} ${run.algorithm.padEnd(5)} ${digest}  validation ${percent(run.validation)}${restsOn(run.validation, run.validationProblems)}${parent}  ${comparison === null ? (run.reason ?? '') : comparisonText(comparison)}`;
}

/** A line, and how soon it gives way on a terminal with few rows: the highest number first. */
interface ViewLine {
  readonly text: string;
  readonly yields: number;
}

/**
 * The lines of the view: none takes more than `width` columns, and there are at most `rows`. Where rows are few, decoration and older things
 * give way to what happens now.
 */
export function renderView(
  progress: LoopProgress,
  facts: ViewFacts,
  width: number,
  rows = Number.POSITIVE_INFINITY,
): readonly string[] {
  const lines = allLines(progress, facts, width);
  while (lines.length > Math.max(1, rows)) {
    const most = Math.max(...lines.map(({ yields }) => yields));
    lines.splice(
      lines.findLastIndex(({ yields }) => yields === most),
      1,
    );
  }
  return lines.map(({ text: line }) => cut(onOneLine(line), width));
}

/** @param yields see {@link ViewLine} */
const line = (yields: number, text: string): ViewLine => ({ text, yields });

function allLines(progress: LoopProgress, facts: ViewFacts, width: number): ViewLine[] {
  const barWidth = Math.max(6, Math.min(32, width - 44));
  return [
    ...headLines(progress, facts),
    line(9, ''),
    ...countLines(progress, facts),
    line(9, ''),
    ...rateLines(progress, barWidth),
    ...adapterLines(progress, Math.max(6, width - 24)),
    line(9, ''),
    ...trainingLines(progress, facts, barWidth),
    ...solvedLines(progress),
  ];
}

const roundsOf = ({ rounds }: LoopProgress): readonly RoundProgress[] =>
  [...rounds.values()].sort((a, b) => a.round - b.round);

function headLines(progress: LoopProgress, facts: ViewFacts): ViewLine[] {
  const last = roundsOf(progress).at(-1);
  const round =
    last === undefined ? '' : `  round ${last.round}${last.phase === 'shifted' ? ', new problems in the stream' : ''}`;
  return [
    line(0, `Seamstream  ${facts.source}  ${clock(facts.workedSeconds)}${round}`),
    ...(facts.gatewayUrl === undefined ? [] : [line(3, `  open               ${facts.gatewayUrl}`)]),
    ...(facts.result ?? []).map((text) => line(1, `  ${text}`)),
    ...(facts.remarks ?? []).map((text) => line(4, `  ! ${text}`)),
  ];
}

function countLines({ experiences, buffer }: LoopProgress, { ledger }: ViewFacts): ViewLine[] {
  const expired = ledger.expired === 0 ? '' : `, ${ledger.expired} expired`;
  return [
    line(
      2,
      `  problems ${ledger.published}: ${ledger.solved} solved, ${ledger.failed} failed${expired}, ${ledger.inFlight} in flight`,
    ),
    line(3, `  experiences ${experiences}   buffer ${buffer.rows} pairs   dead letters ${ledger.deadLetterRecords}`),
  ];
}

function rateLines(progress: LoopProgress, barWidth: number): ViewLine[] {
  const { validation = null, validationProblems = null } = servedRun(progress) ?? {};
  const quoting = roundsOf(progress).findLast((row) => row.quoting.executed > 0)?.quoting;
  const rateLine = (yields: number, name: string, value: number | null, over: string): ViewLine =>
    line(yields, `  ${name.padEnd(18)} ${percent(value)}  ${bar(value ?? 0, barWidth)}${over}`);
  return [
    rateLine(2, 'no experience', rate(progress.control), ` of ${progress.control.executed}`),
    rateLine(2, 'with an experience', rate(newestOf(progress)), ' sampled'),
    rateLine(2, 'validation', validation, restsOn(validation, validationProblems)),
    ...(quoting === undefined ? [] : [rateLine(4, 'faithful entries', rate(quoting), ` of ${quoting.executed}`)]),
  ];
}

/** @param most how many candidates are drawn */
function adapterLines(progress: LoopProgress, most: number): ViewLine[] {
  const candidates = endedRuns(progress).flatMap((run) => (run.validation === null ? [] : [run]));
  const marks = candidates.slice(-most).map(({ status }) => (status === 'promoted' ? '✔' : '✘'));
  const rates = candidates.map(({ validation }) => validation!);
  return [
    line(3, `  served             ${progress.adapters.served?.adapterDigest.slice(0, 10) ?? 'the base model'}`),
    line(7, `  candidates         ${sparkline(rates, most)}`),
    line(8, `                     ${marks.join('')}`),
  ];
}

function trainingLines(progress: LoopProgress, { training, activity, work }: ViewFacts, barWidth: number): ViewLine[] {
  return [
    line(
      1,
      training === null
        ? `  training           ${activity ?? 'waiting for outcomes'}`
        : `  training ${training.algorithm.padEnd(9)} ${bar(training.steps === 0 ? 0 : training.step / training.steps, barWidth)} step ${training.step}/${training.steps}${training.loss === null ? '' : `, loss ${training.loss.toFixed(3)}`}`,
    ),
    ...(work ?? []).map((each) => line(5, workLine(each))),
    ...endedRuns(progress)
      .slice(-4)
      .map((run, index, shown) => line(index === shown.length - 1 ? 4 : 6, `    ${runLine(run)}`)),
  ];
}

function solvedLines({ lastSolved }: LoopProgress): ViewLine[] {
  if (lastSolved === null) return [];
  return [
    line(9, ''),
    line(5, '  solved just now'),
    line(5, `    problem   ${lastSolved.prompt}`),
    line(5, `    entry     ${lastSolved.entry}`),
    line(5, `    executor  ${lastSolved.response.trim().replaceAll('\n', ' / ')}`),
  ];
}

/** Where the view goes: a terminal that is redrawn in place, or a stream that gets a line for what is new. */
export interface ViewStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** A terminal that knows no size says 0, e.g. one behind a pipe of a container. */
function sizeOf({ columns, rows }: ViewStream): { readonly columns: number; readonly rows: number } {
  const isKnown = (size: number | undefined): size is number => size !== undefined && size > 0;
  return { columns: isKnown(columns) ? columns : 100, rows: isKnown(rows) ? rows : 50 };
}

/** Without a terminal, lines of one activity that differ in figures alone follow one another after this time. */
const SAY_FIGURES_EVERY_SECONDS = 10;

/** Redraws the view on a terminal; elsewhere writes lines: one per ended training run, one for what begins, and figures now and then. */
export class TerminalView {
  private drawn: readonly string[] = [];
  private reportedRuns = 0;
  private activity: { readonly what: string; readonly saidAtMs: number; readonly text: string } | null = null;
  private phase: string | undefined;
  private hasSaidRemarks = false;
  private hasSaidAddress = false;

  constructor(
    private readonly stream: ViewStream,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  draw(progress: LoopProgress, facts: ViewFacts): void {
    if (this.stream.isTTY === true) {
      const { columns, rows } = sizeOf(this.stream);
      const lines = renderView(progress, facts, columns - 1, rows - 1);
      this.stream.write(`${this.erasing()}${lines.join('\n')}\n`);
      this.drawn = lines;
    } else this.write(progress, facts);
  }

  /** The last picture stays where it is: what is written or drawn next stands below. */
  leave(): void {
    this.drawn = [];
  }

  /** Removes the picture, so that text can take its place. */
  erase(): void {
    if (this.stream.isTTY === true && this.drawn.length > 0) this.stream.write(this.erasing());
    this.drawn = [];
  }

  /** To the picture's first column and row, and clear: a key that was pressed may have moved the cursor, a narrower window wraps lines. */
  private erasing(): string {
    const { columns } = sizeOf(this.stream);
    const rows = this.drawn.reduce((sum, text) => sum + Math.max(1, Math.ceil(columnsOf(text) / columns)), 0);
    return `\r${rows > 0 ? `\u001b[${rows}A` : ''}\u001b[J`;
  }

  private write(progress: LoopProgress, facts: ViewFacts): void {
    const say = (text: string): void => void this.stream.write(`${clock(facts.workedSeconds)} ${onOneLine(text)}\n`);
    if (!this.hasSaidRemarks) for (const remark of facts.remarks ?? []) say(`! ${remark}`);
    this.hasSaidRemarks ||= facts.remarks !== undefined;
    if (!this.hasSaidAddress && facts.gatewayUrl !== undefined) say(`open ${facts.gatewayUrl}`);
    this.hasSaidAddress ||= facts.gatewayUrl !== undefined;
    const last = [...progress.rounds.values()].sort((a, b) => a.round - b.round).at(-1);
    const ended = endedRuns(progress);
    for (const run of ended.slice(this.reportedRuns)) {
      this.reportedRuns++;
      const row = progress.rounds.get(this.reportedRuns);
      const faithful =
        row === undefined || row.quoting.executed === 0 ? '' : `, faithful ${percent(rate(row.quoting)).trim()}`;
      say(
        `round ${this.reportedRuns}: explored${percent(row ? rate(exploredOf(row)) : null)}${faithful} ${runLine(run)}`,
      );
    }
    if (last?.phase === 'shifted' && this.phase !== 'shifted')
      say(
        `round ${last.round}: new problems are in the stream from here on; rates are lower until they are learned, and validation has their problems too`,
      );
    this.phase = last?.phase;
    this.writeActivity(facts, say);
  }

  private writeActivity({ activity }: ViewFacts, say: (text: string) => void): void {
    if (activity === null) {
      this.activity = null;
      return;
    }
    const what = activity.replace(/ \d+\/\d+$/, '');
    const now = this.nowMs();
    const isNew = what !== this.activity?.what;
    if (
      !isNew &&
      (activity === this.activity?.text || now - this.activity!.saidAtMs < SAY_FIGURES_EVERY_SECONDS * 1000)
    )
      return;
    say(activity);
    this.activity = { what, saidAtMs: now, text: activity };
  }
}
