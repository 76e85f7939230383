/** Problem to experiences: groups of candidates to learn from, or one to deploy. */
import type { ProblemStatement } from '@seamstream/environments';
import { experienceIdOf, groupIdOf, type Unaugmented } from '@seamstream/events';
import { groundedSchema, type Prompts, parseEntry, schemaDigest } from '@seamstream/experience';
import { type GuidanceSettings, guidedSchema } from '@seamstream/experience-library';
import { derivedId, type ErrorCode, SeamError } from '@seamstream/kernel';
import type { GenerationResult, SamplingSettings } from '@seamstream/language-model';
import type { JsonSchema } from '@seamstream/token-grammar';
import { type FittingPrompt, fittingPrompt } from './fitting-prompt.js';
import type { GeneratorModel } from './generator-model.port.js';
import { isLibrary, type Served, weightsOf } from './served.js';

export interface ExplorationSettings {
  readonly model: GeneratorModel;
  /** Weights, or a library whose items are written into the entries; null: the bare base model. */
  readonly adapter: Served | null;
  readonly prompts: Prompts;
  /** Candidates to write per problem. */
  readonly groupSize: number;
  /** Index of the first of them; 0 when absent. Ids and seeds follow from it. */
  readonly firstCandidate?: number;
  readonly sampling: SamplingSettings;
  /** Longest time that a candidate may take, in milliseconds, waits not counted. One that takes longer is not among the candidates. Absent: any. */
  readonly timeoutMs?: number;
  /** Of a domain; each problem's entries are written under what is left of it by the problem, see groundedSchema. */
  schemaFor(domain: string): JsonSchema;
  /** Ends what is under way, with ABORTED. */
  readonly signal?: AbortSignal;
  /** Receives now and then what is done while the rest is under way; before the call ends, all that is. */
  readonly onProgress?: (progress: ExplorationProgress) => void;
}

export interface ExplorationProgress {
  /** Tokens written so far. */
  readonly tokens: number;
  /** What came to its end since the last time, with the place of its request. */
  readonly explored: readonly { readonly request: number; readonly exploration: Exploration }[];
  /** Of self-edits: what is written of groups that lack some yet, with the place of their request. */
  readonly begun?: readonly { readonly request: number; readonly candidates: readonly ExperienceCandidate[] }[];
}

/** A problem with the id of the event that asks for experiences: all ids and seeds derive from it. */
export interface ExplorationRequest {
  readonly eventId: string;
  readonly problem: ProblemStatement;
  /** Which candidates to write, and from which seeds; the whole group from its own seeds when absent. */
  readonly candidates?: readonly { readonly index: number; readonly seed: string }[];
  /** Self-edits of the group that an earlier call wrote, see {@link ExplorationProgress.begun}. They are not written again. */
  readonly written?: readonly ExperienceCandidate[];
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
  /** Why nothing was written, of a self-edit: its entry is empty, and so are its tokens. */
  readonly unaugmented?: Unaugmented;
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

/** Seed of one candidate's random stream. */
export function candidateSeed(eventId: string, candidateIndex: number): string {
  return derivedId(eventId, 'experience-seed', candidateIndex);
}

/**
 * Writes `groupSize` candidate entries for each problem. The result for a problem depends on its own event, the settings and
 * the weights, not on the problems it is asked for with.
 * A problem whose prompt does not fit the model fails alone; any other failure rejects the call.
 * @returns one exploration per request, in their order.
 */
export async function generateExperiences(
  requests: readonly ExplorationRequest[],
  settings: ExplorationSettings,
): Promise<Exploration[]> {
  const { model, adapter, prompts, groupSize, sampling, firstCandidate = 0, timeoutMs, signal, onProgress } = settings;
  const prepared = requests.map(
    ({ eventId, problem, candidates }): Prepared => ({
      eventId,
      problem,
      candidates:
        candidates ??
        Array.from({ length: groupSize }, (_, at) => ({
          index: firstCandidate + at,
          seed: candidateSeed(eventId, firstCandidate + at),
        })),
      schema: settings.schemaFor(problem.domain),
      prompt: fittingPrompt(
        model,
        prompts.generator(problem.prompt, model.tokenizer.controlTokens),
        sampling.maxTokens,
      ),
    }),
  );
  const weights = weightsOf(adapter);
  const guidance: GuidanceSettings = {
    // The other half is left to the rest of the entry.
    mostTokens: Math.floor(sampling.maxTokens / 2),
    tokenizer: model.tokenizer,
  };
  const guided = (schema: JsonSchema, problem: ProblemStatement): JsonSchema =>
    adapter !== null && isLibrary(adapter) ? guidedSchema(schema, adapter, problem, guidance) : schema;
  const asked = prepared.flatMap(({ prompt, ...each }, place): Asked[] =>
    prompt.fits ? [{ ...each, place, promptTokenIds: prompt.tokenIds }] : [],
  );
  const generated =
    asked.length === 0
      ? []
      : await model.generate(
          asked.map(({ problem, candidates, schema, promptTokenIds }) => ({
            promptTokenIds,
            seeds: candidates.map(({ seed }) => seed),
            sampling,
            ...(timeoutMs === undefined ? {} : { timeoutMs }),
            // What it quotes from the problem, it finds there.
            schema: groundedSchema(guided(schema, problem), problem.prompt),
          })),
          {
            ...(weights === null ? {} : { adapter: weights }),
            ...(signal === undefined ? {} : { signal }),
            ...(onProgress === undefined
              ? {}
              : {
                  onProgress: ({ tokens, finished }) =>
                    onProgress({ tokens, explored: endedOf(finished, asked, settings) }),
                }),
          },
        );
  const results = asked.map((each, i) => explorationOf(each, generated[i]!, settings)).values();
  return prepared.map(({ eventId, problem, prompt }): Exploration => {
    if (prompt.fits) return results.next().value!;
    return {
      status: 'failed',
      problem,
      groupId: groupIdOf(eventId),
      code: 'PROMPT_TOO_LONG',
      reason: `Cannot write an experience: expected prompt and entry within ${model.config.maxPositions} tokens, got ${prompt.size} and up to ${sampling.maxTokens}. Shorten the problem.`,
    };
  });
}

type Whole = Required<Omit<ExplorationRequest, 'written'>>;

interface Prepared extends Whole {
  readonly schema: JsonSchema;
  readonly prompt: FittingPrompt;
}

interface Asked extends Whole {
  /** Of its request. */
  readonly place: number;
  readonly schema: JsonSchema;
  readonly promptTokenIds: readonly number[];
}

function explorationOf(each: Asked, sequences: GenerationResult, settings: ExplorationSettings): Exploration {
  return {
    status: 'explored',
    problem: each.problem,
    groupId: groupIdOf(each.eventId),
    candidates: sequences.flatMap((sequence, at) =>
      sequence.finishReason === 'late' ? [] : [candidateOf(each, sequence, each.candidates[at]!, settings)],
    ),
  };
}

/** What is written already. A group that cannot be read is reported at the end, to the caller that waits for it. */
function endedOf(
  finished: readonly { readonly request: number; readonly candidates: GenerationResult }[],
  asked: readonly Asked[],
  settings: ExplorationSettings,
): { readonly request: number; readonly exploration: Exploration }[] {
  return finished.flatMap(({ request, candidates }) => {
    const each = asked[request]!;
    try {
      return [{ request: each.place, exploration: explorationOf(each, candidates, settings) }];
    } catch {
      return [];
    }
  });
}

function candidateOf(
  { eventId, problem, schema, promptTokenIds }: Asked,
  sequence: GenerationResult[number],
  { index: candidateIndex, seed }: Asked['candidates'][number],
  settings: ExplorationSettings,
): ExperienceCandidate {
  const { model, sampling } = settings;
  const text = model.tokenizer.decode(sequence.tokenIds);
  if (sequence.finishReason !== 'completed') {
    throw new SeamError(
      'INTERNAL',
      `Cannot write an experience for problem ${problem.problemId}: the grammar should have ended the entry within ${sampling.maxTokens} tokens, it stands at ${JSON.stringify(text)}.`,
    );
  }
  return {
    experienceId: experienceIdOf(eventId, candidateIndex),
    candidateIndex,
    entry: parseEntry(text, schema).text,
    promptTokenIds,
    tokenIds: sequence.tokenIds,
    logProbs: sequence.logProbs,
    legalMass: sequence.legalMass,
    forced: sequence.forced,
    ...writerOf(settings, schema, seed),
  };
}

/** Who wrote a candidate, and how. */
export function writerOf(
  { model, adapter, sampling }: Pick<ExplorationSettings, 'model' | 'adapter' | 'sampling'>,
  schema: JsonSchema,
  seed: string,
): Pick<ExperienceCandidate, 'entrySchema' | 'sampling' | 'tokenizerDigest' | 'baseModelDigest' | 'adapterDigest'> {
  return {
    entrySchema: schemaDigest(schema),
    sampling: { ...sampling, seed },
    tokenizerDigest: model.tokenizer.digest,
    baseModelDigest: model.digest,
    adapterDigest: adapter?.digest ?? null,
  };
}
