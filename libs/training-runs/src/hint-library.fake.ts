/** A second method, without weights: the entries that helped where others of their group did not are kept as hints, by domain. */
import { promptOf } from '@seamstream/events';
import { canonicalJson, compareText, SeamError, sha256 } from '@seamstream/kernel';
import type { LogInput } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import { FAKE_BASE_MODEL } from '@seamstream/training-contract/testing';
import { z } from 'zod';
import { AdapterEvaluation, type AskedPerDomain, type ProblemResult } from './adapter-evaluation.port.js';
import type { Artefact, StoredArtefact } from './artefact.js';
import { type JobResult, JobRunner, type MethodWithRunner, type Recording, type Resumable } from './job-runner.js';
import type { JobFacts, LearningMethod, PlannedJob, Recipe } from './learning-method.js';

/** By domain, sorted. */
type Hints = Readonly<Record<string, readonly string[]>>;

export interface HintLibrary extends Artefact {
  readonly kind: 'library';
  readonly hints: Hints;
}

interface HintJob {
  readonly kind: 'hints';
  /** In the order in which they are added, one a step. */
  readonly add: readonly { readonly domain: string; readonly hint: string }[];
}

function libraryOf(hints: Hints): HintLibrary {
  return { kind: 'library', hints, baseModelDigest: FAKE_BASE_MODEL, digest: sha256(canonicalJson(hints)) };
}

const isSuccess = (result: LogInput['results'][number]): boolean => result.type === 'OutcomeRecorded' && result.success;

const settingsSchema = z.strictObject({ mostPerDomain: z.int().positive().default(4) });

const contrast: Recipe = {
  reads: 'log',
  resolveConfiguration(given) {
    const parsed = settingsSchema.safeParse(given);
    if (parsed.success) return parsed.data;
    throw new SeamError('INVALID_CONFIGURATION', parsed.error.message);
  },
  replayedRounds: () => ({ least: 1, most: 1 }),
  hasEnoughSignal: () => true,
};

class HintMethod implements LearningMethod<HintJob> {
  readonly name = 'training-free';
  readonly slot = 'hints';
  readonly recipes = new Map([['contrast', contrast]]);

  plan({ plan, input }: JobFacts): PlannedJob<HintJob> {
    if (input.reads !== 'log') throw new SeamError('INTERNAL', 'Cannot plan: expected input read from the log.');
    const { mostPerDomain } = settingsSchema.parse(plan.configuration.algorithm);
    const hints = new Map(
      input.experiences.map(({ experienceId, problem, entry }) => [experienceId, `${promptOf(problem)}: ${entry}`]),
    );
    const groups = Map.groupBy(input.results, ({ groupId }) => groupId);
    const helped = [...groups.values()].flatMap((results) =>
      results.every(isSuccess) ? [] : results.filter(isSuccess),
    );
    const add = helped
      .map(({ problem, experienceId }) => ({ domain: problem.domain, hint: hints.get(experienceId)! }))
      .sort((a, b) => compareText(a.domain, b.domain) || compareText(a.hint, b.hint))
      .filter(({ domain }, index, all) => all.findIndex((each) => each.domain === domain) > index - mostPerDomain);
    return add.length > 0
      ? { status: 'ready', job: { kind: 'hints', add } }
      : { status: 'refused', reason: 'no group has both an entry that helped and one that did not', metrics: {} };
  }
}

/** The more hints a domain has, the more of its problems are solved. */
class HintEvaluation extends AdapterEvaluation<HintLibrary> {
  override readonly problemSet = 'validation';
  override readonly problemSetDigest = sha256('validation problems');

  override under(): Promise<this> {
    return Promise.resolve(this);
  }

  sizes(domains: readonly string[]): AskedPerDomain {
    return Object.fromEntries(domains.map((domain) => [domain, 20]));
  }

  digestOf(domains: readonly string[]): string {
    return sha256(domains.join());
  }

  async measure(library: HintLibrary | null, domains: readonly string[]): Promise<readonly ProblemResult[]> {
    return domains.flatMap((domain) =>
      Array.from({ length: 20 }, (_, index) => ({ domain, solved: index < (library?.hints[domain]?.length ?? 0) })),
    );
  }
}

/** Adds hint by hint to the parent's library. */
class HintRunner extends JobRunner<HintJob, HintLibrary> {
  override readonly kind = 'hints';
  override readonly engine = null;
  override readonly baseModelDigest = FAKE_BASE_MODEL;
  override readonly evaluation = new HintEvaluation();

  /** @param onStep is called before each step; what it throws ends the attempt */
  constructor(
    private readonly objects: ObjectStore,
    private readonly onStep: (step: number) => void,
  ) {
    super();
  }

  async run(job: HintJob, parent: HintLibrary | null, recording: Recording): Promise<JobResult<HintLibrary>> {
    let hints: Hints = parent?.hints ?? {};
    let steps = 0;
    const work: Resumable = {
      get steps() {
        return steps;
      },
      saveState: async () => Buffer.from(canonicalJson({ steps, hints })),
      restoreState: async (bytes) => {
        ({ steps, hints } = JSON.parse(Buffer.from(bytes).toString()) as { steps: number; hints: Hints });
      },
    };
    await recording.resume(work);
    for (const { domain, hint } of job.add.slice(steps)) {
      recording.signal.throwIfAborted();
      this.onStep(steps);
      hints = { ...hints, [domain]: [...new Set([...(hints[domain] ?? []), hint])].sort() };
      steps++;
      recording.report('training', steps, job.add.length);
      const { saving } = recording;
      if (saving !== undefined && steps % saving.everySteps === 0) await saving.save(work, { hints: steps });
    }
    return { status: 'made', artefact: libraryOf(hints), steps, metrics: { hints: steps } };
  }

  async store({ digest, hints }: HintLibrary): Promise<StoredArtefact> {
    const key = `libraries/${digest}/library.json`;
    const body = Buffer.from(canonicalJson(hints));
    await this.objects.put(key, body);
    return { key, sizeBytes: body.length };
  }

  async load({ key, adapterDigest }: { key: string; adapterDigest: string }): Promise<HintLibrary> {
    const library = libraryOf(JSON.parse(Buffer.from(await this.objects.get(key)).toString()) as Hints);
    if (library.digest !== adapterDigest)
      throw new SeamError('ADAPTER_INVALID', `Cannot publish the library: another one lies at ${key}.`);
    return library;
  }

  fingerprint({ digest }: HintLibrary): Promise<string> {
    return Promise.resolve(sha256(`serves ${digest}`));
  }
}

/** @param onStep is called before each step; what it throws ends the attempt */
export function hintLibraries(
  objects: ObjectStore,
  onStep: (step: number) => void = () => undefined,
): MethodWithRunner {
  return { method: new HintMethod(), runner: new HintRunner(objects, onStep) };
}
