/** The changes after which a cluster's topics are as wanted, and which of them a program may make. Pure. */

export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  /** The cluster's default when absent; of a topic that exists it is compared, not changed. */
  readonly replicationFactor?: number | undefined;
  /** Settings by Kafka's names. Others are not compared. */
  readonly config: Readonly<Record<string, string>>;
}

export interface ExistingTopic {
  readonly name: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  /** All settings in effect, defaults included. */
  readonly config: Readonly<Record<string, string>>;
}

export interface TopicDifference {
  readonly topic: string;
  readonly what: 'topic' | 'partitions' | 'replicationFactor' | 'config';
  /** Of a setting. */
  readonly setting?: string;
  readonly existing: string | null;
  readonly wanted: string;
  /** Why a program leaves it to a person; null when it can be applied without losing anything. */
  readonly refused: string | null;
}

/** All differences, topic by topic in the order wanted. Topics that are not wanted are left alone. */
export function compareTopics(
  wanted: readonly WantedTopic[],
  existing: ReadonlyMap<string, ExistingTopic>,
): TopicDifference[] {
  return wanted.flatMap((topic): TopicDifference[] => {
    const found = existing.get(topic.name);
    if (!found) {
      const settings = Object.entries(topic.config).map(([name, value]) => `${name}=${value}`);
      return [
        {
          topic: topic.name,
          what: 'topic',
          existing: null,
          wanted: [`${topic.partitions} partitions`, ...settings].join(', '),
          refused: null,
        },
      ];
    }
    const differences: TopicDifference[] = [];
    if (found.partitions !== topic.partitions) {
      differences.push({
        topic: topic.name,
        what: 'partitions',
        existing: String(found.partitions),
        wanted: String(topic.partitions),
        refused: 'keys would change their partition: make another topic and copy (seam replay copy --to)',
      });
    }
    if (topic.replicationFactor !== undefined && found.replicationFactor !== topic.replicationFactor) {
      differences.push({
        topic: topic.name,
        what: 'replicationFactor',
        existing: String(found.replicationFactor),
        wanted: String(topic.replicationFactor),
        refused: 'moving copies between brokers needs a separate plan: kafka-reassign-partitions',
      });
    }
    for (const [setting, value] of Object.entries(topic.config)) {
      const present = found.config[setting];
      if (present === value) continue;
      const refused =
        present === undefined ? 'the cluster does not know this setting' : deletionBy(setting, present, value);
      differences.push({
        topic: topic.name,
        what: 'config',
        setting,
        existing: present ?? null,
        wanted: value,
        refused,
      });
    }
    return differences;
  });
}

/** How the change of a setting would let brokers delete records that they keep now; null when it would not. */
function deletionBy(setting: string, existing: string, wanted: string): string | null {
  if (setting === 'retention.ms' || setting === 'retention.bytes') {
    const isShorter = wanted !== '-1' && (existing === '-1' || Number(wanted) < Number(existing));
    return isShorter ? 'records would be deleted: change it by hand if that is meant' : null;
  }
  if (setting === 'cleanup.policy') {
    const present = new Set(existing.split(','));
    const isNew = wanted.split(',').some((policy) => !present.has(policy));
    return isNew ? 'records would be deleted or compacted away: change it by hand if that is meant' : null;
  }
  return null;
}
