/** The part of a report that lays the loop next to a table of the attributes that entries quote, after the same attempts. */
import type { Split } from '@seamstream/attribute-world';
import { type Share, shownShare } from './late-part.js';
import { percent, table } from './page-pieces.js';

/** Sets that both are measured on. */
export const ATTEMPTS_SETS = ['heldOut', 'newWords'] as const satisfies readonly Split[];
export type AttemptsSet = (typeof ATTEMPTS_SETS)[number];

/** What both had learned when a round had ended. */
export interface AttemptsPoint {
  readonly round: number;
  /** Judged attempts with an entry, up to that round. */
  readonly attempts: number;
  /** The adapter that was served then. */
  readonly loop: Readonly<Record<AttemptsSet, Share>>;
  /** The table of quoted attributes, from these attempts. */
  readonly table: Readonly<Record<AttemptsSet, Share>>;
}

export interface ByAttempts {
  readonly problems: Readonly<Record<AttemptsSet, number>>;
  /** Some of the rounds, the last one among them. */
  readonly points: readonly AttemptsPoint[];
}

/** For a terminal. */
export function attemptsLine({ points }: ByAttempts): string {
  const figures = points.map(
    ({ attempts, loop, table: rival }) =>
      `after ${attempts} attempts ${percent(loop.newWords.success)} and ${percent(rival.newWords.success)}`,
  );
  return `New words, the loop and a table of the attributes that entries quote: ${figures.join('; ')}.`;
}

export function renderByAttempts({ problems, points }: ByAttempts): string {
  return `<h2>Next to a table, attempt by attempt</h2>
<p>Each entry quotes the attribute that it goes by. So a table can count which operator succeeded with which quoted word. It knows nothing else of the world, and needs no model. Both had the same attempts.</p>
<div class="wide" tabindex="0">${table(
    ['round', 'attempts', 'loop, held out', 'table, held out', 'loop, new words', 'table, new words'],
    points.map(({ round, attempts, loop, table: rival }) => [
      ...[round, attempts],
      ...ATTEMPTS_SETS.flatMap((set) => [shownShare(loop[set]), shownShare(rival[set])]),
    ]),
  )}</div>
<p class="soft">The first ${problems.heldOut} held-out problems and the first ${problems.newWords} with new words, with 95 % intervals. The attempts are those of the loop: its later ones succeed more often, which helps the table.</p>`;
}
