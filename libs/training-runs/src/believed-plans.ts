/**
 * The plans of a log that are believed, and the windows that follow one another through them. A plan is judged when it is first read, and
 * again at each look until the log bears it out: its partition may have been read before that of the plan or the adapter it rests on.
 * A plan that is still not borne out at the second look is reported.
 */
import { type EventLog, partitionName } from '@seamstream/event-log';
import { type SeamEvent, TOPIC, type TrainingRunPlanned, type TrainingRunStarted } from '@seamstream/events';
import { CommittedVersions } from './committed-versions.js';
import { type PlanGrounds, planDoubt, recordDoubt, versionName } from './plan-doubt.decide.js';
import { planOf, type RunConfiguration, type RunPlan, type RunWindow } from './run-plan.js';

/** A plan, or the start of a run, that is not believed. */
export interface PlanDoubt {
  readonly runId: string;
  readonly reason: string;
}

export interface Belief {
  /** Is called for each run that is not believed. */
  readonly onDoubt: (doubt: PlanDoubt) => void;
  /** What becomes of runs that begin with their start, as older releases had them, once there are plans: refused where plans are signed. */
  readonly unplanned: 'believed' | 'refused';
}

interface Candidate {
  readonly plan: RunPlan;
  /** Whether a planner of this release wrote it; an older release's runs begin with their start. */
  readonly isPlanned: boolean;
  readonly recordedAtMs: number;
  looks: number;
}

export class BelievedPlans {
  /** Of plans that are believed, by index. */
  readonly windows = new Map<number, RunWindow>();
  /** The run of each of these windows, by index. */
  readonly runOfWindow = new Map<number, string>();
  /** The run of the last of them. */
  last: { readonly runId: string; readonly configuration: RunConfiguration } | undefined;
  private readonly believed = new Set<string>();
  private readonly candidates = new Map<string, Candidate>();
  private readonly versions: CommittedVersions;

  /** The first window that a planner of this release planned. */
  private firstPlanned = Number.POSITIVE_INFINITY;

  constructor(
    private readonly log: EventLog,
    private readonly belief: Belief,
  ) {
    this.versions = new CommittedVersions(log);
  }

  has(runId: string): boolean {
    return this.believed.has(runId);
  }

  /**
   * Takes note of an event.
   * @param recordedAtMs by the log's clock
   * @returns false for a record that states no plan although it says so: it counts for nothing
   * @throws DATA_REFUSED where a run's configuration is not one of this version
   */
  note(event: SeamEvent, recordedAtMs: number): boolean {
    if (event.type !== 'TrainingRunPlanned' && event.type !== 'TrainingRunStarted') return true;
    const isPlanned = event.type === 'TrainingRunPlanned';
    const doubt = recordDoubt(event, isPlanned ? 'planned' : 'started');
    if (doubt !== undefined) {
      this.belief.onDoubt({ runId: event.runId, reason: doubt });
      return false;
    }
    this.consider(event, isPlanned, recordedAtMs);
    return true;
  }

  private consider(event: TrainingRunPlanned | TrainingRunStarted, isPlanned: boolean, recordedAtMs: number): void {
    if (!this.believed.has(event.runId) && !this.candidates.has(event.runId))
      this.candidates.set(event.runId, { plan: planOf(event), isPlanned, recordedAtMs, looks: 0 });
  }

  /**
   * Judges what is not believed yet.
   * @param isNew whether the log has new runs or adapters, read since the last look
   * @returns the runs whose plans are believed from now on
   */
  async settle(servedAdapters: PlanGrounds['servedAdapters'], isNew: boolean): Promise<readonly string[]> {
    if (!isNew && [...this.candidates.values()].every(({ looks }) => looks >= LOOKS_BEFORE_TOLD)) return [];
    const readsBuffer = [...this.candidates.values()].some(({ plan }) => plan.manifests.length > 0);
    const grounds = await this.grounds(servedAdapters, readsBuffer);
    const settled: string[] = [];
    // Each that is believed may be what another one follows.
    for (let count = -1; count !== settled.length; ) {
      count = settled.length;
      for (const [runId, { plan, isPlanned }] of this.inOrder()) {
        if (this.doubtOf({ plan, isPlanned }, grounds) !== undefined) continue;
        this.believe(runId, plan, isPlanned);
        settled.push(runId);
      }
    }
    for (const [runId, candidate] of this.candidates) {
      candidate.looks++;
      if (candidate.looks === LOOKS_BEFORE_TOLD)
        this.belief.onDoubt({ runId, reason: this.doubtOf(candidate, grounds) ?? '' });
    }
    for (const [runId, { looks }] of this.candidates) {
      if (this.candidates.size <= MOST_DOUBTED) break;
      if (looks >= LOOKS_BEFORE_TOLD) this.candidates.delete(runId);
    }
    return settled;
  }

  /** Why a plan of this release that is not on record yet would not be believed there; undefined when it would. */
  async doubtAbout(plan: RunPlan, servedAdapters: PlanGrounds['servedAdapters']): Promise<string | undefined> {
    return planDoubt(plan, true, await this.grounds(servedAdapters, plan.manifests.length > 0));
  }

  /** By window, so that one pass settles a chain; of two plans of one window, which partitions may hide from each other, the earlier goes first. */
  private inOrder(): readonly [string, Candidate][] {
    const indexOf = ([, { plan }]: [string, Candidate]): number => plan.configuration.window?.index ?? 0;
    return [...this.candidates].sort((a, b) => indexOf(a) - indexOf(b) || a[1].recordedAtMs - b[1].recordedAtMs);
  }

  private believe(runId: string, { configuration }: RunPlan, isPlanned: boolean): void {
    this.candidates.delete(runId);
    this.believed.add(runId);
    const { window } = configuration;
    if (window === null) return;
    this.windows.set(window.index, window);
    this.runOfWindow.set(window.index, runId);
    if (isPlanned) this.firstPlanned = Math.min(this.firstPlanned, window.index);
    this.last = { runId, configuration };
  }

  private doubtOf(
    { plan, isPlanned }: Pick<Candidate, 'plan' | 'isPlanned'>,
    grounds: PlanGrounds,
  ): string | undefined {
    const index = plan.configuration.window?.index ?? Number.POSITIVE_INFINITY;
    const isUnplanned = !isPlanned && this.belief.unplanned === 'refused' && index >= this.firstPlanned;
    return isUnplanned
      ? 'it was started without a plan, and plans are signed here'
      : planDoubt(plan, isPlanned, grounds);
  }

  private async grounds(servedAdapters: PlanGrounds['servedAdapters'], readsBuffer: boolean): Promise<PlanGrounds> {
    const { log } = this;
    const ends = new Map<string, number>();
    for (const topic of [TOPIC.outcomes, TOPIC.experiences, TOPIC.problems, TOPIC.teams, TOPIC.feedback])
      for (const { partition, high } of await log.watermarks(topic)) ends.set(partitionName(topic, partition), high);
    const isTrimmed = (await log.watermarks(TOPIC.training)).some(({ low }) => low > 0);
    const committed = readsBuffer ? await this.versions.all() : [];
    const versions = committed.map(({ manifestKey: key, manifestDigest: digest }) => versionName({ key, digest }));
    return {
      ends,
      windows: this.windows,
      isTrimmed,
      servedAdapters,
      versions: new Set(versions),
    };
  }
}

/** One look may have missed what another partition holds. */
const LOOKS_BEFORE_TOLD = 2;
/** Plans that were reported and may still be borne out; beyond this number the oldest are given up. */
const MOST_DOUBTED = 1_000;
