/**
 * The dashboard's read models while a page is open: folded on at a pace, the same for all pages. Metrics read on when they are asked for. Without a
 * page and a scraper nothing is read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PastEventLog } from '@seamstream/event-log';
import { Semaphore } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import type { KeptLog } from '@seamstream/operations/read-models';
import { DashboardReader, LOOP_METRICS, type Overview } from '@seamstream/operations/views';
import type { ServiceMetrics } from '@seamstream/service-kit';
import type { GatewayWorld } from '../gateway-world.js';

/** What a page gets: the place, and what the first page shows there. */
export interface LiveChange {
  /** Offsets that were folded, by partition. */
  readonly position: Readonly<Record<string, number>>;
  /** When it was folded, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly overview: Overview;
}

/** The log and its read models at a moment of the past. */
export interface PastViews {
  readonly reader: DashboardReader;
  readonly log: PastEventLog;
}

/** At most four changes a second. */
const PACE_MS = 250;
/** After a failure of the log. */
const PAUSE_MS = 2_000;

export class LiveViews {
  private readonly reader: DashboardReader;
  private readonly watchers = new Set<(change: LiveChange) => void>();
  private last: LiveChange | undefined;
  /** The count of accessChanges that pages know of. */
  private told = 0;
  private isFollowing = false;
  private readonly past = new Semaphore(1);

  constructor(
    private readonly world: GatewayWorld,
    /** The log with the place of its read models' snapshots: that of the command line, so that either reads on from the other's. */
    readonly kept: KeptLog,
    /** Grows when what the gateway knows of access and use may be another: the read models hold none of it. */
    private readonly accessChanges: () => number,
  ) {
    this.reader = new DashboardReader(kept);
  }

  /** The read models, with all that is in the log now. @throws what the log throws */
  async current(): Promise<DashboardReader> {
    await this.readOn();
    return this.reader;
  }

  /** What the first page shows now. */
  async change(): Promise<LiveChange> {
    await this.readOn();
    return this.last!;
  }

  /**
   * The read models as they were at a moment: folded from the first record on, and kept by no one. One at a time.
   * @param asOf a time, or the place of a record
   * @throws as {@link PastEventLog.asOf}, what the log throws, and the signal's reason when it aborts
   */
  asOf<T>(asOf: string, signal: AbortSignal, read: (past: PastViews) => T | Promise<T>): Promise<T> {
    return this.past.run(async () => {
      const log = await PastEventLog.asOf(this.kept.log, asOf);
      const reader = new DashboardReader({ log, snapshots: null }, true);
      try {
        await reader.refresh({ signal, progress: () => UNSHOWN });
        return await read({ reader, log });
      } finally {
        await reader.close();
      }
    }, signal);
  }

  /** Shows the loop among the gateway's metrics: read on when they are asked for, and then only. */
  observe(metrics: ServiceMetrics): void {
    metrics.gauges(
      {
        name: 'seam_loop_up',
        help: 'Whether the metrics of the loop could be read when these metrics were asked for: 1, or 0.',
      },
      LOOP_METRICS,
      async () => (await this.current()).loop(),
    );
  }

  /** Reports every change from now on, until the returned function is called. */
  watch(tell: (change: LiveChange) => void): () => void {
    this.watchers.add(tell);
    void this.follow();
    return () => this.watchers.delete(tell);
  }

  async close(): Promise<void> {
    this.watchers.clear();
    await this.reader.close();
  }

  private async readOn(): Promise<void> {
    await this.reader.refresh({ signal: this.world.closing, progress: () => UNSHOWN });
    const { position } = this.reader;
    const overview = this.reader.overview();
    const last = this.last;
    // How far consumers are changes without a new record.
    const isSame =
      last !== undefined && positionId(last.position) === positionId(position) && isSameLag(last.overview, overview);
    const changes = this.accessChanges();
    if (isSame && changes === this.told) return;
    this.told = changes;
    this.last = { position, at: this.world.clock.now(), overview };
    for (const tell of this.watchers) tell(this.last);
  }

  private async follow(): Promise<void> {
    if (this.isFollowing) return;
    this.isFollowing = true;
    const { closing, logger } = this.world;
    while (this.watchers.size > 0 && !closing.aborted) {
      let pause = PACE_MS;
      try {
        await this.readOn();
      } catch (error) {
        // It was closed while it read.
        if (this.world.closing.aborted) break;
        logger.warn({ err: error }, 'the dashboard could not read on');
        pause = PAUSE_MS;
      }
      await sleep(pause, undefined, { signal: closing, ref: false }).catch(() => undefined);
    }
    this.isFollowing = false;
  }
}

const isSameLag = (one: Overview, other: Overview): boolean =>
  one.status.lag.every(({ records }, index) => records === other.status.lag[index]?.records);

/** A position as the id of a message: `seam.outcomes/0=12 seam.outcomes/1=9`. */
export function positionId(position: LiveChange['position']): string {
  return Object.entries(position)
    .map(([partition, next]) => `${partition}=${next}`)
    .join(' ');
}
