/** Experts out of a log and into another one. */
import type { EventLog } from '@seamstream/event-log';
import { type Evaluation, type EventOf, type OffsetRange, TOPIC } from '@seamstream/events';
import { Evidence, type PlacedEvent, ProblemContents } from '@seamstream/evidence';
import { shortId } from '@seamstream/kernel';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import type { AdapterVersion } from '@seamstream/read-models';
import type { AdapterWorld } from '../adapters/adapter-world.js';
import { exportAdapter, importAdapter } from '../adapters/exchange-adapters.js';
import { findAdapter } from '../adapters/find-adapter.js';
import { type ReadingOptions, readLineage, readTraining } from '../read-models/index.js';
import {
  carriedFiles,
  type Expert,
  type ExpertEdit,
  type ExpertMeasurement,
  type ExpertProblem,
  type ExpertRun,
  expertFiles,
  expertIn,
} from './expert.js';
import { type ExpertFiles, packExpert, unpackExpert } from './expert-archive.js';

export interface ExpertWorld extends Omit<AdapterWorld, 'openLog'> {
  openLog(mode: 'read' | 'append' | 'create'): Promise<EventLog>;
  /** The templates and schemas that entries are asked for and used with, by file. */
  promptTemplates(): Promise<ReadonlyMap<string, string>>;
}

interface ExportedExpert {
  /** Names all that is in the archive. */
  readonly digest: string;
  readonly bytes: Uint8Array;
  readonly expert: Expert;
}

export interface ImportedExpert {
  readonly digest: string;
  readonly expert: Expert;
  /** `otherBase`: the adapter is for other weights than the generators', and nothing was published. */
  readonly status: 'published' | 'known' | 'otherBase';
  /** Of the generators. */
  readonly baseModelDigest: string;
  /** Files of the templates that differ here, or are not used here: entries are measured as before only with the expert's. */
  readonly otherTemplates: readonly string[];
  /** What can be used with any base model, by file. */
  readonly carried: ExpertFiles;
}

/** Most edits that an expert carries: the newest. */
const MOST_EDITS = 5000;

/**
 * An adapter of the log with its templates, lineage, runs, evaluations, and the entries that helped, with their problems.
 * @param meant `served`, or the first digits of its digest
 * @throws NOT_FOUND, INVALID_INPUT, and as `exportAdapter`
 */
export async function exportExpert(
  world: ExpertWorld,
  { meant, name }: { readonly meant: string; readonly name?: string | undefined },
  options: ReadingOptions,
): Promise<ExportedExpert> {
  const kept = await world.openKeptLog();
  const { answer: lineage } = await readLineage(kept, options);
  const { adapter, files } = await exportAdapter(world, findAdapter(lineage, meant).adapterDigest, options);
  const versions = lineageOf(lineage.versions, adapter.digest);
  const { runs } = (await readTraining(kept, options)).answer;
  const made = versions.flatMap(({ runId }) => runs.filter((run) => run.runId === runId));
  const ranges = spansOf(versions.flatMap(({ inputs }) => inputs));
  const expert: Expert = {
    description: {
      version: 1,
      name: name ?? `expert-${shortId(adapter.digest)}`,
      adapterDigest: adapter.digest,
      baseModelDigest: adapter.baseModelDigest,
    },
    adapter: files,
    templates: await world.promptTemplates(),
    history: versions.map(historyOf),
    runs: made.map(
      ({ runId, algorithm, seed, codeVersion, configuration }): ExpertRun => ({
        ...{ runId, algorithm, seed, codeVersion },
        configuration: JSON.parse(configuration) as ExpertRun['configuration'],
      }),
    ),
    evaluations: measurementsOf(versions.at(-1)!),
    ...(await editsOf(await world.openLog('read'), ranges, options.signal)),
  };
  return { ...(await packExpert(expertFiles(expert))), expert };
}

/**
 * Publishes the adapter of an archive where it fits the generators' base model. What serves stays as it is.
 * @param archive where it comes from, and the person who imports it; recorded with the adapter
 * @throws ADAPTER_INVALID for an archive that is not whole, and for tensors that are not what it says
 */
export async function importExpert(
  world: ExpertWorld,
  { bytes, folder, by }: { readonly bytes: Uint8Array; readonly folder: string; readonly by: string },
  options: ReadingOptions,
): Promise<ImportedExpert> {
  const { digest, files } = await unpackExpert(bytes);
  const expert = expertIn(files);
  const { description, adapter: peft, templates } = expert;
  const { checkpoint } = await world.openBaseModel();
  const own = await world.promptTemplates();
  const told = {
    digest,
    expert,
    baseModelDigest: checkpoint.digest,
    otherTemplates: [...new Set([...templates.keys(), ...own.keys()])]
      .filter((file) => templates.get(file) !== own.get(file))
      .sort(),
    carried: carriedFiles(expert),
  };
  if (description.baseModelDigest !== checkpoint.digest) return { ...told, status: 'otherBase' };
  const { isNew } = await importAdapter(
    world,
    { files: peft, folder, by, expected: description.adapterDigest, expert: { digest, history: expert.history } },
    options,
  );
  return { ...told, status: isNew ? 'published' : 'known' };
}

/** From the first version to this one. */
function lineageOf(versions: readonly AdapterVersion[], digest: string): readonly AdapterVersion[] {
  const byDigest = new Map(versions.map((version) => [version.adapterDigest, version]));
  const found: AdapterVersion[] = [];
  let at = byDigest.get(digest);
  while (at !== undefined && !found.includes(at)) {
    found.unshift(at);
    at = at.parent === null ? undefined : byDigest.get(at.parent);
  }
  return found;
}

function historyOf(version: AdapterVersion): Expert['history'][number] {
  const { adapterDigest, parent, runId, algorithm, publishedAt, manifestDigest, metrics } = version;
  const inputs = version.inputs.map(({ topic, partition, from, to }) => ({ topic, partition, from, to }));
  return { adapterDigest, parent, runId, algorithm, publishedAt, manifestDigest, metrics: { ...metrics }, inputs };
}

/** What people and runs measured of it, in the log's order. */
function measurementsOf({
  evaluation,
  reason,
  acts,
  runId,
  publishedAt,
}: AdapterVersion): readonly ExpertMeasurement[] {
  const told = acts.flatMap((act) =>
    act.evaluation === null
      ? []
      : [{ by: act.by, at: act.at, reason: act.reason, evaluation: carried(act.evaluation) }],
  );
  if (told.length > 0 || evaluation === null) return told;
  return [{ by: `run ${runId}`, at: publishedAt, reason: reason ?? '', evaluation: carried(evaluation) }];
}

/** Questions and answers of the validation set stay in the log: with them others could train on it. */
function carried({ differences: _, ...evaluation }: Evaluation): ExpertMeasurement['evaluation'] {
  return evaluation;
}

/** The entries that helped among the outcomes that the runs learned from, as far as the log still has and bears them out. */
async function editsOf(
  log: EventLog,
  inputs: readonly OffsetRange[],
  signal: AbortSignal,
): Promise<Pick<Expert, 'edits' | 'problems'>> {
  const contents = new ProblemContents(log);
  const evidence = new Evidence(log);
  const found = new Map<string, { readonly edit: ExpertEdit; readonly problem: ExpertProblem }>();
  for await (const { events } of readEvents(log, await withinLog(log, inputs), { undecodable: 'skip', signal })) {
    const placed = events.flatMap(({ event, record }): (PlacedEvent & { readonly event: Outcome })[] =>
      event.type === 'OutcomeRecorded' && event.success && event.reward > 0 && isEntry(event.entry)
        ? [{ event, position: record }]
        : [],
    );
    const doubts = await evidence.doubts(placed);
    const believed = placed.filter((_, index) => !doubts.has(index)).map(({ event }) => event);
    for (const event of await contents.fill(believed)) {
      const carried = carriedOutcome(event);
      if (carried === undefined) continue;
      const key = `${carried.edit.problemId} ${carried.edit.entry}`;
      found.delete(key);
      found.set(key, carried);
      if (found.size > MOST_EDITS) found.delete(found.keys().next().value!);
    }
  }
  const kept = [...found.values()];
  return {
    edits: kept.map(({ edit }) => edit),
    problems: [...new Map(kept.map(({ problem }) => [problem.problemId, problem])).values()],
  };
}

type Outcome = EventOf<'OutcomeRecorded'>;

/** An empty one is of an edit that was not written: what helped was the passage alone. */
const isEntry = (entry: string | null): boolean => entry !== null && entry !== '';

/** Undefined where the problem cannot be published again: its content is gone, or feedback judged it. */
function carriedOutcome({
  problem,
  entry,
  reward,
}: Outcome): { readonly edit: ExpertEdit; readonly problem: ExpertProblem } | undefined {
  const { problemId, domain, prompt, reference, verifier, metadata } = problem;
  if (typeof prompt !== 'string' || reference === null || verifier === null || entry === null) return undefined;
  return {
    edit: { problemId, entry, reward },
    problem: {
      ...{ problemId, domain, prompt, reference, metadata: { ...metadata } },
      verifier: { kind: verifier.kind, version: verifier.version, options: { ...verifier.options } },
    },
  };
}

/** One range for each partition, from the first to the last offset: each version's inputs hold those of the versions before it. */
function spansOf(ranges: readonly OffsetRange[]): readonly OffsetRange[] {
  const spans = new Map<string, OffsetRange>();
  for (const range of ranges) {
    const name = `${range.topic}/${range.partition}`;
    const { from, to } = spans.get(name) ?? range;
    spans.set(name, { ...range, from: Math.min(from, range.from), to: Math.max(to, range.to) });
  }
  return [...spans.values()];
}

/** The parts of ranges of outcomes that the log still has. */
async function withinLog(log: EventLog, ranges: readonly OffsetRange[]): Promise<readonly OffsetRange[]> {
  const stored = await storedRanges(log, TOPIC.outcomes);
  return ranges.flatMap(({ topic, partition, from, to }) => {
    const there = topic === TOPIC.outcomes ? stored.find((range) => range.partition === partition) : undefined;
    return there === undefined
      ? []
      : [{ topic, partition, from: Math.max(from, there.from), to: Math.min(to, there.to) }];
  });
}
