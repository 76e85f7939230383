/** What a loop under way shows: facts of services, log and clock, drawn again and again until they are hidden. */
import { systemClock } from '@seamstream/kernel';
import type { BatchUnderWay } from '@seamstream/service-kit';
import type { TrainingProgress } from '@seamstream/training-runs';
import { initialLoopProgress } from '../round-progress.js';
import type { WatchLogHandler } from '../watch-log.handler.js';
import { loopSeconds, type WorkSpans } from '../work-spans.js';
import { TerminalView, type ViewFacts, type ViewStream } from './terminal-view.js';

const REDRAW_MS = 250;
const SHOW_WORK_AFTER_MS = 3_000;
const NO_LEDGER = { published: 0, solved: 0, failed: 0, expired: 0, inFlight: 0, deadLetterRecords: 0 };

export class LoopView {
  /** Of the log; undefined until it is open. */
  watch: Pick<WatchLogHandler, 'progress' | 'ledger'> | undefined;
  /** When processes worked on the loop; undefined where this one does not drive it. */
  spans: WorkSpans | undefined;
  source = '';
  gatewayUrl: string | undefined;
  readonly remarks: string[] = [];
  private activity: string | null = 'loading models';
  private training: ViewFacts['training'] = null;
  private result: readonly string[] = [];
  private readonly work = new Map<string, BatchUnderWay>();
  private readonly startedAtMs = systemClock.now();
  private readonly view: TerminalView;
  private hasEnded = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(terminal: ViewStream) {
    this.view = new TerminalView(terminal);
  }

  /** @param activity what happens outside the loop */
  say(activity: string | null): void {
    this.activity = activity;
  }

  trains({ algorithm, phase, done, total, metrics }: TrainingProgress): void {
    this.training = phase === 'training' ? { algorithm, step: done, steps: total, loss: metrics.loss ?? null } : null;
    this.say(phase === 'evaluating' ? `comparing the new adapter with its parent ${done}/${total}` : null);
  }

  works(service: string, batch: BatchUnderWay | null): void {
    if (batch === null) this.work.delete(service);
    else this.work.set(service, batch);
  }

  /** The loop is over: its clock stands, and nothing is trained. */
  async end(): Promise<void> {
    this.hasEnded = true;
    await this.spans?.end();
    this.training = null;
  }

  /** Draws from now on. @param result lines that stay in sight */
  show(result: readonly string[] = []): void {
    this.result = result;
    this.timer = setInterval(() => this.draw(), REDRAW_MS);
  }

  /** Draws no more. @param last what stays on the terminal */
  hide(last: 'picture' | 'nothing'): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    if (last === 'picture') {
      this.draw();
      this.view.leave();
    } else this.view.erase();
  }

  private draw(): void {
    const progress = this.watch?.progress ?? initialLoopProgress();
    const nowMs = systemClock.now();
    this.view.draw(progress, {
      training: this.training,
      activity: this.activity,
      result: this.result,
      remarks: this.remarks,
      gatewayUrl: this.gatewayUrl,
      source: this.source,
      ledger: this.watch?.ledger ?? NO_LEDGER,
      workedSeconds:
        this.spans === undefined
          ? (nowMs - this.startedAtMs) / 1000
          : loopSeconds(progress, this.spans, this.hasEnded ? null : nowMs),
      // What is over in a moment would only flicker.
      work: [...this.work].flatMap(([service, batch]) =>
        batch.elapsedMs < SHOW_WORK_AFTER_MS ? [] : [{ service, ...batch }],
      ),
    });
  }
}
