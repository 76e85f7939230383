import type { TopicDifference, WantedTopic } from '@seamstream/event-log-kafka';

/** What a command does with a cluster's topics. */
export interface TopicAdmin {
  compareTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]>;
  applyTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]>;
}
