/** Who records self-trainings, and where. */
import { TOPIC } from '@seamstream/events';

export const SOURCE = 'seam/cli';

/** In the order in which they are looked at: what an event rests on is read before it. */
export const SELF_TRAINING_TOPICS = [TOPIC.deadLetters, TOPIC.outcomes, TOPIC.problems, TOPIC.training] as const;
