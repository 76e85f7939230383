/** Answers folded from the log, each from its snapshot on. */
import {
  type AdapterLineage,
  type AdapterLineageState,
  adapterLineageProjection,
  adapterUseProjection,
  type EditedPassage,
  editedPassagesProjection,
  faithfulEntriesProjection,
  type KeptProjection,
  type Ledger,
  type Lift,
  learnedFactsProjection,
  ledgerProjection,
  liftProjection,
  type SuccessByArm,
  successByArmProjection,
  type TrainingProgress,
  trainingProgressProjection,
} from '@seamstream/read-models';
import type { ServedSlots } from '@seamstream/release';
import { jointUse, type KeptReading, type SnapshotUse } from '@seamstream/snapshots';
import { type ListedUses, listedUses } from './adapter-story.js';
import { type KeptLog, openReading, type ReadingOptions } from './kept-log.js';
import { factsLearned, type LearnedFactsAnswer } from './learned-facts.js';
import { type LiftAnswers, liftAnswers } from './lift-estimate.js';
import { type RecordedRun, recordedRuns } from './recorded-runs.js';

/** An answer with what it rests on. */
export interface Answered<Answer> {
  readonly answer: Answer;
  readonly use: SnapshotUse;
  /** Records that it was folded from, those of the snapshot included. */
  readonly records: number;
  /** Those of them that are no events: their consumers sent them to the dead letters. */
  readonly unreadable: number;
}

/** What decides with what every slot is served, as those who serve fold it, with every adapter's story. */
export interface Serving {
  readonly lineage: AdapterLineage;
  readonly slots: ServedSlots;
}

/** What became of every published problem. @throws the signal's reason when it aborts, as all of these */
export function readLedger(kept: KeptLog, options: ReadingOptions): Promise<Answered<Ledger>> {
  return readOne(kept, ledgerProjection, options);
}

/** Settled problems, as counts that intervals are made from. */
export function readCounts(kept: KeptLog, options: ReadingOptions): Promise<Answered<Lift>> {
  return readOne(kept, liftProjection, options);
}

/** What experiences add, against the controls of the same mode. */
export async function readLift(kept: KeptLog, options: ReadingOptions): Promise<Answered<LiftAnswers>> {
  const lift = await readCounts(kept, options);
  return { ...lift, answer: liftAnswers(lift.answer) };
}

/** Success per arm, domain and adapter. */
export function readSuccess(kept: KeptLog, options: ReadingOptions): Promise<Answered<SuccessByArm>> {
  return readOne(kept, successByArmProjection, options);
}

/** Which facts are learned, as far as problems name those that they depend on. */
export function readLearnedFacts(kept: KeptLog, options: ReadingOptions): Promise<Answered<LearnedFactsAnswer>> {
  return withReading(kept, async (reading) => {
    const facts = reading.of(learnedFactsProjection);
    const lineage = reading.of(adapterLineageProjection);
    await reading.readOn(options);
    return {
      answer: factsLearned(facts.answer(), lineage.answer()),
      use: jointUse([facts, lineage]),
      ...facts.read,
    };
  });
}

/** Passages that self-edits were tried on, the newest first. */
export function readEditedPassages(
  kept: KeptLog,
  options: ReadingOptions,
): Promise<Answered<readonly EditedPassage[]>> {
  return readOne(kept, editedPassagesProjection, options);
}

/** Runs with their steps and figures. */
export function readTraining(kept: KeptLog, options: ReadingOptions): Promise<Answered<TrainingProgress>> {
  return readOne(kept, trainingProgressProjection, options);
}

/** Every adapter with what became of it. */
export async function readLineage(kept: KeptLog, options: ReadingOptions): Promise<Answered<AdapterLineage>> {
  return readOne(kept, adapterLineageProjection, options);
}

/** Which adapters wrote experiences, those in use last first. */
export function readAdapterUse(kept: KeptLog, options: ReadingOptions): Promise<Answered<ListedUses>> {
  return withReading(kept, async (reading) => {
    const uses = reading.of(adapterUseProjection);
    const lineage = reading.of(adapterLineageProjection);
    await reading.readOn(options);
    return { answer: listedUses(uses.answer(), lineage.answer()), use: jointUse([uses, lineage]), ...uses.read };
  });
}

const servingProjection: KeptProjection<AdapterLineageState, Serving> = {
  ...adapterLineageProjection,
  read: (state) => ({ lineage: adapterLineageProjection.read(state), slots: state.slots }),
};

/** Every adapter, and what decides with what each slot is served. */
export async function readServing(kept: KeptLog, options: ReadingOptions): Promise<Serving> {
  return (await readOne(kept, servingProjection, options)).answer;
}

/** All runs that the log records, with what was decided on what they made. */
export function readRuns(kept: KeptLog, options: ReadingOptions): Promise<Answered<readonly RecordedRun[]>> {
  return withReading(kept, async (reading) => {
    const training = reading.of(trainingProgressProjection);
    const lineage = reading.of(adapterLineageProjection);
    const written = reading.of(faithfulEntriesProjection);
    await reading.readOn(options);
    return {
      answer: recordedRuns(training.answer(), lineage.answer(), written.answer()),
      use: jointUse([training, lineage, written]),
      ...lineage.read,
    };
  });
}

function readOne<State extends object, Answer>(
  kept: KeptLog,
  projection: KeptProjection<State, Answer>,
  options: ReadingOptions,
): Promise<Answered<Answer>> {
  return withReading(kept, async (reading) => {
    const model = reading.of(projection);
    await reading.readOn(options);
    return { answer: model.answer(), use: model.use(), ...model.read };
  });
}

/** Opens a reading for some work, and closes it. */
export async function withReading<Answer>(
  kept: KeptLog,
  work: (reading: KeptReading) => Promise<Answer>,
): Promise<Answer> {
  const reading = await openReading(kept);
  try {
    return await work(reading);
  } finally {
    reading.close();
  }
}
