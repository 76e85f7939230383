/** Training runs that had a problem before them, and how much of it. */
import type { EventOf, OffsetRange, Problem } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { shardOf } from '@seamstream/success-buffer/shards';
import type { Decision, ProblemStoryState, StoryRun } from './problem-story.types.js';
import type { EventPosition } from './projection.js';
import { sequencesOf } from './story-attempts.js';

export function runsOf(state: ProblemStoryState, { domain }: Problem): readonly StoryRun[] {
  const sequences = sequencesOf(state);
  const versions = new Map(state.commits.map((commit) => [commit.manifestDigest, commit]));
  return [...state.runs.values()]
    .map(({ start, status, adapterDigest, reason }): StoryRun => {
      const { runId, algorithm, manifestDigest, manifests, meta } = start;
      const digests = [...(manifestDigest === null ? [] : [manifestDigest]), ...manifests.map(({ digest }) => digest)];
      return {
        ...{ runId, algorithm, startedAt: meta.occurredAt, status, adapterDigest, reason },
        // The inputs of a run that reads the buffer are those of the buffer: all that it was ever folded from.
        results: digests.length > 0 ? 0 : state.results.filter((result) => isReplayed(result, start)).length,
        pairs: digests.reduce((sum, digest) => {
          const version = versions.get(digest);
          if (version === undefined) return sum;
          if (shardOf(domain, version.shards) !== version.shard) return sum;
          return sum + pairsIn(version.sequence, state.decisions, sequences);
        }, 0),
      };
    })
    .filter(({ results, pairs }) => results + pairs > 0)
    .sort((a, b) => a.startedAt - b.startedAt || compareText(a.runId, b.runId));
}

/** Within the offsets that the run replays, and not among what its plan leaves out. */
function isReplayed(
  { event, position }: ProblemStoryState['results'][number],
  { inputs, configuration }: EventOf<'TrainingRunStarted'>,
): boolean {
  const { excluded, refused } = leftOut(configuration);
  return isWithin(position, inputs) && !excluded.includes(event.groupId) && !isWithin(position, refused);
}

function isWithin({ topic, partition, offset }: EventPosition, ranges: readonly OffsetRange[]): boolean {
  return ranges.some(
    (range) => range.topic === topic && range.partition === partition && range.from <= offset && offset < range.to,
  );
}

/** Groups and places that a recorded plan names as not to be learned from; nothing where it is of another version. */
function leftOut(configuration: string): {
  readonly excluded: readonly string[];
  readonly refused: readonly OffsetRange[];
} {
  try {
    const { excluded = [], refused = [] } = JSON.parse(configuration) as {
      readonly excluded?: readonly string[];
      readonly refused?: readonly OffsetRange[];
    };
    return { excluded, refused };
  } catch {
    return { excluded: [], refused: [] };
  }
}

/** Pairs whose last decision up to a version let them in. */
function pairsIn(version: number, decisions: readonly Decision[], sequences: ReadonlyMap<string, number>): number {
  const known = decisions
    .flatMap((decision) => {
      const sequence = sequences.get(decision.meta.messageId);
      return sequence === undefined || sequence > version ? [] : [{ decision, sequence }];
    })
    .sort((a, b) => a.sequence - b.sequence);
  const within = new Map(known.map(({ decision }) => [decision.outcomeId, decision.type === 'SuccessAdmitted']));
  return [...within.values()].filter(Boolean).length;
}
