/**
 * The releaser: looks at what is tried again and again, and records the decisions that the plans make. Any number of these may run, and each may
 * be killed at any time: a stage is decided once (libs/operations/src/release/hold-decisions.ts). Where no release is planned it reads no results.
 */
import {
  backoffMs,
  isSeamError,
  messageOf,
  SeamError,
  shortId,
  sleep,
  systemClock,
  withDeadline,
} from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import {
  type DecisionRound,
  decideReleases,
  ReleaseFactsReader,
  type ReleaseWorld,
} from '@seamstream/operations/release';
import {
  assertCanSign,
  type CommonConfig,
  isOutage,
  RationedLines,
  type ServiceContext,
  type ServiceLogger,
} from '@seamstream/service-kit';
import { signingOf, snapshotPlaceOf } from '@seamstream/service-kit/drivers';
import type { TrainerServiceConfig } from './config.js';

interface DecideReleasesDependencies {
  readonly world: ReleaseWorld;
  readonly logger: ServiceLogger;
  /** For what is said at every look until a person acts. */
  readonly lines: RationedLines;
  /** Counts a decision, by how its stage ended. */
  readonly onDecided: (end: string) => void;
}

interface DecideReleasesSettings {
  /** Milliseconds between two looks. */
  readonly lookEveryMs: number;
  readonly retrying: Pick<CommonConfig['consuming'], 'firstRetryMs' | 'maxRetryMs' | 'shutdownGraceMs'>;
}

class DecideReleases {
  /** Resolves after {@link close}. Planning and training do not end with what hinders releases: that is said, and tried again. */
  readonly ended: Promise<void>;
  private readonly stopping = new AbortController();

  constructor(
    private readonly dependencies: DecideReleasesDependencies,
    private readonly settings: DecideReleasesSettings,
  ) {
    this.ended = this.work();
    this.ended.catch(() => undefined); // the service may look at it, but need not
  }

  async close(): Promise<void> {
    this.stopping.abort(new SeamError('ABORTED', 'Cannot decide on releases: the releaser closes.'));
    // A log that does not answer must not hold the process; what it still records is fenced by the next holder.
    await withDeadline(this.settings.retrying.shutdownGraceMs + LEFT_BEHIND_AFTER_MS, this.ended).catch(
      () => undefined,
    );
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping;
    const isStopped = (): boolean => signal.aborted;
    const { world, lines } = this.dependencies;
    const { lookEveryMs, retrying } = this.settings;
    let reader: ReleaseFactsReader | undefined;
    for (let outages = 0; !isStopped(); ) {
      let waitMs = lookEveryMs;
      try {
        reader ??= new ReleaseFactsReader(await world.openKeptLog());
        this.tell(await decideReleases(world, { signal, progress: () => UNSHOWN }, reader));
        outages = 0;
      } catch (error) {
        if (isStopped()) break;
        // Others decide at the same time: what they recorded is seen at the next look.
        if (!isSeamError(error, 'FENCED')) {
          waitMs = backoffMs(++outages, retrying);
          lines.warn('look', { reason: messageOf(error), waitMs }, 'releases: trying again after a wait');
          // What was read so far may be the cause, as where the log was trimmed meanwhile.
          if (!isOutage(error)) {
            await reader?.close();
            reader = undefined;
          }
        }
      }
      await sleep(waitMs, signal).catch(() => undefined);
    }
    await reader?.close();
  }

  private tell({ decided, hindered }: DecisionRound): void {
    const { logger, lines, onDecided } = this.dependencies;
    for (const { decision, promotion } of decided) {
      const { releaseId, slot, stage, decision: end, reason } = decision;
      onDecided(end);
      logger.info({ releaseId, slot, stage, end, reason, promoted: promotion !== null }, 'stage of a release ended');
    }
    for (const { release, error } of hindered) {
      const { releaseId } = release.event;
      const hint = `see "seam release status ${shortId(releaseId)}"`;
      lines.warn(releaseId, { releaseId, reason: error.message, hint }, 'a stage of a release cannot end');
    }
  }
}

/** Beyond the time that a service has to close. */
const LEFT_BEHIND_AFTER_MS = 1_000;

/** Decides what releases are to decide, from now until the service closes. */
export async function startReleaser({
  config,
  drivers: { log },
  logger,
  metrics,
  onClose,
  endsWith,
}: ServiceContext<TrainerServiceConfig>): Promise<void> {
  await assertCanSign(config, ['ReleaseDecided', 'AdapterPromoted']);
  const decided = metrics.counter(
    'seam_release_decisions_total',
    'Stages of releases that this process ended by their plans, by how they ended.',
    ['end'],
  );
  const kept = { log, snapshots: await snapshotPlaceOf(config, process.env) };
  // As it was at the start, like that of the log: a file of keys that is being replaced stops nothing.
  const signing = await signingOf(config);
  const releaser = new DecideReleases(
    {
      world: {
        clock: systemClock,
        openLog: async () => log,
        openKeptLog: async () => kept,
        signing: async () => signing,
      },
      logger,
      lines: new RationedLines(logger, onClose),
      onDecided: (end) => decided.inc({ end }),
    },
    { lookEveryMs: config.trainer.releases.lookEveryMs, retrying: config.consuming },
  );
  endsWith(releaser.ended);
  onClose(() => releaser.close());
}
