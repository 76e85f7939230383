/** What keeps a system from learning: reads, examines, and names what it found. Nothing is recorded. */
import {
  examineAdmission,
  examineForgeries,
  examineRollouts,
  examineRun,
  examineSelfEdits,
  examineServedObject,
  examineServing,
  examineSnapshots,
  type Finding,
  summary,
} from '@seamstream/doctor';
import type { EntrySchemas } from '@seamstream/experience';
import { isSeamError } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { decodeServed } from '@seamstream/rollout';
import type { SnapshotComparison } from '@seamstream/snapshots';
import type { KeptLog, ReadingOptions } from '../read-models/kept-log.js';
import { compareSnapshots } from './compare-snapshots.js';
import { FactsReader, type LogFacts } from './facts-reader.js';

interface DoctorWorld {
  openKeptLog(): Promise<KeptLog>;
  openObjects(): Promise<ObjectStore>;
  entrySchemas(): Promise<EntrySchemas>;
}

export interface Examination {
  /** Errors first; none where nothing is wrong. */
  readonly findings: readonly Finding[];
  readonly facts: LogFacts;
  readonly snapshots: readonly SnapshotComparison[];
}

/** Folded again in about a second; longer snapshots only where that is asked for. */
export const SNAPSHOT_RECORDS = 50_000;

/** @param groups newest ones to look at. @param snapshots whether those of more than {@link SNAPSHOT_RECORDS} records are compared, too */
export async function examineSystem(
  world: DoctorWorld,
  { groups, snapshots: areAllCompared }: { readonly groups: number; readonly snapshots?: boolean | undefined },
  { signal, progress }: ReadingOptions,
): Promise<Examination> {
  const schemaFor = await world.entrySchemas();
  const kept = await world.openKeptLog();
  const alongside = await FactsReader.open(kept.log, progress);
  const mostRecords = areAllCompared === true ? Number.POSITIVE_INFINITY : SNAPSHOT_RECORDS;
  const snapshots = await compareSnapshots(kept, { mostRecords, signal, alongside }).finally(() => alongside.close());
  const facts = alongside.facts(groups);
  const findings = summary([
    ...examineRollouts(facts.groups, { schemaFor }),
    ...examineSelfEdits(facts.groups, facts.controls),
    ...facts.runs.flatMap((run) => examineRun(run)),
    ...examineServing(facts.serving, facts.groups),
    ...examineServedObject(await servedObject(world, facts)),
    ...examineAdmission(facts.admission),
    ...examineForgeries({ decisions: facts.serving.refused, results: facts.refusedResults }),
    ...examineSnapshots(snapshots),
  ]);
  return { findings, facts, snapshots };
}

/** Loads what is served, as a generator does when it starts. */
async function servedObject(
  world: DoctorWorld,
  { served, serving }: LogFacts,
): Promise<Parameters<typeof examineServedObject>[0]> {
  if (served === null) return null;
  const { adapterDigest, key } = served;
  const baseModelDigest = serving.published.get(adapterDigest)?.baseModelDigest;
  const objects = await world.openObjects();
  try {
    const intake = { digest: adapterDigest, ...(baseModelDigest === undefined ? {} : { baseModelDigest }) };
    decodeServed(key, await objects.get(key), intake);
    return { adapterDigest, key, fault: null };
  } catch (error) {
    // A store that does not answer says nothing about what lies in it.
    if (!isSeamError(error) || error.retryable) throw error;
    return { adapterDigest, key, fault: error.message };
  }
}
