/**
 * A judge that is asked once about equal tasks: no opinion is paid for twice, and equal answers have one verdict. It remembers the
 * verdicts of one model in one revision, the last that judged. Otherwise a comparison after a change of revision would mix both for ever.
 */
import { canonicalJson, isSeamError, raceAbort, sha256 } from '@seamstream/kernel';
import type { AnswerJudge, JudgedMeaning, JudgingTask } from './verifier.types.js';

/** Verdicts that are kept, some hundred bytes each: more than one comparison of adapters asks for. */
const MOST_KEPT = 16_384;

interface Known {
  readonly verdict: Promise<JudgedMeaning>;
  /** Name of the model and its revision; undefined while the verdict is under way. */
  judgedBy?: string;
}

export class RememberingJudge implements AnswerJudge {
  /** By task, the one that was asked about the longest time ago first; those under way as well. */
  private readonly known = new Map<string, Known>();
  /** Of the last verdict that arrived. */
  private judgedBy: string | undefined;

  constructor(
    private readonly judging: AnswerJudge,
    private readonly mostKept = MOST_KEPT,
  ) {}

  async judge(task: JudgingTask, signal?: AbortSignal): Promise<JudgedMeaning> {
    const key = sha256(canonicalJson([task.question, task.reference, task.answer]));
    for (let known = this.known.get(key); known !== undefined; known = this.known.get(key)) {
      this.keep(key, known);
      try {
        return await raceAbort(signal, known.verdict, 'a verdict that another one asked for');
      } catch (error) {
        // Another caller gave up, and this one has not.
        if (!isSeamError(error, 'ABORTED') || signal?.aborted === true) throw error;
      }
    }
    const asked: Known = { verdict: this.judging.judge(task, signal) };
    this.keep(key, asked);
    asked.verdict.then(
      ({ judgedBy }) => this.arrived(asked, canonicalJson([judgedBy.model, judgedBy.revision])),
      // What failed is no verdict: it is asked for again.
      () => {
        if (this.known.get(key) === asked) this.known.delete(key);
      },
    );
    return asked.verdict;
  }

  /** Forgets the verdicts of others. Those under way stay: whose they are is not known yet. */
  private arrived(asked: Known, judgedBy: string): void {
    asked.judgedBy = judgedBy;
    if (this.judgedBy === judgedBy) return;
    this.judgedBy = judgedBy;
    for (const [key, other] of this.known)
      if (other.judgedBy !== undefined && other.judgedBy !== judgedBy) this.known.delete(key);
  }

  private keep(key: string, known: Known): void {
    this.known.delete(key);
    this.known.set(key, known);
    if (this.known.size > this.mostKept) this.known.delete(this.known.keys().next().value!);
  }

  close(): Promise<void> {
    return this.judging.close();
  }
}
