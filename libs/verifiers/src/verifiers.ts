/** Verifiers with what they need of the world: threads for mathematics, sandboxes for code, endpoints of users. */
import { availableParallelism } from 'node:os';
import type { VerifierSpec } from '@seamstream/events';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { CodeSandbox, type SandboxSettings } from './code-sandbox.js';
import { askEndpoint, type VerifierEndpoint } from './http-endpoints.js';
import { isJudgedByModel, type JudgedProblem } from './judge.verifier.js';
import { MathThreads } from './math/math-threads.js';
import { judgeFor } from './registry.js';
import type { Language } from './sandbox-command.js';
import type {
  AnswerJudge,
  JudgedMeaning,
  JudgedResponse,
  JudgingTask,
  Verdict,
  VerifierMeans,
} from './verifier.types.js';

export interface VerifierSettings {
  /** Most threads that compare mathematics. Default: one for each two processors. */
  readonly mathThreads?: number;
  readonly sandbox?: SandboxSettings;
  /** Users' own verifiers by name. */
  readonly endpoints?: Readonly<Record<string, VerifierEndpoint>>;
  /** Of judge@1, and of passage@1 where a model judges each answer; without it such problems cannot be judged here. */
  readonly judge?: AnswerJudge | undefined;
}

export interface CheckOptions {
  readonly signal?: AbortSignal;
  /** Replaces the verifier's own limit. Milliseconds. */
  readonly deadlineMs?: number;
}

/** Nothing is started before it is needed, and what idles does not keep the process alive. */
export class Verifiers {
  private readonly threads: MathThreads;
  private readonly sandbox: CodeSandbox;
  private readonly means: VerifierMeans;

  constructor(private readonly settings: VerifierSettings = {}) {
    this.threads = new MathThreads(settings.mathThreads ?? Math.max(1, Math.floor(availableParallelism() / 2)));
    this.sandbox = new CodeSandbox(settings.sandbox);
    this.means = {
      equivalence: (task, { deadlineMs, signal }) => this.threads.run(task, deadlineMs, signal),
      runCode: (task, { deadlineMs, signal }) => this.sandbox.run(task, deadlineMs, signal),
      askEndpoint: (name, request, limits) => askEndpoint(settings.endpoints ?? {}, name, request, limits),
      askJudge: (verifier, task, limits) => askJudge(settings.judge, verifier, task, limits),
    };
  }

  /**
   * Judges a response. A verdict is about the response alone: a fault of the problem or of the check itself is thrown
   * instead, so that neither a malformed reference nor a deadline ever counts as a failure of the executor.
   * @throws UNKNOWN_VERIFIER naming the known ones; INVALID_INPUT when reference or options are malformed; VERIFIER_FAILED (retryable)
   * when the check failed or passed its deadline; ABORTED by the signal.
   */
  async verify(
    spec: VerifierSpec,
    response: JudgedResponse,
    reference: string,
    { signal, deadlineMs }: CheckOptions = {},
  ): Promise<Verdict> {
    const judge = judgeFor(spec, reference);
    if (!response.finished)
      return {
        success: false,
        extractedAnswer: null,
        detail: 'the response is unfinished: it reached its token limit',
      };
    try {
      return await judge(response.text, { signal, deadlineMs: deadlineMs ?? null, means: this.means });
    } catch (error) {
      if (isSeamError(error)) throw error;
      throw new SeamError('VERIFIER_FAILED', `Cannot verify by ${nameOf(spec)}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * Refuses, before anything is asked, problems that cannot be judged here.
   * @throws INVALID_CONFIGURATION where a model has to judge one, and there is none
   */
  assertCanJudge(problems: Iterable<JudgedProblem>): void {
    if (this.settings.judge !== undefined) return;
    for (const problem of problems) if (isJudgedByModel(problem)) throw noJudge(nameOf(problem.verifier));
  }

  /**
   * Proves that answers in these languages can be judged here, for a service that would rather not start than find out later.
   * @throws INVALID_CONFIGURATION saying what is missing
   */
  async proveSandbox(languages: readonly Language[]): Promise<void> {
    for (const language of languages) await this.sandbox.prove(language);
  }

  /** Ends what is under way, that of the model that judges included. */
  async close(): Promise<void> {
    await this.settings.judge?.close();
    await this.sandbox.close();
    await this.threads.close();
  }
}

async function askJudge(
  judge: AnswerJudge | undefined,
  verifier: string,
  task: JudgingTask,
  { signal, deadlineMs }: { readonly signal?: AbortSignal | undefined; readonly deadlineMs?: number },
): Promise<JudgedMeaning> {
  if (judge === undefined) throw noJudge(verifier);
  const signals = [signal, deadlineMs === undefined ? undefined : AbortSignal.timeout(deadlineMs)];
  const given = signals.filter((each) => each !== undefined);
  return judge.judge(task, given.length === 0 ? undefined : AbortSignal.any(given));
}

function nameOf({ kind, version }: Pick<VerifierSpec, 'kind' | 'version'>): string {
  return `${kind}@${version}`;
}

/** @param verifier as messages name it */
function noJudge(verifier: string): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot verify by ${verifier}: expected a model that judges, got none. Set SEAM_EXECUTOR_JUDGE_URL and SEAM_EXECUTOR_JUDGE_MODEL; of a trainer SEAM_TRAINER_EXECUTOR_JUDGE_URL and SEAM_TRAINER_EXECUTOR_JUDGE_MODEL.`,
  );
}

/** For callers with nothing to configure. */
export const builtInVerifiers = new Verifiers();
