/**
 * The dashboard's read models while a page is open: folded on at a pace, the same for all pages. Metrics read on when they are asked for. Without a
 * page and a scraper nothing is read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PastEventLog } from '@seamstream/event-log';
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
  readonly log: PastEventLog;
  /** The read models, folded when they are asked for. */
  readonly folded: () => Promise<DashboardReader>;
}

/** What a moment of the past is named by. */
export interface PastMoment {
  /** A time, or the place of a record. */
  readonly asOf: string;
  /** Whether the place of a record may be named: its answer says that the record is there, and when it was written. */
  readonly mayBePlace: boolean;
}

/** At most four changes a second. */
const PACE_MS = 250;
/** After a failure of the log. */
const PAUSE_MS = 2_000;
/** The parts of a page ask one after another, and one who reads them goes from page to page. */
const PAST_KEPT_MS = 10_000;

export class LiveViews {
  private readonly reader: DashboardReader;
  private readonly watchers = new Set<(change: LiveChange) => void>();
  private last: LiveChange | undefined;
  /** The count of accessChanges that pages know of. */
  private told = 0;
  private isFollowing = false;
  /** The last moment of the past that was read: all pages of it need one fold. */
  private past: { readonly asOf: string; readonly reader: DashboardReader; timer?: NodeJS.Timeout } | undefined;

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
   * The log and its read models as they were at a moment: folded from the first record on, and kept for some seconds. The caller waits until no
   * other moment is read: {@link ReadingTurns.answer}.
   * @throws as {@link PastEventLog.asOf}, what the log throws, and the signal's reason when it aborts
   */
  async asOf<T>(moment: PastMoment, signal: AbortSignal, read: (past: PastViews) => T | Promise<T>): Promise<T> {
    const log = await PastEventLog.asOf(this.kept.log, moment.asOf, moment);
    return read({ log, folded: () => this.foldedAt(moment.asOf, log, signal) });
  }

  private async foldedAt(asOf: string, log: PastEventLog, signal: AbortSignal): Promise<DashboardReader> {
    if (this.past?.asOf !== asOf) {
      await this.forgetPast();
      this.past = { asOf, reader: new DashboardReader({ log, snapshots: null }, true) };
    }
    const past = this.past;
    clearTimeout(past.timer);
    try {
      // A moment may be of the future: then there may be more by now.
      await past.reader.refresh({ signal, progress: () => UNSHOWN });
    } catch (error) {
      await this.forgetPast();
      throw error;
    }
    past.timer = setTimeout(() => {
      if (this.past === past) void this.forgetPast();
    }, PAST_KEPT_MS).unref();
    return past.reader;
  }

  private async forgetPast(): Promise<void> {
    const { past } = this;
    this.past = undefined;
    clearTimeout(past?.timer);
    await past?.reader.close();
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
    await this.forgetPast();
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
