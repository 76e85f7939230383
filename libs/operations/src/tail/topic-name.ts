import { SeamError } from '@seamstream/kernel';

const PREFIX = 'seam.';

/** The topic that a person means: "problems" and "seam.problems" are the same. UNKNOWN_TOPIC lists what there is. */
export function resolveTopic(name: string, topics: readonly string[]): string {
  const found = topics.find((topic) => topic === name) ?? topics.find((topic) => topic === PREFIX + name);
  if (found !== undefined) return found;
  const known = topics.map((topic) => (topic.startsWith(PREFIX) ? topic.slice(PREFIX.length) : topic)).sort();
  throw new SeamError(
    'UNKNOWN_TOPIC',
    `Cannot open topic "${name}": expected one of ${known.join(', ')}, got "${name}".`,
    {
      details: { topic: name, known: topics },
    },
  );
}
