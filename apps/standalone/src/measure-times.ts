/** What it takes in a world of attributes until an answer is right: for a generator, for the executor alone, and for a case that is looked up. */
import { type Attempt, similarCases } from '@seamstream/attribute-world';
import { statementOf } from '@seamstream/environments';
import { type Trier, timeToCorrect } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { generateExperiences, type Served } from '@seamstream/rollout';
import type { Host } from './host-services.js';
import type { TimeRow, TimesToCorrect } from './report/attributes-report.js';

/** Candidates that are tried in turn, and problems that they are tried on. */
const CANDIDATES = 4;
const PROBLEMS = 64;
/** Problems whose entries are asked for one at a time. */
const ONE_BY_ONE = 12;

export interface TimesInput {
  readonly host: Pick<Host, 'generator' | 'environment' | 'prompts' | 'schemaFor' | 'entryMaxTokens'>;
  readonly adapter: Served | null;
  readonly attempts: readonly Attempt[];
  readonly seed: number;
  readonly say: (activity: string) => void;
}

/** @param problems that decided nothing; the first are measured */
export async function measureTimes(
  problems: readonly Problem[],
  { host, adapter, attempts, seed, say }: TimesInput,
): Promise<TimesToCorrect> {
  const asked = problems.slice(0, PROBLEMS);
  const similar = similarCases(attempts);
  // Looked up once for each problem: what is tried next is known then.
  const looked = new Map<string, readonly string[]>();
  const lookUp = (problem: Pick<Problem, 'problemId' | 'domain' | 'prompt'>): readonly string[] => {
    const found = looked.get(problem.problemId) ?? similar(problem);
    looked.set(problem.problemId, found);
    return found;
  };
  const { generator, environment, prompts, schemaFor, entryMaxTokens: maxEntryTokens } = host;
  const nowMs = (): number => performance.now();
  const settings = { generator, environment, prompts, schemaFor, maxEntryTokens, seed: `times/${seed}`, nowMs };
  const write = async (problem: Problem, by: Served | null): Promise<unknown> =>
    generateExperiences([{ eventId: problem.problemId, problem: statementOf(problem) }], {
      ...{ model: generator, adapter: by, prompts, schemaFor, groupSize: 1 },
      sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: maxEntryTokens },
    });
  const triers: readonly (readonly [name: string, Trier, ((problem: Problem) => unknown) | null])[] = [
    ['noExperience', { kind: 'alone', drawing: { temperature: 1, topP: 1 } }, null],
    ['untrained', { kind: 'entries', adapter: null }, (problem) => write(problem, null)],
    ['trained', { kind: 'entries', adapter }, (problem) => write(problem, adapter)],
    ['retrieved case', { kind: 'texts', texts: lookUp }, similar],
  ];
  const rows: TimeRow[] = [];
  for (const [name, trier, entryOf] of triers) {
    const time = await timeToCorrect(asked, trier, {
      ...{ ...settings, candidates: CANDIDATES },
      onProgress: (candidate, done, total) =>
        say(`measuring the time to correct: ${name}, candidate ${candidate + 1} ${done}/${total}`),
    });
    const { solved, solvedInterval95: interval95, firstCorrect, candidatesTried, tokens, seconds } = time;
    const entryMs = entryOf === null ? null : await medianMs(asked.slice(0, ONE_BY_ONE), entryOf, nowMs);
    rows.push({ ...{ name, solved, interval95, first: firstCorrect[0]!, candidatesTried, tokens, seconds }, entryMs });
  }
  const cases = attempts.filter(({ success }) => success).length;
  return { problems: asked.length, candidates: CANDIDATES, cases, rows };
}

/** Of what a single user waits for each problem's entry. */
async function medianMs(
  problems: readonly Problem[],
  entryOf: (problem: Problem) => unknown,
  nowMs: () => number,
): Promise<number> {
  const waits: number[] = [];
  for (const problem of problems) {
    const startedMs = nowMs();
    await entryOf(problem);
    waits.push(nowMs() - startedMs);
  }
  return waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)]!;
}
