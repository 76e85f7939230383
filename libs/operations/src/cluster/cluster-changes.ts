/** Whether topics and rights of a Kafka cluster are as a file says, and making them so without losing a record. */
import { fileURLToPath } from 'node:url';
import type { Acl, AclDifference, TopicDifference, WantedTopic } from '@seamstream/event-log-kafka';
import { DEFAULT_ACL_FILE, parseAclFile } from './acl-file.js';
import { DEFAULT_TOPIC_FILE, parseTopicFile } from './topic-file.js';

interface FileDoor {
  readInput(path: string): Promise<Uint8Array>;
}

interface TopicsWorld extends FileDoor {
  openTopics(): Promise<{
    compareTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]>;
    applyTopics(wanted: readonly WantedTopic[]): Promise<readonly TopicDifference[]>;
  }>;
}

interface AclsWorld extends FileDoor {
  openAcls(): Promise<{
    compareAcls(wanted: readonly Acl[]): Promise<readonly AclDifference[]>;
    applyAcls(wanted: readonly Acl[], options: { readonly revoke: boolean }): Promise<readonly AclDifference[]>;
  }>;
}

interface Applied<Difference> {
  /** How much is wanted in all. */
  readonly wanted: number;
  readonly applied: readonly Difference[];
  /** What is left to a person. */
  readonly left: readonly Difference[];
}

async function wantedTopics(
  world: FileDoor,
  file: string = fileURLToPath(DEFAULT_TOPIC_FILE),
): Promise<readonly WantedTopic[]> {
  return parseTopicFile(file, await world.readInput(file));
}

/** How many partitions a topic has is its operator's choice; the shipped file says it only of topics that are to be made. */
function chosen(file: string | undefined, differences: readonly TopicDifference[]): readonly TopicDifference[] {
  return file === undefined ? differences.filter(({ what }) => what !== 'partitions') : differences;
}

/** What differs between file and cluster; nothing is changed. @param file the shipped one where absent. @throws INVALID_INPUT for a file that cannot be read */
export async function compareTopics(
  world: TopicsWorld,
  file: string | undefined,
): Promise<{ readonly wanted: number; readonly differences: readonly TopicDifference[] }> {
  const wanted = await wantedTopics(world, file);
  const differences = await (await world.openTopics()).compareTopics(wanted);
  return { wanted: wanted.length, differences: chosen(file, differences) };
}

/** Makes missing topics and sets named settings; what could lose a record is left. @throws as {@link compareTopics} */
export async function applyTopics(world: TopicsWorld, file: string | undefined): Promise<Applied<TopicDifference>> {
  const wanted = await wantedTopics(world, file);
  const differences = chosen(file, await (await world.openTopics()).applyTopics(wanted));
  const left = differences.filter(({ refused }) => refused !== null);
  return { wanted: wanted.length, applied: differences.filter((each) => !left.includes(each)), left };
}

/** The rights that a file names. @throws INVALID_INPUT for a file that cannot be read */
export async function wantedAcls(
  world: FileDoor,
  file: string = fileURLToPath(DEFAULT_ACL_FILE),
): Promise<readonly Acl[]> {
  return parseAclFile(file, await world.readInput(file));
}

/** What differs between file and cluster; nothing is changed. @throws as {@link wantedAcls} */
export async function compareAcls(
  world: AclsWorld,
  file: string | undefined,
): Promise<{ readonly wanted: number; readonly differences: readonly AclDifference[] }> {
  const wanted = await wantedAcls(world, file);
  return { wanted: wanted.length, differences: await (await world.openAcls()).compareAcls(wanted) };
}

/** Gives missing rights; takes those that no principal is to have only with `revoke`. @throws as {@link wantedAcls} */
export async function applyAcls(
  world: AclsWorld,
  file: string | undefined,
  { revoke }: { readonly revoke: boolean },
): Promise<Applied<AclDifference>> {
  const wanted = await wantedAcls(world, file);
  const differences = await (await world.openAcls()).applyAcls(wanted, { revoke });
  const left = differences.filter(({ what }) => what === 'surplus' && !revoke);
  return { wanted: wanted.length, applied: differences.filter((each) => !left.includes(each)), left };
}
