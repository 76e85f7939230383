/** Which problem a person means: by its id, the beginning of one, or words of its question. */

import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { count, excerpt, isMeant, LEAST_OF_ID, onOneLine, SeamError } from '@seamstream/kernel';
import { type ReadingProgress, readEvents, storedRanges } from '@seamstream/log-reader';

interface Candidate {
  readonly problemId: string;
  readonly domain: string;
  readonly prompt: string;
}

/** Candidates that are named. */
const NAMED = 10;

/**
 * The id of the problem. An id counts before the beginning of one, and that before words of a question, in any case.
 * @throws NOT_FOUND where no problem is meant, INVALID_INPUT naming those that may be where several are
 */
export async function findProblem(
  log: EventLog,
  meant: string,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (total: number) => ReadingProgress },
): Promise<string> {
  const ranges = await storedRanges(log, TOPIC.problems);
  const bar = progress(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  const words = meant.toLowerCase();
  const byId = new Map<string, Candidate>();
  const byWords = new Map<string, Candidate>();
  let problems = 0;
  try {
    for await (const { events, records } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      for (const { event } of events) {
        if (event.type !== 'ProblemPublished') continue;
        problems++;
        const { problemId, domain, prompt } = event.problem;
        if (problemId === meant) return problemId;
        if (isMeant(meant, problemId)) byId.set(problemId, { problemId, domain, prompt });
        else if (prompt.toLowerCase().includes(words)) byWords.set(problemId, { problemId, domain, prompt });
      }
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
  const found = byId.size > 0 ? byId : byWords;
  const [only] = found.keys();
  if (only !== undefined && found.size === 1) return only;
  if (found.size === 0) {
    throw new SeamError(
      'NOT_FOUND',
      `Cannot show "${excerpt(meant)}": expected the id of a problem, at least ${LEAST_OF_ID} characters of its beginning, or words of its question, got none of the ${count(problems)} in the log. See what there is with "seam tail problems".`,
      { details: { problem: meant } },
    );
  }
  const candidates = [...found.values()];
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot show "${excerpt(meant)}": expected one problem, got ${count(found.size)}. Give more of its id.\n${listed(candidates)}`,
    { details: { problem: meant, candidates: candidates.slice(0, 100).map(({ problemId }) => problemId) } },
  );
}

function listed(candidates: readonly Candidate[]): string {
  const ids = candidates.map(({ problemId }) => problemId);
  const lines = candidates
    .slice(0, NAMED)
    .map(
      ({ problemId, domain, prompt }) =>
        `  ${onOneLine(problemId.slice(0, distinctLength(problemId, ids)))}  ${onOneLine(domain)}  ${excerpt(prompt, 60)}`,
    );
  return [...lines, ...(candidates.length > NAMED ? [`  … and ${count(candidates.length - NAMED)} more`] : [])].join(
    '\n',
  );
}

/** So many characters of an id tell it from all others, at least 8. */
function distinctLength(id: string, ids: readonly string[]): number {
  for (let length = 8; length < id.length; length++) {
    if (ids.every((other) => other === id || !other.startsWith(id.slice(0, length)))) return length;
  }
  return id.length;
}
