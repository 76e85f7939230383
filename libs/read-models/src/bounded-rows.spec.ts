/** What a writer of outcomes with many names can do to the read models that have a row for each name. */
import type { EventOf } from '@seamstream/events';
import { sha256 } from '@seamstream/kernel';
import { answerOf, interleaved, placed, recorded } from '@seamstream/testing/log-of';
import { MOST_ROWS } from './bounded-rows.js';
import { faithfulEntriesProjection } from './faithful-entries.projection.js';
import { successByArmProjection } from './success-by-arm.projection.js';

const NAMES = 3 * MOST_ROWS;

describe('Rows under names that any writer chooses', () => {
  // Few outcomes of a name that is met first, between and last; as many as all rows together of others.
  const own = Array.from({ length: 6 }, (_, at) => named('own', `own-${at}`));
  const flood = Array.from({ length: NAMES }, (_, at) => named(`flood-${at}`, `flood-${at}`));
  // One that was let go becomes large.
  const back = [1, 2, 3].map((at) => named('flood-999', `back-${at}`));
  const log = placed([...own.slice(0, 2), ...flood, ...own.slice(2, 4), ...flood.map(again), ...own.slice(4), ...back]);

  it('are bounded, and the others are counted together', () => {
    const { arms, domains, adapters, otherDomains, otherAdapters } = answerOf(successByArmProjection, log);
    expect([domains.length, adapters.length]).toEqual([MOST_ROWS, MOST_ROWS]);
    expect(domains.find(({ domain }) => domain === 'own')!.arms.deploy).toMatchObject({ outcomes: 6, successes: 6 });
    expect(domains.find(({ domain }) => domain === 'flood-999')!.arms.deploy).toMatchObject({ outcomes: 5 });
    const outcomes = 2 * NAMES + 6 + 3;
    const inRows = 2 * (MOST_ROWS - 2) + 6 + 5;
    expect(arms.deploy.outcomes).toBe(outcomes);
    expect(otherDomains).toMatchObject({
      names: NAMES + 1 - MOST_ROWS,
      arms: { deploy: { outcomes: outcomes - inRows } },
    });
    expect(otherAdapters).toMatchObject({ names: NAMES + 1 - MOST_ROWS, deploy: { outcomes: outcomes - inRows } });
    const faithful = answerOf(faithfulEntriesProjection, log);
    expect([faithful.all.quoting, faithful.adapters.length]).toEqual([outcomes, MOST_ROWS]);
    expect(faithful.adapters).toContainEqual({ adapterDigest: 'own', quoting: 6, faithful: 6 });
  });

  it('are the same in any order of reading, and memory holds few more', () => {
    const expected = answerOf(successByArmProjection, log);
    for (let seed = 0; seed < 2; seed++) {
      const state = interleaved(log, seed).reduce(
        (folded, [event, position]) => successByArmProjection.evolve(folded, event, position),
        successByArmProjection.initialState(),
      );
      expect(successByArmProjection.read(state)).toEqual(expected);
      expect(state.domains.rows.size).toBeLessThanOrEqual(2 * MOST_ROWS);
    }
  });

  it('have names of bounded length', () => {
    const { domains } = answerOf(successByArmProjection, placed([named('x'.repeat(10_000), 'p')]));
    expect(domains[0]!.domain).toHaveLength(64);
  });

  it('are not confused with the groups of verdicts, whose names a writer chooses too', () => {
    const groupId = `row domain ${sha256('flood-999')}`;
    const forged = placed([...flood, { ...named('own', 'forged'), groupId }]);
    expect(answerOf(successByArmProjection, forged).arms.deploy.outcomes).toBe(NAMES + 1);
  });
});

function named(name: string, problemId: string): EventOf<'OutcomeRecorded'> {
  const options = { arm: 'deploy', domain: name, adapterDigest: name, faithful: true } as const;
  return recorded(problemId, true, options) as EventOf<'OutcomeRecorded'>;
}

/** Another outcome with the same names. */
function again({ problem, ...event }: EventOf<'OutcomeRecorded'>): EventOf<'OutcomeRecorded'> {
  return {
    ...event,
    groupId: `${event.groupId}-again`,
    problem: { ...problem, problemId: `${problem.problemId}-again` },
  };
}
