/**
 * Self-edits of an exploration, each within a time and in a few tries, as the edits of a data set are written. What cannot be written is no
 * entry: its candidate says why, and nothing is learned from it.
 *
 *   first try      → all edits side by side
 *   further tries  → the edits of one passage at a time: with fewer others each is faster, and a fault ends the tries of one passage
 */
import { experienceIdOf, groupIdOf } from '@seamstream/events';
import { type ErrorCode, isSeamError, messageOf } from '@seamstream/kernel';
import {
  type FailedEdit,
  type GivenUp,
  inTries,
  seedOfTry,
  type Try,
  type WRITING_LIMITS,
} from '@seamstream/self-edits';
import {
  candidateSeed,
  type ExperienceCandidate,
  type Exploration,
  type ExplorationRequest,
  type ExplorationSettings,
  generateExperiences,
  writerOf,
} from './explore.js';

/** Why an edit stays unwritten: it was late, its engine's thread ended, or its numbers were not finite. */
export const UNWRITTEN_CODES = [
  'DEADLINE_EXCEEDED',
  'SESSION_FAILED',
  'NON_FINITE',
] as const satisfies readonly ErrorCode[];
/** A thread that ended is replaced, and another draw may be finite. */
const COST_A_TRY = ['SESSION_FAILED', 'NON_FINITE'] as const;

/** Every failure that may stay is made here. */
const notWritten = (code: (typeof UNWRITTEN_CODES)[number], reason: string): FailedEdit => ({
  status: 'failed',
  code,
  reason,
  retryable: true,
});

/** Longest time for a try of an edit, in milliseconds, waits not counted; tries of an edit. */
export type WritingLimits = { readonly [K in keyof typeof WRITING_LIMITS]: number };

const WRITTEN = { status: 'written' } as const;
type Take = Try<typeof WRITTEN>['take'];

/**
 * As generateExperiences, where candidates are self-edits. A thread that ended, and numbers that are not finite, cost those that were under
 * way a try; any other failure rejects the call.
 * @returns one exploration per request, in their order; each has all of its candidates
 */
export async function exploreEdits(
  requests: readonly ExplorationRequest[],
  settings: ExplorationSettings,
  limits: WritingLimits,
): Promise<readonly Exploration[]> {
  const writing = new EditsOfGroups(requests, settings, limits.timeoutMs);
  const edits = requests.length * settings.groupSize;
  const outcomes = await inTries<typeof WRITTEN>(edits, limits.tries, (asked) => writing.write(asked));
  return requests.map((_, place) =>
    writing.exploration(place, (edit) => {
      const outcome = outcomes[edit]!;
      return outcome.status === 'written' ? undefined : outcome;
    }),
  );
}

/** The edits of all groups, counted group after group. */
class EditsOfGroups {
  private readonly written = new Map<number, ExperienceCandidate>();
  /** By place, of passages that leave no room for an edit. */
  private readonly refused = new Map<number, Exploration>();
  /** Of calls that have ended. */
  private tokens = 0;

  constructor(
    private readonly requests: readonly ExplorationRequest[],
    private readonly settings: ExplorationSettings,
    private readonly timeoutMs: number,
  ) {
    const { groupSize, firstCandidate = 0 } = settings;
    for (const [place, { written = [] }] of requests.entries())
      for (const candidate of written)
        this.written.set(place * groupSize + candidate.candidateIndex - firstCandidate, candidate);
  }

  async write({ asked, attempt, take }: Try<typeof WRITTEN>): Promise<void> {
    for (const edit of asked) if (this.written.has(edit)) take(edit, WRITTEN);
    const unwritten = asked.filter((edit) => !this.written.has(edit));
    const groups = [...Map.groupBy(unwritten, (edit) => this.placeOf(edit))];
    const calls = attempt === 1 && groups.length > 0 ? [groups] : groups.map((group) => [group]);
    for (const call of calls) await this.call(call, attempt, take);
  }

  /** @param givenUp why an edit was not written */
  exploration(place: number, givenUp: (edit: number) => GivenUp | undefined): Exploration {
    const refused = this.refused.get(place);
    if (refused !== undefined) return refused;
    const { eventId, problem } = this.requests[place]!;
    const candidates = this.editsAt(place).map(
      (edit) => this.written.get(edit) ?? this.unaugmented(edit, givenUp(edit)!),
    );
    return { status: 'explored', problem, groupId: groupIdOf(eventId), candidates };
  }

  private async call(groups: readonly (readonly [number, readonly number[]])[], attempt: number, take: Take) {
    const { signal, onProgress } = this.settings;
    const open = new Map(groups);
    let tokens = 0;
    const tell = (place: number, exploration: Exploration): void => {
      const edits = open.get(place) ?? [];
      if (open.delete(place)) this.settle(place, edits, exploration, take);
    };
    try {
      const explorations = await generateExperiences(
        groups.map(([place, edits]) => this.requestOf(place, edits, attempt)),
        {
          ...this.settings,
          timeoutMs: this.timeoutMs,
          onProgress: (told) => {
            tokens = told.tokens;
            for (const { request, exploration } of told.explored) tell(groups[request]![0], exploration);
            const places = told.explored.map(({ request }) => groups[request]![0]);
            onProgress?.({
              tokens: this.tokens + tokens,
              explored: places.flatMap((place) => this.whole(place)),
              begun: places.flatMap((place) => this.begun(place)),
            });
          },
        },
      );
      explorations.forEach((exploration, at) => tell(groups[at]![0], exploration));
    } catch (error) {
      if (signal?.aborted === true) throw error;
      const code = COST_A_TRY.find((each) => isSeamError(error, each));
      if (code === undefined) throw error;
      for (const edit of [...open.values()].flat()) take(edit, notWritten(code, messageOf(error)));
    }
    this.tokens += tokens;
  }

  private requestOf(place: number, edits: readonly number[], attempt: number): ExplorationRequest {
    const { eventId, problem } = this.requests[place]!;
    const candidates = edits.map((edit) => {
      const index = this.indexOf(edit);
      return { index, seed: seedOfTry(candidateSeed(eventId, index), attempt) };
    });
    return { eventId, problem, candidates };
  }

  private settle(place: number, edits: readonly number[], exploration: Exploration, take: Take): void {
    const isRefused = exploration.status === 'failed';
    if (isRefused) this.refused.set(place, exploration);
    const candidates = new Map((isRefused ? [] : exploration.candidates).map((each) => [each.candidateIndex, each]));
    for (const edit of edits) {
      const candidate = candidates.get(this.indexOf(edit));
      if (candidate !== undefined) {
        this.written.set(edit, candidate);
        take(edit, WRITTEN);
      } else if (isRefused) {
        const { code, reason } = exploration;
        take(edit, { status: 'failed', code, reason, retryable: false });
      } else {
        take(edit, notWritten('DEADLINE_EXCEEDED', `it was not written within ${this.timeoutMs} ms`));
      }
    }
  }

  /** The group at this place where all of its edits are written: a caller that is ended need not ask for it again. */
  private whole(place: number): readonly { readonly request: number; readonly exploration: Exploration }[] {
    if (!this.editsAt(place).every((edit) => this.written.has(edit))) return [];
    return [{ request: place, exploration: this.exploration(place, () => undefined) }];
  }

  /** The group at this place where some of its edits are written: a caller that is ended asks for the others alone. */
  private begun(place: number): readonly { readonly request: number; readonly candidates: ExperienceCandidate[] }[] {
    const candidates = this.editsAt(place).flatMap((edit) => this.written.get(edit) ?? []);
    const isPart = candidates.length > 0 && candidates.length < this.settings.groupSize;
    return isPart ? [{ request: place, candidates }] : [];
  }

  private unaugmented(edit: number, { code, reason, tries }: GivenUp): ExperienceCandidate {
    const { eventId, problem } = this.requests[this.placeOf(edit)]!;
    const index = this.indexOf(edit);
    const seed = seedOfTry(candidateSeed(eventId, index), tries);
    return {
      experienceId: experienceIdOf(eventId, index),
      candidateIndex: index,
      entry: '',
      ...{ promptTokenIds: [], tokenIds: [], logProbs: [], legalMass: [], forced: [] },
      ...writerOf(this.settings, this.settings.schemaFor(problem.domain), seed),
      unaugmented: { code, reason, tries },
    };
  }

  private editsAt(place: number): readonly number[] {
    const { groupSize } = this.settings;
    return Array.from({ length: groupSize }, (_, at) => place * groupSize + at);
  }

  private placeOf(edit: number): number {
    return Math.floor(edit / this.settings.groupSize);
  }

  private indexOf(edit: number): number {
    return (this.settings.firstCandidate ?? 0) + (edit % this.settings.groupSize);
  }
}
