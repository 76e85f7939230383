import type { SeamEvent } from '@seamstream/events';
import { type AttemptResult, definiteResults, settledAs, standingOfGroup } from '@seamstream/experience-groups';
import { Random } from '@seamstream/kernel';
import {
  answerOf,
  deadLettered,
  executionFailed,
  expired,
  generated,
  interleaved,
  placed,
  published,
  recorded,
  ungraded,
  withheld,
} from '@seamstream/testing/log-of';
import { MemoryCells } from './cells.js';
import { faithfulEntriesProjection } from './faithful-entries.projection.js';
import { ledgerProjection } from './ledger.projection.js';
import { successByArmProjection } from './success-by-arm.projection.js';

const ledgerOf = (...events: readonly SeamEvent[]) => answerOf(ledgerProjection, placed(events));
const group = (problemId: string, verdicts: readonly boolean[]) =>
  verdicts.flatMap((success, index) => [
    generated(problemId, { index, size: verdicts.length }),
    recorded(problemId, success, { index, size: verdicts.length }),
  ]);
const only = (standing: string): unknown =>
  expect.objectContaining({
    published: 1,
    solved: 0,
    failed: 0,
    ungraded: 0,
    deadLettered: 0,
    expired: 0,
    inFlight: 0,
    balanced: true,
    [standing]: 1,
  });

describe('a published problem', () => {
  it('is in flight until something ends it', () => {
    expect(ledgerOf(published('p'))).toEqual(only('inFlight'));
    expect(
      ledgerOf(
        published('p'),
        generated('p', { size: 2 }),
        generated('p', { size: 2, index: 1 }),
        recorded('p', false, { size: 2 }),
      ),
    ).toEqual(only('inFlight'));
  });

  it('is solved by one success, even before the rest of its group is in', () => {
    expect(ledgerOf(published('p'), recorded('p', true, { index: 3, size: 8 }))).toEqual(only('solved'));
  });

  it('is failed when its whole group is in and nothing succeeded', () => {
    expect(ledgerOf(published('p'), ...group('p', [false, false, false]))).toEqual(only('failed'));
  });

  it('is failed, not solved, when its executions failed', () => {
    expect(
      ledgerOf(published('p'), executionFailed('p', { size: 2 }), recorded('p', false, { size: 2, index: 1 })),
    ).toEqual(only('failed'));
    expect(ledgerOf(published('p'), executionFailed('p', { size: 2 }))).toEqual(only('inFlight'));
  });

  it('is ungraded when its whole group is in and no person judged any of it', () => {
    expect(ledgerOf(published('p'), ungraded('p', { size: 2 }))).toEqual(only('inFlight'));
    expect(ledgerOf(published('p'), ungraded('p', { size: 2 }), ungraded('p', { size: 2, index: 1 }))).toEqual(
      only('ungraded'),
    );
    expect(ledgerOf(published('p'), ungraded('p', { size: 2 }), executionFailed('p', { size: 2, index: 1 }))).toEqual(
      only('ungraded'),
    );
  });

  it('is solved or failed when one of its group was judged, even if others were not', () => {
    const other = ungraded('p', { size: 2 });
    expect(ledgerOf(published('p'), other, recorded('p', false, { size: 2, index: 1 }))).toEqual(only('failed'));
    expect(ledgerOf(published('p'), other, recorded('p', true, { size: 2, index: 1 }))).toEqual(only('solved'));
  });

  it('counts a verdict before none, in either order', () => {
    const judged = recorded('p', true);
    expect(ledgerOf(published('p'), ungraded('p'), judged)).toEqual(only('solved'));
    expect(ledgerOf(published('p'), judged, ungraded('p'))).toEqual(only('solved'));
  });

  it('is solved when a failed execution is redriven and succeeds', () => {
    const ledger = ledgerOf(published('p'), executionFailed('p'), recorded('p', true));
    expect(ledger).toEqual(only('solved'));
    expect(ledger).toMatchObject({ executionsFailed: 1, repeated: { outcomes: 0 } });
  });

  it('is expired when its time ran out, unless an answer came after all', () => {
    expect(ledgerOf(published('p'), expired('p'))).toEqual(only('expired'));
    expect(ledgerOf(published('p'), expired('p'), recorded('p', true))).toEqual(only('solved'));
  });

  it('is dead-lettered when a record on its way was, until a redrive ends it otherwise', () => {
    expect(ledgerOf(published('p'), deadLettered('seam.problems', 'p'))).toEqual(only('deadLettered'));
    expect(ledgerOf(published('p'), deadLettered('seam.experiences', 'p'), recorded('p', false, { size: 2 }))).toEqual(
      only('deadLettered'),
    );
    expect(ledgerOf(published('p'), deadLettered('seam.problems', 'p'), ...group('p', [true]))).toEqual(only('solved'));
  });

  it('is not touched by dead letters of other topics, whose keys mean something else', () => {
    expect(ledgerOf(published('p'), deadLettered('seam.buffer', 'p'))).toEqual(only('inFlight'));
  });

  it('is one problem however often it is published, and every copy is counted', () => {
    const problem = published('p');
    expect(ledgerOf(problem, problem, published('p'))).toMatchObject({
      published: 1,
      inFlight: 1,
      repeated: { problems: 2 },
    });
  });
});

describe('repeated facts', () => {
  it('change nothing but their count, also after the group is complete and forgotten', () => {
    const events = group('p', [false, true, false]);
    const ledger = ledgerOf(published('p'), ...events, ...events, ...events);
    expect(ledger).toEqual(only('solved'));
    expect(ledger).toMatchObject({
      arms: { explore: { groups: 1, complete: 1, solved: 1 } },
      repeated: { problems: 0, experiences: 6, outcomes: 6, deadLetters: 0 },
    });
  });

  it('do not overturn the first verdict', () => {
    expect(ledgerOf(published('p'), recorded('p', false), recorded('p', true))).toEqual(only('failed'));
  });

  it('at the same offset are not even counted', () => {
    const log = placed([published('p'), recorded('p', false)]);
    expect(answerOf(ledgerProjection, [...log, ...log])).toMatchObject({
      failed: 1,
      repeated: { problems: 0, outcomes: 0 },
    });
  });

  it('are recognised among dead letters by the record that they speak of', () => {
    expect(
      ledgerOf(
        deadLettered('seam.problems', null, 7),
        deadLettered('seam.problems', null, 7),
        deadLettered('seam.problems', null, 8),
      ),
    ).toMatchObject({ deadLetterRecords: 2, repeated: { deadLetters: 1 } });
  });
});

describe('the balance', () => {
  it('counts every problem once', () => {
    const ledger = ledgerOf(
      ...['a', 'b', 'c', 'd', 'e', 'f'].map(published),
      ...group('a', [true, true]),
      ...group('b', [false]),
      expired('c'),
      deadLettered('seam.problems', 'd'),
      withheld('e'),
      recorded('e', true, { arm: 'control' }),
    );
    expect(ledger).toMatchObject({
      published: 6,
      solved: 2,
      failed: 1,
      expired: 1,
      deadLettered: 1,
      inFlight: 1,
      balanced: true,
      orphaned: 0,
    });
    expect(ledger.arms).toEqual({
      explore: { groups: 2, complete: 2, solved: 1 },
      deploy: { groups: 0, complete: 0, solved: 0 },
      control: { groups: 1, complete: 1, solved: 1 },
    });
  });

  it('is lost when a problem is answered that was never published', () => {
    expect(ledgerOf(published('p'), recorded('q', true))).toMatchObject({
      published: 1,
      solved: 0,
      balanced: false,
      orphaned: 1,
    });
  });

  it('is not lost by unreadable records under unknown keys', () => {
    expect(
      ledgerOf(published('p'), deadLettered('seam.problems', 'nonsense', 1), deadLettered('seam.outcomes', null, 2)),
    ).toMatchObject({ published: 1, inFlight: 1, balanced: true, deadLetterRecords: 2 });
  });

  it('copes with facts that make no sense', () => {
    const ledger = ledgerOf(
      published('p'),
      recorded('p', false, { size: -1 }),
      recorded('p', false, { index: 9, size: 2, group: 'h' }),
      recorded('q', false, { size: 2_000_000_000 }),
    );
    expect(ledger).toMatchObject({ published: 1, inFlight: 1 });
  });

  it('of nothing is nothing', () => {
    expect(ledgerOf()).toMatchObject({ published: 0, inFlight: 0, balanced: true });
  });
});

/** A log as a hard day may leave it: groups of all sizes, failures, expiries, dead letters, and a fifth of it repeated. */
function hardDay(seed: number): SeamEvent[] {
  const random = Random.of('hard day', seed);
  const events: SeamEvent[] = [];
  for (let p = 0; p < 30; p++) {
    const id = `p${seed}-${p}`;
    if (random.float() < 0.95) events.push(published(id));
    const size = 1 + random.int(4);
    const arm = random.pick(['explore', 'deploy'] as const);
    const isControl = random.float() < 0.2;
    if (isControl) events.push(withheld(id));
    for (let index = 0; index < (isControl ? 1 : size); index++) {
      const options = isControl ? { arm: 'control' as const } : { index, size, arm };
      if (!isControl && random.float() < 0.9) events.push(generated(id, options));
      const fate = random.float();
      if (fate < 0.2) events.push(executionFailed(id, options));
      if (fate > 0.8) events.push(ungraded(id, options));
      if (fate > 0.1 && fate < 0.85) events.push(recorded(id, random.float() < 0.3, options));
    }
    if (random.float() < 0.1) events.push(expired(id));
    if (random.float() < 0.1)
      events.push(deadLettered(random.pick(['seam.problems', 'seam.experiences', 'seam.buffer']), id, p));
  }
  return random.shuffled([...events, ...events.filter(() => random.float() < 0.2)]);
}

/** The standings from first principles: look at all facts of a problem at once. */
function standingsOf(events: readonly SeamEvent[]): Record<string, number> {
  const counts: Record<string, number> = {
    solved: 0,
    failed: 0,
    ungraded: 0,
    expired: 0,
    deadLettered: 0,
    inFlight: 0,
  };
  for (const id of new Set(
    events.flatMap((event) => (event.type === 'ProblemPublished' ? [event.problem.problemId] : [])),
  )) {
    const about = events.filter(
      (event) => ('problem' in event ? event.problem.problemId : (event as { key?: string }).key) === id,
    );
    let size = 0;
    const executionFailures = new Map<number, boolean>();
    let nobodyJudged = false;
    const judgements = new Map<number, boolean>();
    for (const event of about) {
      if (event.type === 'ExperienceWithheld') size = 1;
      if ('groupSize' in event) size = event.groupSize;
      if (event.type === 'AttemptUngraded') nobodyJudged = true;
      if (event.type === 'ExecutionFailed' || event.type === 'AttemptUngraded')
        executionFailures.set(event.candidateIndex, false);
      if (event.type === 'OutcomeRecorded' && !judgements.has(event.candidateIndex)) {
        judgements.set(event.candidateIndex, event.success);
      }
    }
    const verdicts = new Map([...executionFailures, ...judgements]);
    const standing = [...verdicts.values()].includes(true)
      ? 'solved'
      : size > 0 && verdicts.size === size
        ? nobodyJudged && judgements.size === 0
          ? 'ungraded'
          : 'failed'
        : about.some((event) => event.type === 'ProblemExpired')
          ? 'expired'
          : about.some((event) => event.type === 'DeadLettered' && event.topic !== 'seam.buffer')
            ? 'deadLettered'
            : 'inFlight';
    counts[standing] = (counts[standing] ?? 0) + 1;
  }
  return counts;
}

/** Results that contradict each other: several of a candidate, of each kind, in any order and with any ids. */
function contradictions(seed: number): AttemptResult[] {
  const random = Random.of('contradictions', seed);
  return Array.from({ length: 5 }, (_, p) => `p${seed}-${p}`).flatMap((id) => {
    const size = 1 + random.int(3);
    return Array.from({ length: 1 + random.int(9) }, (): AttemptResult => {
      const options = { index: random.int(size), size, faithful: random.pick([true, false, null]) };
      const result = random.pick([
        recorded(id, random.float() < 0.5, options),
        executionFailed(id, options),
        ungraded(id, options),
      ]) as AttemptResult;
      return { ...result, meta: { ...result.meta, messageId: `${random.int(1000)}-${result.type}` } };
    });
  });
}

/** Those of a group until every candidate has a verdict. */
function untilJudged(results: readonly AttemptResult[]): readonly AttemptResult[] {
  const judged = new Set<number>();
  return results.filter((result) => {
    const isOpen = judged.size < result.groupSize;
    if (result.type === 'OutcomeRecorded') judged.add(result.candidateIndex);
    return isOpen;
  });
}

describe('the ledger of contradicting results', () => {
  it('counts the same one of them as a trainer does, in any order of reading partitions', () => {
    for (let seed = 0; seed < 60; seed++) {
      const results = contradictions(seed);
      const groups = Map.groupBy(results, ({ problem }) => problem.problemId);
      const expected = { solved: 0, failed: 0, ungraded: 0, inFlight: 0 };
      for (const group of groups.values())
        expected[settledAs([standingOfGroup(group[0]!.groupSize, untilJudged(group))]) ?? 'inFlight']++;
      const written = results.map(({ problem, candidateIndex: index, groupSize: size }) =>
        generated(problem.problemId, { index, size }),
      );
      const log = placed([...[...groups.keys()].map(published), ...written, ...results]);
      for (const order of [0, 1, 2])
        expect(answerOf(ledgerProjection, order === 0 ? log : interleaved(log, seed * 3 + order))).toMatchObject(
          expected,
        );
    }
  });

  it('has the verdicts that success and faithful entries are counted by', () => {
    for (let seed = 0; seed < 60; seed++) {
      const results = contradictions(seed);
      const counting = [...Map.groupBy(results, ({ groupId }) => groupId).values()]
        .flatMap((group) => [...definiteResults(untilJudged(group)).values()])
        .filter((result) => result.type === 'OutcomeRecorded');
      const successes = counting.filter(({ success }) => success).length;
      const quoting = counting.filter(({ faithful }) => faithful !== null);
      const log = placed(results);
      expect(answerOf(successByArmProjection, log).arms.explore).toMatchObject({
        outcomes: counting.length,
        successes,
      });
      expect(answerOf(faithfulEntriesProjection, log).all).toEqual({
        quoting: quoting.length,
        faithful: quoting.filter(({ faithful }) => faithful).length,
      });
    }
  });
});

describe('the ledger of a hard day', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);

  it('does not depend on the order in which partitions are read', () => {
    for (const seed of seeds) {
      const log = placed(hardDay(seed));
      const expected = answerOf(ledgerProjection, log);
      for (const other of [1, 2, 3])
        expect(answerOf(ledgerProjection, interleaved(log, seed * 10 + other))).toEqual(expected);
    }
  });

  it('says of every problem what its facts say', () => {
    for (const seed of seeds) {
      const events = hardDay(seed);
      expect(answerOf(ledgerProjection, placed(events))).toMatchObject(standingsOf(events));
    }
  });

  it('forgets candidates that are settled', () => {
    const log = placed(['p', 'q'].flatMap((id) => [published(id), ...group(id, [false, false])]));
    const cells = new MemoryCells();
    log.reduce(
      (fold, [event, position]) => ledgerProjection.evolve(fold, event, position),
      ledgerProjection.initialState(cells),
    );
    // Published; one group of two, in which both are in and settled, and nothing of either.
    for (const id of ['p', 'q'])
      expect(JSON.parse(cells.get(`problem/${id}`)!)).toEqual([1, [expect.any(String), 2, 0, 2, 2, 0]]);
  });
});
