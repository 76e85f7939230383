/**
 * What the dashboard shows, read on from where it stood: the same read models that the command line answers from, folded once for all pages.
 * Questions are answered from the state of the last refresh; `position` says which that is.
 */
import { partitionName } from '@seamstream/event-log';
import {
  type AdapterLineage,
  adapterLineageProjection,
  adapterUseProjection,
  type BufferContents,
  bufferContentsProjection,
  type EditedPassage,
  editedPassagesProjection,
  faithfulEntriesProjection,
  type KeptProjection,
  type Ledger,
  type LedgerState,
  type Lift,
  learnedFactsProjection,
  ledgerProjection,
  liftProjection,
  type ProblemStanding,
  problemStandingIn,
  type RecentProblem,
  recentProblemsProjection,
  releaseProgressProjection,
  successByArmProjection,
  teamEvaluationsProjection,
  teamStagesProjection,
  trainingProgressProjection,
  waitingAnswersProjection,
} from '@seamstream/read-models';
import type { Release } from '@seamstream/release';
import type { KeptReading } from '@seamstream/snapshots';
import { type ListedLibrary, listedLibraries } from '../library/list-libraries.js';
import { activityProjection } from '../read-models/activity.projection.js';
import { type ListedUses, listedUses } from '../read-models/adapter-story.js';
import { type KeptLog, openReading, type ReadingOptions } from '../read-models/kept-log.js';
import { factsLearned, type LearnedFactsAnswer } from '../read-models/learned-facts.js';
import { type EstimateMemory, liftAnswers } from '../read-models/lift-estimate.js';
import { type RecordedRun, recordedRuns } from '../read-models/recorded-runs.js';
import { type PlainReleases, plainReleases, releasesStatus } from '../release/release-status.js';
import { lagOf, type Status, type StatusAnswers, statusOf } from '../status/status.js';
import type { TeamFacts } from '../team/team-stages.js';
import type { LoopFacts } from './loop-metrics.js';
import { type Overview, overviewOf } from './overview.js';

/** The ledger, and what it says of each problem. */
interface LedgerBook {
  readonly ledger: Ledger;
  readonly of: (problemId: string) => ProblemStanding | null;
}

const ledgerBookProjection: KeptProjection<LedgerState, LedgerBook> = {
  ...ledgerProjection,
  read: (state) => ({ ledger: ledgerProjection.read(state), of: (problemId) => problemStandingIn(state, problemId) }),
};

export class DashboardReader {
  private opened: Promise<ReturnType<typeof modelsOf>> | undefined;
  private models: ReturnType<typeof modelsOf> | undefined;
  private lag: Status['lag'] | null = [];
  private readonly estimates: EstimateMemory = new Map();
  /** Refreshes come one after another: a fold has one reader. */
  private last: Promise<unknown> = Promise.resolve();

  /** @param isPast the log is as it was at a moment: how far consumers were then is in none */
  constructor(
    private readonly kept: KeptLog,
    private readonly isPast = false,
  ) {}

  /** Folds what is new. @throws the signal's reason when it aborts, and what the log throws */
  refresh(options: ReadingOptions): Promise<void> {
    const next = this.last.then(() => this.readOn(options));
    this.last = next.catch(() => undefined);
    return next;
  }

  /** The next offset of each partition: two answers of one position are equal. Empty before the first refresh. */
  get position(): Readonly<Record<string, number>> {
    const places = this.models?.activity.folded ?? [];
    return Object.fromEntries(
      places
        .map(({ topic, partition, next }): [string, number] => [partitionName(topic, partition), next])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  overview(): Overview {
    const models = this.read();
    const answers: StatusAnswers = {
      ledger: models.ledger.answer().ledger,
      waiting: models.waiting.answer(),
      training: models.training.answer(),
      lineage: models.lineage.answer(),
      written: models.written.answer(),
      activity: models.activity.answer(),
    };
    return overviewOf({
      status: statusOf(answers, this.lag ?? []),
      lift: liftAnswers(models.lift.answer(), this.estimates),
      lineage: answers.lineage,
      runs: this.runs(),
      records: this.recordsByTopic(),
      knowsLag: this.lag !== null,
    });
  }

  /** The problems that were published last, newest first, and what the ledger says of each. */
  problems(): { readonly recent: readonly RecentProblem[]; readonly standing: LedgerBook['of']; readonly all: number } {
    const { recent, ledger } = this.read();
    const { of, ledger: counts } = ledger.answer();
    return { recent: recent.answer(), standing: of, all: counts.published };
  }

  /** Settled problems as counts: intervals are made from them. */
  lift(): Lift {
    return this.read().lift.answer();
  }

  lineage(): AdapterLineage {
    return this.read().lineage.answer();
  }

  /** Which adapters wrote experiences, those in use last first. */
  adapterUse(): ListedUses {
    return listedUses(this.read().uses.answer(), this.lineage());
  }

  runs(): readonly RecordedRun[] {
    const { training, lineage, written } = this.read();
    return recordedRuns(training.answer(), lineage.answer(), written.answer());
  }

  libraries(): readonly ListedLibrary[] {
    return listedLibraries(this.lineage(), this.runs());
  }

  /** What is known of teams and their stages. */
  teamFacts(): TeamFacts {
    const { stages, evaluations } = this.read();
    return { lineage: this.lineage(), runs: this.runs(), stages: stages.answer(), evaluations: evaluations.answer() };
  }

  /** Passages that self-edits were tried on, the newest first. */
  passages(): readonly EditedPassage[] {
    return this.read().passages.answer();
  }

  buffer(): BufferContents {
    return this.read().buffer.answer();
  }

  /** As they were planned and decided, without what their counts say now. */
  plannedReleases(): readonly Release[] {
    return [...this.read().progress.answer().releases.values()];
  }

  releases(): PlainReleases {
    const { lift, progress } = this.read();
    return plainReleases(releasesStatus({ lift: lift.answer(), progress: progress.answer() }));
  }

  /** What alerts and boards read. */
  loop(): LoopFacts {
    const { lift, progress } = this.read();
    const facts = { lift: lift.answer(), progress: progress.answer() };
    const running = new Map([...facts.progress.releases].filter(([, { status }]) => status === 'running'));
    return {
      ...{ overview: this.overview(), lineage: this.lineage(), runs: this.runs(), releases: this.plannedReleases() },
      // Those that are over take long to weigh, and do not change.
      running: releasesStatus({ ...facts, progress: { ...facts.progress, releases: running } }).releases,
      position: this.position,
    };
  }

  /** Which facts are learned, as far as problems name them. */
  facts(): LearnedFactsAnswer {
    return factsLearned(this.read().facts.answer(), this.lineage());
  }

  success(): ReturnType<typeof successByArmProjection.read> {
    return this.read().success.answer();
  }

  /** Lets go of the files, once what is being read is read. */
  async close(): Promise<void> {
    await this.last;
    this.models?.reading.close();
  }

  private async readOn(options: ReadingOptions): Promise<void> {
    this.opened ??= openReading(this.kept).then(modelsOf);
    const models = await this.opened;
    await models.reading.readOn(options);
    this.lag = this.isPast ? null : await lagOf(this.kept.log, models.activity.answer().shards);
    this.models = models;
  }

  private read(): ReturnType<typeof modelsOf> {
    if (this.models === undefined) throw new Error('Cannot answer: expected refresh() to be called first.');
    return this.models;
  }

  private recordsByTopic(): Readonly<Record<string, number>> {
    const records: Record<string, number> = {};
    for (const { topic, low, next } of this.read().activity.folded) records[topic] = (records[topic] ?? 0) + next - low;
    return records;
  }
}

function modelsOf(reading: KeptReading) {
  return {
    reading,
    ledger: reading.of(ledgerBookProjection),
    lift: reading.of(liftProjection),
    progress: reading.of(releaseProgressProjection),
    success: reading.of(successByArmProjection),
    recent: reading.of(recentProblemsProjection),
    waiting: reading.of(waitingAnswersProjection),
    training: reading.of(trainingProgressProjection),
    lineage: reading.of(adapterLineageProjection),
    uses: reading.of(adapterUseProjection),
    written: reading.of(faithfulEntriesProjection),
    facts: reading.of(learnedFactsProjection),
    buffer: reading.of(bufferContentsProjection),
    activity: reading.of(activityProjection),
    stages: reading.of(teamStagesProjection),
    evaluations: reading.of(teamEvaluationsProjection),
    passages: reading.of(editedPassagesProjection),
  };
}
