/** Where a consumer's answers are, and how they differ from records that only name a cause. */
import type { Answers, SeamEvent, TopicName } from '@seamstream/events';

export interface AnswersIn {
  /** Topics that hold what follows from a record, under its key. */
  readonly topics: readonly TopicName[];
  /**
   * Anybody who may append to these topics can name any record as a cause. So what a record answers is asked of this, once its cause
   * comes. Undefined for what can answer nothing.
   */
  readonly recognise: (answer: SeamEvent) => Answers | undefined;
}
