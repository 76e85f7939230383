import type { Assignment, EventOf, ReleaseDraw, SeamEvent } from '@seamstream/events';
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
  withheld,
} from '@seamstream/testing/log-of';
import { chatPublished, type GuardedFacts, guardedProblems, triedProblems } from '@seamstream/testing/release-log';
import fc from 'fast-check';
import { type Lift, liftProjection } from './lift.projection.js';
import { MOST_RECENT_PROBLEMS, recentProblemsProjection } from './recent-problems.projection.js';

const liftOf = (events: readonly SeamEvent[]): Lift => answerOf(liftProjection, placed(events));
/** In the order of the list, where each waits for those before it. */
const inOnePartition = (events: readonly SeamEvent[]): Lift =>
  answerOf(
    liftProjection,
    placed(events).map(([event, position], offset) => [event, { ...position, partition: 0, offset }] as const),
  );
const CONTROL = { arm: 'control' } as const;
const RELEASE: ReleaseDraw = { releaseId: 'r', stage: 1, unit: 'u', share: 0.25, isCandidate: false };

const withAssignment = (event: SeamEvent, assignment: Assignment): SeamEvent => ({ ...event, assignment }) as SeamEvent;

/** A problem that its publisher drew, with its result. */
const drawnProblem = (id: string, drawn: Partial<Assignment>, isSolved: boolean): SeamEvent[] => [
  withAssignment(published(id), { experiment: 'gateway', unit: id, controlShare: 0.1, ...drawn }),
  generated(id),
  recorded(id, isSolved),
];

const explored = [published('a'), generated('a'), recorded('a', true)];
/** A problem of a guard, and one of a release. */
const deployed = (): readonly SeamEvent[] => [
  ...guardedProblems({ guardId: 'g', domain: 'sums', treated: true, solved: 1, failed: 0 }),
  ...triedProblems({ releaseId: 'r', isCandidate: true, solved: 1, failed: 0 }),
];

describe('the counts of a lift', () => {
  it('are problems, each with the share of its candidates that solved it', () => {
    const { modes, unsettled } = liftOf([
      published('a'),
      recorded('a', true, { index: 0, size: 4 }),
      recorded('a', false, { index: 1, size: 4 }),
      recorded('a', false, { index: 2, size: 4 }),
      recorded('a', true, { index: 3, size: 4 }),
      published('b'),
      withheld('b'),
      recorded('b', false, CONTROL),
    ]);
    expect(unsettled).toBe(0);
    expect(modes).toMatchObject([
      {
        mode: 'explore',
        counts: [
          { treated: false, result: 0, problems: 1 },
          { treated: true, result: 0.5, problems: 1 },
        ],
        domains: [{ domain: 'arithmetic' }],
        missing: { treated: 0, control: 0, unassigned: 0 },
      },
    ]);
  });

  it('wait for the problems published before, so that slow failures favour no arm', () => {
    const slow = [published('slow'), ...['x', 'y', 'z'].flatMap((id) => [published(id), recorded(id, true)])];
    // All in one partition: in the others nothing waits.
    const log = slow.map((event, offset) => {
      const topic = event.type === 'ProblemPublished' ? 'seam.problems' : 'seam.outcomes';
      return [event, { topic, partition: 0, offset }] as const;
    });
    expect(answerOf(liftProjection, log)).toMatchObject({ modes: [], unsettled: 4 });
    const late = [recorded('slow', false), { topic: 'seam.outcomes', partition: 0, offset: 99 }] as const;
    expect(answerOf(liftProjection, [...log, late])).toMatchObject({
      modes: [
        {
          counts: [
            { result: 0, problems: 1 },
            { result: 1, problems: 3 },
          ],
        },
      ],
      unsettled: 0,
    });
  });

  it('of a mode do not wait for problems of the other one, those of rule 1 wait for both', () => {
    const slow: SeamEvent = { ...(published('slow') as EventOf<'ProblemPublished'>), mode: 'deploy' };
    const trial = published('trial');
    const counted = ({ modes, decisions: { 1: decisions } }: Lift) => [
      modes.map(({ mode }) => mode),
      decisions.releases.length,
      decisions.guards.length,
    ];
    expect(counted(inOnePartition([slow, ...explored, ...deployed()]))).toEqual([['explore'], 0, 0]);
    expect(counted(inOnePartition([trial, ...explored, ...deployed()]))).toEqual([['deploy'], 0, 0]);
    const all = [trial, slow, ...explored, ...deployed()];
    expect(inOnePartition(all)).toMatchObject({ modes: [], unsettled: 5 });
    expect(counted(inOnePartition([...all, recorded('trial', false)]))).toEqual([['explore'], 0, 0]);
    expect(counted(inOnePartition([...all, recorded('slow', false)]))).toEqual([['deploy'], 0, 0]);
    const both = [recorded('slow', false), recorded('trial', false)];
    expect(counted(inOnePartition([...all, ...both]))).toEqual([['deploy', 'explore'], 1, 1]);
  });

  it('of a mode do not wait for a chat where a verifier judges, and chats wait for chats alone', () => {
    const chats = [chatPublished('first'), chatPublished('second'), recorded('second', true, { arm: 'deploy' })];
    const slow: SeamEvent = { ...(published('slow') as EventOf<'ProblemPublished'>), mode: 'deploy' };
    const numCounted = (...events: readonly SeamEvent[]) =>
      inOnePartition(events)
        .modes.flatMap(({ counts }) => counts)
        .reduce((sum, { problems }) => sum + problems, 0);
    expect(numCounted(...chats, ...deployed())).toBe(2);
    expect(inOnePartition([...chats, ...deployed()])).toMatchObject({ unsettled: 2 });
    expect(numCounted(slow, ...chats)).toBe(0);
    expect(numCounted(slow, ...chats, recorded('first', true, { arm: 'deploy' }))).toBe(2);
  });

  it('of rule 2 wait for deployed problems that get their verdicts in the same way', () => {
    const counted = (events: readonly SeamEvent[]) => {
      const { releases, guards } = inOnePartition(events).decisions[2];
      return [releases.length, guards.length];
    };
    expect(counted([chatPublished('chat'), published('trial'), ...deployed()])).toEqual([1, 1]);
    const slow = { ...(published('slow') as EventOf<'ProblemPublished'>), mode: 'deploy' as const };
    expect(counted([slow, ...deployed()])).toEqual([0, 0]);
    expect(counted([slow, ...deployed(), recorded('slow', false)])).toEqual([1, 1]);
    // Feedback that comes late would favour an arm as much as a result that comes late.
    const chats = deployed().map((event) =>
      event.type === 'ProblemPublished' ? chatPublished(event.problem.problemId) : event,
    );
    expect(counted([chatPublished('first'), slow, ...chats])).toEqual([0, 0]);
    expect(counted([chatPublished('first'), slow, ...chats, recorded('first', false)])).toEqual([1, 1]);
  });

  it.each([
    ['a verifier and no reference', { reference: null }],
    ['a reference and no verifier', { verifier: null }],
  ])('of rule 2 wait for no problem with %s: it waits for feedback, in the order of chats', (_, missing) => {
    const slow = published('slow') as EventOf<'ProblemPublished'>;
    const waiting: SeamEvent = { ...slow, mode: 'deploy', problem: { ...slow.problem, ...missing } };
    const numCounted = (...events: readonly SeamEvent[]) => {
      const { releases, guards } = inOnePartition(events).decisions[2];
      return [releases.length, guards.length];
    };
    expect(numCounted(waiting, ...deployed())).toEqual([1, 1]);
    const chats = deployed().map((event) =>
      event.type === 'ProblemPublished' ? chatPublished(event.problem.problemId) : event,
    );
    expect(numCounted(waiting, ...chats)).toEqual([0, 0]);
    expect(numCounted(waiting, ...chats, expired('slow'))).toEqual([1, 1]);
  });

  it('of the deployed mode and of rule 2 are the same with chats and explored problems that do not end, wherever they are', () => {
    const log = [
      ...guardedProblems({ guardId: 'g', domain: 'sums', treated: true, solved: 3, failed: 2 }),
      ...guardedProblems({ guardId: 'g', domain: 'sums', treated: false, solved: 1, failed: 2 }),
      ...triedProblems({ releaseId: 'r', isCandidate: true, solved: 2, failed: 1 }),
      ...triedProblems({ releaseId: 'r', isCandidate: false, solved: 1, failed: 2 }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(log), fc.array(fc.tuple(fc.nat(), fc.boolean())), (events, stuck) => {
        const within = [...events];
        for (const [n, [at, isChat]] of stuck.entries())
          within.splice(at % (within.length + 1), 0, isChat ? chatPublished(`chat-${n}`) : published(`trial-${n}`));
        const [one, other] = [inOnePartition(within), inOnePartition(events)];
        expect([one.modes, one.decisions[2]]).toEqual([other.modes, other.decisions[2]]);
      }),
    );
  });

  it('of releases change with what is learned of a problem that their mode counts already', () => {
    const [problem, experience, result] = triedProblems({ releaseId: 'r', isCandidate: true, solved: 1, failed: 0 });
    const [trial, end] = [published('trial'), recorded('trial', true)];
    const { decisions, modes } = inOnePartition([trial, problem!, result!, experience!, end]);
    expect(modes.map(({ mode }) => mode)).toEqual(['deploy', 'explore']);
    const releases = [{ stages: [{ counts: { candidate: { solved: 1 } } }] }];
    expect(decisions).toMatchObject({ 1: { releases }, 2: { releases } });
  });

  it('leave failures of the infrastructure, expiries and dead letters to a separate count', () => {
    const { modes } = liftOf([
      ...['a', 'b', 'c', 'd'].map(published),
      executionFailed('a'),
      expired('b'),
      deadLettered('seam.experiences', 'c', 1),
      executionFailed('d', { index: 0, size: 2 }),
      recorded('d', true, { index: 1, size: 2 }),
    ]);
    expect(modes).toMatchObject([
      { counts: [{ treated: true, result: 1, problems: 1 }], missing: { treated: 1, control: 0, unassigned: 2 } },
    ]);
  });

  it('take a result that came after all, and count a problem once', () => {
    const late = [deadLettered('seam.outcomes', 'a', 1), published('a'), recorded('a', true)];
    for (const events of [late, late.toReversed(), [...late, recorded('a', false), published('a')]])
      expect(liftOf(events).modes).toMatchObject([
        { counts: [{ result: 1, problems: 1 }], missing: { treated: 0, unassigned: 0 } },
      ]);
  });

  it('are counted for a guard by domain, share and what was served, in any order of partitions', () => {
    const of = (facts: Partial<GuardedFacts>) =>
      guardedProblems({ guardId: 'g', domain: 'sums', treated: true, solved: 2, failed: 1, ...facts });
    const [unsettled] = of({ domain: 'waits' });
    const log = placed([
      ...of({}),
      ...of({ treated: false }),
      ...of({ adapterDigest: 'a1', controlShare: 0.98 }),
      ...of({ guardId: 'h', domain: 'words' }),
      ...of({}).map((event) => (event.type === 'OutcomeRecorded' ? executionFailed(event.problem.problemId) : event)),
      unsettled!,
    ]);
    const counts = (treated: boolean) => [
      { treated, result: 0, problems: 1 },
      { treated, result: 1, problems: 2 },
    ];
    const none = { treated: 0, control: 0 };
    for (let seed = 0; seed < 12; seed++) {
      const { decisions, deployedDomains } = answerOf(liftProjection, interleaved(log, seed));
      // The first one has no result yet.
      expect(deployedDomains).toEqual(['waits', 'sums', 'words']);
      expect(decisions[2].guards).toEqual([
        {
          ...{ guardId: 'g', adapterDigest: 'a1' },
          domains: [{ domain: 'sums', stages: [{ controlShare: 0.98, counts: counts(true), missing: none }] }],
        },
        {
          ...{ guardId: 'g', adapterDigest: null },
          domains: [
            {
              domain: 'sums',
              stages: [
                {
                  ...{ controlShare: 0.1, counts: [...counts(false), ...counts(true)] },
                  missing: { treated: 3, control: 0 },
                },
              ],
            },
          ],
        },
        {
          ...{ guardId: 'h', adapterDigest: null },
          domains: [{ domain: 'words', stages: [{ controlShare: 0.1, counts: counts(true), missing: none }] }],
        },
      ]);
    }
  });

  it('have the share that each problem was drawn with, from any event that says so, early or late', () => {
    const events = [
      ...drawnProblem('a', { controlShare: 0.2 }, true),
      ...drawnProblem('b', { controlShare: 0.1 }, false),
      published('c'),
      withAssignment(generated('c'), { experiment: 'control arm', unit: 'c', controlShare: 0.3 }),
      recorded('c', true),
    ];
    for (const log of [events, events.toReversed()])
      expect(liftOf(log).modes).toMatchObject([
        {
          counts: [
            { treated: true, result: 0, experiment: 'gateway', controlShare: 0.1 },
            { treated: true, result: 1, experiment: 'control arm', controlShare: 0.3 },
            { treated: true, result: 1, experiment: 'gateway', controlShare: 0.2 },
          ],
          experiments: [{ experiment: 'control arm', treated: 1 }, { controlShare: 0.1 }, { controlShare: 0.2 }],
        },
      ]);
  });

  it('count a unit once, by its first problem, in any order of reading', () => {
    const conversation = { unit: 'conversation 7' };
    const first = drawnProblem('z', conversation, true);
    const second = drawnProblem('a', conversation, false);
    const third = drawnProblem('b', conversation, false);
    for (const events of [
      [...first, ...second, ...third],
      [...third, ...second, ...first],
    ])
      expect(liftOf(events).modes).toMatchObject([{ counts: [{ result: 1, problems: 1 }], repeated: 2 }]);
  });

  it('of a release are those of either adapter, as they were drawn, and pairs where both wrote', () => {
    const draw = { releaseId: 'r', stage: 1, unit: 'u', share: 0.05, isCandidate: true };
    const shadow = { ...draw, stage: 0, share: null, isCandidate: false };
    const served = (id: string, release: ReleaseDraw, ...verdicts: readonly boolean[]): SeamEvent[] => [
      { ...published(id), mode: 'deploy' } as SeamEvent,
      { ...generated(id, { size: verdicts.length }), release } as SeamEvent,
      ...verdicts.map((each, index) => recorded(id, each, { index, size: verdicts.length, arm: 'deploy' })),
    ];
    const events = [
      ...served('a', draw, true),
      ...served('b', { ...draw, isCandidate: false }, false),
      ...served('c', draw, false),
      ...served('d', shadow, false, true),
      ...served('e', draw),
      executionFailed('e', { arm: 'deploy' }),
    ];
    for (const log of [events, events.toReversed()]) {
      const { decisions, modes } = liftOf(log);
      expect(decisions[2].releases).toEqual([
        {
          releaseId: 'r',
          stages: [
            expect.objectContaining({
              stage: 0,
              share: null,
              paired: { both: 0, candidateAlone: 1, parentAlone: 0, neither: 0, missing: 0 },
            }),
            expect.objectContaining({
              stage: 1,
              share: 0.05,
              counts: {
                candidate: { solved: 1, failed: 1, missing: 1 },
                parent: { solved: 0, failed: 1, missing: 0 },
              },
            }),
          ],
        },
      ]);
      // What the candidate wrote next to the parent is no answer that anybody got.
      expect(modes[0]!.counts).toMatchObject([
        { result: 0, problems: 3 },
        { result: 1, problems: 1 },
      ]);
    }
  });

  it("of a shadow keep the parent's verdict where the candidate's entry ended without a result", () => {
    const release: ReleaseDraw = { releaseId: 'r', stage: 0, unit: 'u', share: null, isCandidate: false };
    const [counted] = liftOf([
      { ...published('a'), mode: 'deploy' } as SeamEvent,
      { ...generated('a', { size: 2 }), release } as SeamEvent,
      recorded('a', true, { index: 0, size: 2, arm: 'deploy' }),
      deadLettered('seam.experiences', 'a', 1),
    ]).modes;
    expect(counted!.counts).toMatchObject([{ result: 1, problems: 1 }]);
  });

  it('name the shares of the control arm that the log has', () => {
    expect(liftOf([withheld('a'), withheld('b')]).controlShares).toHaveLength(1);
  });

  it('are the same for every order of reading partitions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(30), fc.nat(7), fc.boolean(), fc.nat(2)), { maxLength: 120 }),
        fc.nat(),
        (facts, seed) => {
          const events = facts.map(([n, kind, success, index]): SeamEvent => {
            const id = `p${n}`;
            const options = n % 5 === 0 ? CONTROL : { index, size: 3 };
            const assignment = { experiment: 'gateway', unit: `u${n % 7}`, controlShare: 0.1 };
            if (kind < 2) return n % 2 === 0 ? published(id) : withAssignment(published(id), assignment);
            if (kind === 7)
              return { ...withAssignment(generated(id), { ...assignment, unit: id }), release: RELEASE } as SeamEvent;
            if (kind < 4) return recorded(id, success, options);
            if (kind === 4) return executionFailed(id, options);
            return kind === 5 ? expired(id) : deadLettered('seam.outcomes', id, n);
          });
          const log = placed(events);
          expect(answerOf(liftProjection, interleaved(log, seed))).toEqual(answerOf(liftProjection, log));
        },
      ),
    );
  });
});

describe('the recent problems', () => {
  it('are the newest, once each, in an order that partitions do not change', () => {
    const log = placed([...Array.from({ length: 40 }, (_, i) => published(`p${i}`)), published('p3')]);
    const recent = answerOf(recentProblemsProjection, log);
    expect(recent.map(({ problemId }) => problemId)).toEqual(Array.from({ length: 40 }, (_, i) => `p${39 - i}`));
    expect(answerOf(recentProblemsProjection, interleaved(log, 7))).toEqual(recent);
  });

  it('are as many as are kept, however long the log is', () => {
    const events = Array.from({ length: MOST_RECENT_PROBLEMS + 2_600 }, (_, i) => published(`p${i}`));
    const recent = answerOf(recentProblemsProjection, placed(events));
    expect(recent).toHaveLength(MOST_RECENT_PROBLEMS);
    expect(recent[0]?.problemId).toBe(`p${events.length - 1}`);
  });
});
