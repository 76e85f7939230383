/** Problem to experiences: groups of candidates to learn from, or one to deploy. */
import { type Prompts, parseEntry, schemaDigest } from '@seamstream/experience';
import { derivedId, type ErrorCode, SeamError } from '@seamstream/kernel';
import type { Adapter, JsonSchema, SamplingSettings } from '@seamstream/language-model';
import { encodePrompt, type GeneratorModel } from './models.port.js';

/** What a generator may know of a problem: everything but its reference answer. */
export interface ProblemStatement {
  readonly problemId: string;
  readonly domain: string;
  readonly prompt: string;
}

export interface ExplorationSettings {
  readonly model: GeneratorModel;
  /** Null: the bare base model. */
  readonly adapter: Adapter | null;
  readonly prompts: Prompts;
  /** Candidates to write per problem. */
  readonly groupSize: number;
  /** Index of the first of them; 0 when absent. Ids and seeds follow from it. */
  readonly firstCandidate?: number;
  readonly sampling: SamplingSettings;
  schemaFor(domain: string): JsonSchema;
  /** Ends what is under way, with ABORTED. */
  readonly signal?: AbortSignal;
}

/** A problem with the id of the event that asks for experiences: all ids and seeds derive from it. */
export interface ExplorationRequest {
  readonly eventId: string;
  readonly problem: ProblemStatement;
}

/** One candidate, with everything that cannot be measured again later. */
export interface ExperienceCandidate {
  readonly experienceId: string;
  readonly candidateIndex: number;
  /** JSON text, valid under its schema. */
  readonly entry: string;
  /** Digest of that schema. */
  readonly entrySchema: string;
  readonly promptTokenIds: readonly number[];
  readonly tokenIds: readonly number[];
  readonly logProbs: readonly number[];
  readonly legalMass: readonly number[];
  readonly forced: readonly boolean[];
  readonly sampling: SamplingSettings & { readonly seed: string };
  readonly tokenizerDigest: string;
  readonly baseModelDigest: string;
  readonly adapterDigest: string | null;
}

export type Exploration =
  | {
      readonly status: 'explored';
      readonly problem: ProblemStatement;
      readonly groupId: string;
      readonly candidates: readonly ExperienceCandidate[];
    }
  | {
      readonly status: 'failed';
      readonly problem: ProblemStatement;
      readonly groupId: string;
      readonly code: ErrorCode;
      readonly reason: string;
    };

/** Id of the group that a problem's event asks for; the control arm's problems have one too. */
export function groupIdOf(eventId: string): string {
  return derivedId(eventId, 'group');
}

export function experienceIdOf(eventId: string, candidateIndex: number): string {
  return derivedId(eventId, 'experience', candidateIndex);
}

/** Seed of one candidate's random stream. */
export function candidateSeed(eventId: string, candidateIndex: number): string {
  return derivedId(eventId, 'experience-seed', candidateIndex);
}

/**
 * Writes `groupSize` candidate entries for each problem. The result for a problem depends on its own event, the settings and
 * the weights, not on the problems it is asked for with.
 * A problem whose prompt does not fit the model fails alone; whatever else goes wrong rejects the call.
 * @returns one exploration per request, in their order.
 */
export async function generateExperiences(
  requests: readonly ExplorationRequest[],
  settings: ExplorationSettings,
): Promise<Exploration[]> {
  const { model, adapter, prompts, groupSize, sampling, firstCandidate = 0, signal } = settings;
  const prepared = requests.map(({ eventId, problem }) => ({
    eventId,
    problem,
    schema: settings.schemaFor(problem.domain),
    promptTokenIds: encodePrompt(model, prompts.generator(problem.prompt)),
  }));
  const fits = ({ promptTokenIds }: { readonly promptTokenIds: readonly number[] }): boolean =>
    promptTokenIds.length + sampling.maxTokens <= model.config.maxPositions;
  const asked = prepared.filter(fits);
  const generated = await model.generate(
    asked.map(({ eventId, schema, promptTokenIds }) => ({
      promptTokenIds,
      seeds: Array.from({ length: groupSize }, (_, candidate) => candidateSeed(eventId, firstCandidate + candidate)),
      sampling,
      schema,
    })),
    { ...(adapter === null ? {} : { adapter }), ...(signal === undefined ? {} : { signal }) },
  );
  const results = new Map(asked.map((each, i) => [each, generated[i]]));
  return prepared.map((each): Exploration => {
    const { eventId, problem, schema, promptTokenIds } = each;
    const groupId = groupIdOf(eventId);
    const sequences = results.get(each);
    if (sequences === undefined) {
      return {
        status: 'failed',
        problem,
        groupId,
        code: 'PROMPT_TOO_LONG',
        reason: `The generator's prompt has ${promptTokenIds.length} tokens and an entry may have ${sampling.maxTokens}; the model holds ${model.config.maxPositions}. Shorten the problem.`,
      };
    }
    const candidates = sequences.map((sequence, index): ExperienceCandidate => {
      const candidateIndex = firstCandidate + index;
      const text = model.tokenizer.decode(sequence.tokenIds);
      if (sequence.finishReason !== 'completed') {
        throw new SeamError(
          'INTERNAL',
          `Writing an experience for problem ${problem.problemId}: the grammar should have ended the entry within ${sampling.maxTokens} tokens, it stands at ${JSON.stringify(text)}.`,
        );
      }
      return {
        experienceId: experienceIdOf(eventId, candidateIndex),
        candidateIndex,
        entry: parseEntry(text, schema).text,
        entrySchema: schemaDigest(schema),
        promptTokenIds,
        tokenIds: sequence.tokenIds,
        logProbs: sequence.logProbs,
        legalMass: sequence.legalMass,
        forced: sequence.forced,
        sampling: { ...sampling, seed: candidateSeed(eventId, candidateIndex) },
        tokenizerDigest: model.tokenizer.digest,
        baseModelDigest: model.digest,
        adapterDigest: adapter?.digest ?? null,
      };
    });
    return { status: 'explored', problem, groupId, candidates };
  });
}
