/** Topics as data: infra/kafka/topics.json, or another file of its form. */
import type { WantedTopic } from '@seamstream/event-log-kafka';
import { messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';

/** The one that comes with the release. */
export const DEFAULT_TOPIC_FILE = new URL('../../../../infra/kafka/topics.json', import.meta.url);

const config = z.record(z.string().min(1), z.string());
const topicFile = z.strictObject({
  about: z.string().optional(),
  /** Settings of every topic; a topic's own win. */
  config: config.default({}),
  topics: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        partitions: z.int().positive(),
        replicationFactor: z.int().positive().optional(),
        config: config.default({}),
      }),
    )
    .min(1),
});

/** The wanted topics of a file's bytes. INVALID_INPUT naming what is wrong. */
export function parseTopicFile(path: string, bytes: Uint8Array): readonly WantedTopic[] {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw new SeamError('INVALID_INPUT', `Cannot read ${path}: expected JSON, got: ${messageOf(cause)}.`, { cause });
  }
  const result = topicFile.safeParse(data);
  if (!result.success) {
    throw new SeamError('INVALID_INPUT', `Cannot read ${path}: ${z.prettifyError(result.error)}`);
  }
  return result.data.topics.map((topic) => ({ ...topic, config: { ...result.data.config, ...topic.config } }));
}
