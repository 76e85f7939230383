/** What self-edits of several writers are worth on the passages of a file; the edits are read from what `seam edits generate` wrote. */
import { unpublishedProblem } from '@seamstream/datasets';
import { trainableExecutor } from '@seamstream/environments';
import {
  EDIT_ARMS,
  type EditArm,
  type EditTrial,
  type SelfEditsStudy,
  studySelfEdits,
  type WriterArm,
} from '@seamstream/evaluation';
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { selfEditKind, trainingDocuments } from '@seamstream/self-edits';
import { z } from 'zod';
import { type JudgingWorld, verifiersFor } from './judging.js';
import { type EditDocuments, gradedPassages, type PassagesDoor, readEditDocuments } from './learned-passages.js';
import { parsedLine } from './parsed-line.js';
import type { RetentionWorld } from './study-retention.js';

export interface SelfEditsRequest {
  /** The form of the file; by its first row when absent. */
  readonly dataset?: string | undefined;
  /** Who judges each answer, instead of what dataset or row say. */
  readonly verifier?: string | undefined;
  /** Passages to take: the first. */
  readonly limit?: number | undefined;
  /** Edits by the writer before its training, after it, and by a model at an endpoint: files as `seam edits generate` writes them. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly seeds: readonly string[];
  /** Where trials go as they are known; what an interrupted call left there is continued. */
  readonly trials?: string | undefined;
  readonly report?: string | undefined;
  readonly force?: true;
}

export interface SelfEditsReport extends SelfEditsStudy {
  /** Rows of the file that were left out. */
  readonly faultyRows: number;
  readonly executor: Omit<ExecutorIdentity, 'template'>;
}

const WRITERS = ['before', 'after', 'endpoint'] as const satisfies readonly WriterArm[];

/** A passage of the file with its edits by writer, in the order of their numbers; null for one that a filter refused. */
interface StudiedRow {
  readonly problem: Problem;
  readonly edits: Readonly<Partial<Record<WriterArm, readonly (readonly string[] | null)[]>>>;
}

/**
 * Measures the passages of a file without an edit, and with those of each writer that is named.
 * @throws INVALID_INPUT for a file without passages, or without an edit of one; INVALID_CONFIGURATION for an executor that cannot be trained,
 * and where a model has to judge and none is configured
 */
export async function studySelfEditsOf(
  world: RetentionWorld & JudgingWorld,
  path: string,
  request: SelfEditsRequest,
  onProgress: (stage: string, done: number, total: number) => void,
): Promise<SelfEditsReport> {
  const { seeds, trials: file, report, force: replace } = request;
  // 1. The passages, and their edits.
  const { rows, faultyRows } = await studiedRows(world, path, request);
  const verifiers = await verifiersFor(
    world,
    rows.map(({ problem }) => problem),
  );
  const writers = WRITERS.filter((writer) => request[writer] !== undefined);
  const arms = EDIT_ARMS.filter((arm) => !isWriter(arm) || writers.includes(arm)).filter(
    (arm) => arm !== 'sameTokens' || writers.length > 0,
  );
  for (const output of [file, report]) if (output !== undefined) await world.checkOutput(output, { replace });
  // 2. The trials that an earlier call left.
  const { executor, prompts, update } = await world.openLearner();
  const work = sha256(
    canonicalJson(['self-edits', rows.map(({ problem }) => problem.problemId), [...arms], [...seeds]]),
  );
  const known = new Map<string, EditTrial>();
  const output =
    file === undefined
      ? undefined
      : await world.growOutput(file, { replace, work, keep: (lines) => keptTrials(lines, known) });
  // 3. Those that are left to do.
  const edits = new Map(rows.map((row) => [row.problem.problemId, row.edits]));
  const study = await studySelfEdits(
    rows.map(({ problem }) => problem),
    {
      ...{
        executor: trainableExecutor(executor, 'study self-edits'),
        prompts,
        verifiers,
        innerUpdate: update,
        seeds,
        arms,
        signal: world.signal,
      },
      edits: ({ problemId }, seed) => {
        const own = edits.get(problemId)!;
        const at = seeds.indexOf(seed);
        return Object.fromEntries(writers.map((writer) => [writer, ofSeed(own[writer] ?? [], at)]));
      },
      known: (key) => known.get(key),
      onTrial: async (trial, done, total) => {
        onProgress('trials', done, total);
        if (!known.has(trial.key)) await output?.append(`${JSON.stringify(trial)}\n`);
      },
    },
  );
  await output?.finish();
  return { ...study, faultyRows, executor: executor.identity };
}

/** Several edits of a passage are tried one a seed. */
function ofSeed(edits: readonly (readonly string[] | null)[], at: number): readonly string[] | null {
  return edits.length === 0 ? null : edits[at % edits.length]!;
}

function isWriter(arm: EditArm): arm is WriterArm {
  return (WRITERS as readonly string[]).includes(arm);
}

async function studiedRows(
  world: PassagesDoor,
  path: string,
  { dataset, verifier, limit = Number.POSITIVE_INFINITY, ...request }: SelfEditsRequest,
): Promise<{ readonly rows: readonly StudiedRow[]; readonly faultyRows: number }> {
  const file = await gradedPassages(world, path, dataset, verifier);
  const written = new Map<WriterArm, EditDocuments>();
  for (const writer of WRITERS)
    if (request[writer] !== undefined) written.set(writer, await readEditDocuments(world, request[writer]));
  const rows: StudiedRow[] = [];
  for await (const { row, problem, task } of file.read()) {
    if (rows.length >= limit) break;
    const [passage] = trainingDocuments(selfEditKind('passage'), '', task) as [string];
    const edits = [...written].map(([writer, byRow]) => {
      const own = byRow.get(row);
      if (own === undefined)
        throw new SeamError(
          'INVALID_INPUT',
          `Cannot study self-edits: expected edits of every passage in ${request[writer]}, got none of row ${row}. Write them with seam edits generate from ${path}.`,
        );
      return [writer, own.map((documents) => withPassage(documents, passage))] as const;
    });
    rows.push({ problem: unpublishedProblem(file.digest, problem), edits: Object.fromEntries(edits) });
  }
  if (rows.length > 0) return { rows, faultyRows: file.faultyRows };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot study self-edits on ${path}: expected passages with answered questions, got none. Name a file of passages, and its form (--dataset).`,
  );
}

/** An edit's documents with the passage behind them, where a file says it only once for several edits; null for a refused edit. */
function withPassage(documents: readonly string[], passage: string): readonly string[] | null {
  const own = documents.filter((document) => document !== passage);
  return own.length === 0 ? null : [...own, passage];
}

const trialSchema = z.strictObject({
  key: z.string(),
  arm: z.enum(EDIT_ARMS),
  problemId: z.string(),
  seed: z.string(),
  accuracy: z.number(),
  f1: z.number().nullable(),
  judge: z.strictObject({ model: z.string(), revision: z.string().nullable() }).nullable().default(null),
  logLikelihood: z.number().nullable(),
  refused: z.string().nullable(),
  unaugmented: z.boolean(),
  documents: z.int(),
  seconds: z.number(),
});

async function keptTrials(lines: AsyncIterable<string>, known: Map<string, EditTrial>): Promise<number> {
  let kept = 0;
  for await (const line of lines) {
    const trial = parsedLine(trialSchema, line);
    if (trial === undefined) break;
    known.set(trial.key, trial);
    kept++;
  }
  return kept;
}
