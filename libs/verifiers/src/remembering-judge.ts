/** A judge that is asked once about equal tasks: no opinion is paid for twice, and equal answers have one verdict. */
import { canonicalJson, isSeamError, sha256 } from '@seamstream/kernel';
import type { AnswerJudge, JudgedMeaning, JudgingTask } from './verifier.types.js';

/** Verdicts that are kept, some hundred bytes each: more than one comparison of adapters asks for. */
const MOST_KEPT = 16_384;

export class RememberingJudge implements AnswerJudge {
  /** By task, the one that was asked about the longest time ago first; those under way as well. */
  private readonly known = new Map<string, Promise<JudgedMeaning>>();

  constructor(
    private readonly judging: AnswerJudge,
    private readonly mostKept = MOST_KEPT,
  ) {}

  async judge(task: JudgingTask, signal?: AbortSignal): Promise<JudgedMeaning> {
    const key = sha256(canonicalJson([task.question, task.reference, task.answer]));
    for (let known = this.known.get(key); known !== undefined; known = this.known.get(key)) {
      this.keep(key, known);
      try {
        return await known;
      } catch (error) {
        // Another caller gave up, and this one has not.
        if (!isSeamError(error, 'ABORTED') || signal?.aborted === true) throw error;
      }
    }
    const asked = this.judging.judge(task, signal);
    this.keep(key, asked);
    // What failed is no verdict: it is asked for again.
    asked.catch(() => {
      if (this.known.get(key) === asked) this.known.delete(key);
    });
    return asked;
  }

  private keep(key: string, verdict: Promise<JudgedMeaning>): void {
    this.known.delete(key);
    this.known.set(key, verdict);
    if (this.known.size > this.mostKept) this.known.delete(this.known.keys().next().value!);
  }

  close(): Promise<void> {
    return this.judging.close();
  }
}
