/** Brings a library on, batch by batch, from the parent's or from a checkpoint. The base model stays as it is, and its digest is in every event. */
import type { AdapterPublished } from '@seamstream/events';
import {
  askedWords,
  consolidate,
  contrast,
  decodeLibrary,
  distil,
  type ExperienceLibrary,
  encodeLibrary,
  libraryKey,
  loadDistillationTemplates,
  type Proposal,
  successorOf,
  type TracedAttempt,
  unservable,
} from '@seamstream/experience-library';
import { SeamError } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import type { TrainingEngine } from '@seamstream/training-contract';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import type { StoredArtefact } from './artefact.js';
import { type JobResult, JobRunner, type Recording, type Resumable } from './job-runner.js';
import { contrastSettingsSchema, distillationSettingsSchema, type LibraryJob } from './library-method.js';
import type { RecordedReplies } from './recorded-replies.js';

type Figures = Readonly<Record<string, number>>;

export interface LibraryRunnerDependencies {
  readonly objects: ObjectStore;
  /** The frozen model: it is asked for its digest, its answers to the probe, and the text of its tokens. */
  readonly model: Pick<TrainingEngine, 'baseModelDigest' | 'fingerprint' | 'decode'>;
  readonly evaluation: AdapterEvaluation<ExperienceLibrary>;
  readonly replies: RecordedReplies;
}

/** What reads proposals out of a batch. */
interface Extractor {
  /** What a model is asked, without any material; empty where none is asked. */
  readonly asked: readonly string[];
  propose(
    batch: readonly TracedAttempt[],
    library: ExperienceLibrary,
  ): Promise<{ readonly proposals: readonly Proposal[]; readonly metrics: Figures }>;
}

export class LibraryRunner extends JobRunner<LibraryJob, ExperienceLibrary> {
  override readonly kind = 'library';
  override readonly engine = null;

  constructor(private readonly dependencies: LibraryRunnerDependencies) {
    super();
    const { model } = dependencies;
    if (model.decode !== undefined) this.decode = (tokenIds) => model.decode!(tokenIds);
  }

  override get baseModelDigest(): string {
    return this.dependencies.model.baseModelDigest;
  }

  override get evaluation(): AdapterEvaluation<ExperienceLibrary> {
    return this.dependencies.evaluation;
  }

  override async run(
    job: LibraryJob,
    parent: ExperienceLibrary | null,
    recording: Recording,
  ): Promise<JobResult<ExperienceLibrary>> {
    const extractor = await this.extractorOf(job, recording);
    const { mostRetrieved, emptyTexts } = job;
    const keepsEmpty = emptyTexts === 'kept';
    const isEarlier = job.revision < 2;
    const needs = emptyTexts === 'refusedByContent' ? (isEarlier ? 'content' : 'meaning') : 'letter';
    const limits = { ...job.limits, wordsAlone: isEarlier };
    // 1. Where it begins: at the parent, or where a killed run was.
    const work = new LibraryWork(successorOf(parent, { baseModelDigest: this.baseModelDigest, mostRetrieved }));
    await recording.resume(work);
    // 2. Batch by batch: what the attempts say, and what becomes of it.
    while (work.steps < job.batches.length) {
      await heed(work, recording);
      const { proposals, metrics } = await extractor.propose(job.batches[work.steps]!, work.library);
      work.take(consolidate(work.library, proposals, limits, keepsEmpty ? null : extractor.asked, needs), metrics);
      recording.report('training', work.steps, job.batches.length, work.metrics);
      const { saving } = recording;
      if (saving !== undefined && work.steps < job.batches.length && work.steps % saving.everySteps === 0)
        await saving.save(work, work.metrics);
    }
    // 3. A library without a text, or with those of its parent, is no new artefact.
    const { library, steps, metrics } = work;
    if (!library.changes.some(({ operation }) => operation !== 'keep'))
      return { status: 'refused', reason: 'nothing that the attempts show is beyond chance and new', metrics };
    // What an earlier release made is made again; it is not promoted.
    const hindrance = keepsEmpty ? undefined : unservable(library, parent, needs);
    return hindrance === undefined
      ? { status: 'made', artefact: library, steps, metrics }
      : { status: 'refused', reason: hindrance, metrics };
  }

  /** Of a run of an earlier release, which published what this one refuses to make. */
  override hindranceTo(library: ExperienceLibrary, parent: ExperienceLibrary | null): string | undefined {
    return unservable(library, parent);
  }

  private async extractorOf(
    { extractor, settings, schemas, limits, revision }: LibraryJob,
    recording: Recording,
  ): Promise<Extractor> {
    if (extractor === 'contrast') {
      const tests = contrastSettingsSchema.parse(settings);
      return {
        asked: [],
        propose: async (batch, library) => contrast(batch, library, (domain) => schemas[domain]!, tests),
      };
    }
    const distillation = distillationSettingsSchema.parse(settings);
    const { temperature, maxTokens } = distillation;
    const templates = await loadDistillationTemplates();
    const model = await this.dependencies.replies.modelOf(
      recording.runId,
      { temperature, maxTokens },
      // A run that is repeated for comparison saves nothing and asks no model.
      { mayAsk: recording.saving !== undefined, signal: recording.signal },
    );
    const all = { ...distillation, ...limits, offersKeep: revision >= 2 };
    return {
      asked: askedWords(templates, all),
      propose: (batch, library) => {
        const groups = [...Map.groupBy(batch, ({ groupId }) => groupId).values()];
        return distil(groups, library, model, templates, all);
      },
    };
  }

  override async store(library: ExperienceLibrary): Promise<StoredArtefact> {
    const key = libraryKey(library.digest);
    const body = encodeLibrary(library);
    await this.dependencies.objects.put(key, body, { contentType: 'application/json' });
    return { key, sizeBytes: body.length };
  }

  override async load({
    key,
    adapterDigest,
  }: Pick<AdapterPublished, 'key' | 'adapterDigest'>): Promise<ExperienceLibrary> {
    const { objects } = this.dependencies;
    return decodeLibrary(await objects.get(key), { digest: adapterDigest, baseModelDigest: this.baseModelDigest });
  }

  /** The fingerprint is the base model's: a process that serves a library proves those weights, and reads the digest from the bytes. */
  override fingerprint(): Promise<string> {
    return this.dependencies.model.fingerprint(null);
  }
}

/** A library on its way, with what became of all proposals so far. */
class LibraryWork implements Resumable {
  steps = 0;
  metrics: Figures = {};

  constructor(public library: ExperienceLibrary) {}

  take({ library, changes, refused }: ReturnType<typeof consolidate>, metrics: Figures): void {
    this.library = library;
    this.steps++;
    const emptyProposals = refused.filter(({ isEmpty }) => isEmpty).length;
    const counts: Record<string, number> = { refusedProposals: refused.length, emptyProposals, ...metrics };
    for (const { operation } of changes) counts[`${operation}Items`] = (counts[`${operation}Items`] ?? 0) + 1;
    const summed = { ...this.metrics };
    for (const [name, value] of Object.entries(counts)) summed[name] = (summed[name] ?? 0) + value;
    this.metrics = { ...summed, items: library.items.length };
  }

  async saveState(): Promise<Uint8Array> {
    const { steps, metrics, library } = this;
    return Buffer.from(JSON.stringify({ steps, metrics, library: Buffer.from(encodeLibrary(library)).toString() }));
  }

  async restoreState(bytes: Uint8Array): Promise<void> {
    let state: { readonly steps: number; readonly metrics: Figures; readonly library: string };
    try {
      state = JSON.parse(Buffer.from(bytes).toString()) as typeof state;
      this.library = decodeLibrary(Buffer.from(state.library));
    } catch (cause) {
      throw new SeamError('CHECKPOINT_INVALID', 'Cannot resume a library: expected a state of it, got other bytes.', {
        cause,
      });
    }
    this.steps = state.steps;
    this.metrics = state.metrics;
  }
}

async function heed(work: LibraryWork, { runId, signal, saving }: Recording): Promise<void> {
  if (!signal.aborted) return;
  if (work.steps > 0 && saving !== undefined) await saving.save(work, work.metrics);
  throw new SeamError(
    'ABORTED',
    `Cannot finish training run ${runId}: it was stopped after step ${work.steps}. It is resumed from there.`,
  );
}
