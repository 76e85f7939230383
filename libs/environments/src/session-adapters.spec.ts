import fc from 'fast-check';
import { SessionAdapters, type SessionSettings, sessionSchema } from './session-adapters.js';
import { TellingExecutor } from './telling-executor.fake.js';

describe('a session', () => {
  it('learns from its own messages after every few, and from nothing unless that is set', async () => {
    const { sessions, executor } = sessionsOf({ every: 2, rank: 4, steps: 8 });
    expect(await sessions.tell('a', 'one')).toBe('kept');
    expect(await sessions.tell('b', 'other')).toBe('kept');
    expect(await saidIn(sessions, 'a')).toBe('frozen');
    expect(await sessions.tell('a', 'two')).toBe('learned');
    expect(await saidIn(sessions, 'a')).toBe('["one","two"]');
    expect(await saidIn(sessions, 'b')).toBe('frozen');
    expect(executor.trained[0]!.settings).toMatchObject({ rank: 4, epochs: 8, batchSize: 2 });
    const windowed = sessionsOf({ every: 1, mostMessages: 2 });
    for (const message of ['one', 'two', 'three']) await windowed.sessions.tell('a', message);
    expect(await saidIn(windowed.sessions, 'a')).toBe('["two","three"]');
    const off = sessionsOf({});
    for (let at = 0; at < 9; at++) await off.sessions.tell('a', 'one');
    expect(off.executor.trained).toEqual([]);
    expect(off.sessions.size).toBe(0);
  });

  const operation = fc.oneof(
    fc.record({ kind: fc.constant('tell' as const), id: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ kind: fc.constant('ask' as const), id: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ kind: fc.constant('forget' as const), id: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 150 }) }),
  );

  it('answers by its own last messages since it began, in any order of what happens', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(operation, { maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        async (operations, every, mostMessages) => {
          const settings = { every, mostMessages, mostSessions: 2, forgottenAfterMs: 100 };
          const { sessions, clock } = sessionsOf(settings);
          // A second, plainer account: all messages with the time of the last use.
          let known: { id: string; usedAt: number; messages: string[]; learned: string | null }[] = [];
          let n = 0;
          for (const each of operations) {
            if (each.kind === 'pass') {
              clock.nowMs += each.ms;
              continue;
            }
            known = known.filter(({ usedAt }) => clock.nowMs - usedAt < 100);
            let own = known.find(({ id }) => id === each.id);
            known = known.filter(({ id }) => id !== each.id);
            if (each.kind === 'forget') {
              sessions.forget(each.id);
              continue;
            }
            if (each.kind === 'tell') {
              if (own === undefined) known = known.slice(-1);
              own ??= { id: each.id, usedAt: 0, messages: [], learned: null };
              own.messages.push(`${each.id}${n}`);
              await sessions.tell(each.id, `${each.id}${n++}`);
              if (own.messages.length % every === 0) own.learned = JSON.stringify(own.messages.slice(-mostMessages));
            } else expect(await saidIn(sessions, each.id)).toBe(own?.learned ?? 'frozen');
            if (own !== undefined) known.push({ ...own, usedAt: clock.nowMs });
            expect(sessions.size).toBe(known.length);
          }
        },
      ),
    ));

  it('that is forgotten while it learns stays forgotten, and a new one of its name has learned nothing', async () => {
    const { sessions, executor } = sessionsOf({ every: 1 });
    executor.hearsAborts = false;
    let release!: () => void;
    executor.until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const learning = sessions.tell('a', 'a secret');
    await settled();
    expect(sessions.forget('a')).toBe(true);
    const again = sessions.tell('a', 'hello');
    release();
    expect(await learning).toBe('forgotten');
    expect(await again).toBe('learned');
    expect(await saidIn(sessions, 'a')).toBe('["hello"]');
  });

  it('that is forgotten while it learns keeps no other one waiting', async () => {
    const { sessions, executor } = sessionsOf({ every: 1 });
    executor.until = new Promise(() => undefined);
    const learning = sessions.tell('a', 'a secret');
    await settled();
    executor.until = Promise.resolve();
    const waiting = sessions.tell('b', 'hello');
    sessions.forget('a');
    expect(await learning).toBe('forgotten');
    expect(await waiting).toBe('learned');
  });

  it('answers as before where a training fails, and refuses a message that is too long', async () => {
    const { sessions, executor } = sessionsOf({ every: 1, mostCharacters: 5 });
    await sessions.tell('a', 'good');
    executor.until = Promise.reject(new Error('no memory'));
    await expect(sessions.tell('a', 'more')).rejects.toThrow('no memory');
    expect(await saidIn(sessions, 'a')).toBe('["good"]');
    executor.until = Promise.resolve();
    await expect(sessions.tell('a', 'longer')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await sessions.tell('a', 'last')).toBe('learned');
    expect(await saidIn(sessions, 'a')).toBe('["good","more","last"]');
  });

  it('whose adapter needs room takes that of the one that was idle for the longest, and none that is too large', async () => {
    const forgotten: string[] = [];
    const { sessions } = sessionsOf({ every: 1, mostBytes: 2_500 }, new TellingExecutor(), (why) =>
      forgotten.push(why),
    );
    for (const id of ['a', 'b']) await sessions.tell(id, id);
    await saidIn(sessions, 'a');
    expect(await sessions.tell('c', 'c')).toBe('learned');
    expect(sessions.bytes).toBe(2_000);
    expect([sessions.standingOf('a'), sessions.standingOf('b')]).toMatchObject([{ trainings: 1 }, undefined]);
    expect(forgotten).toEqual(['room']);
    const small = sessionsOf({ every: 1, mostBytes: 999 });
    expect(await small.sessions.tell('a', 'one')).toBe('too-large');
    expect(small.sessions.bytes).toBe(0);
  });

  it('says what it has without lasting longer for it', async () => {
    const { sessions, clock } = sessionsOf({ every: 2, mostMessages: 2, forgottenAfterMs: 100 });
    for (const message of ['one', 'two', 'three']) await sessions.tell('a', message);
    const standing = { messages: 3, keptMessages: 2, trainings: 1, isLearning: false, expiresAt: 1_100 };
    clock.nowMs += 99;
    expect(sessions.standingOf('a')).toMatchObject({ ...standing, adapter: { bytes: 1_000 } });
    clock.nowMs += 1;
    expect(sessions.standingOf('a')).toBeUndefined();
  });

  it('that a request found is gone for it once it is forgotten, also where another one has its name', async () => {
    const { sessions } = sessionsOf({ every: 1 });
    await sessions.tell('a', 'a secret');
    const visit = sessions.visit('a');
    expect(visit.learned()?.adapter.digest).toBe('["a secret"]');
    sessions.forget('a');
    await sessions.tell('a', 'hello');
    expect(visit.learned()).toBeNull();
    expect(await visit.tell('more')).toBe('forgotten');
    expect(sessions.standingOf('a')).toMatchObject({ messages: 1, adapter: { digest: '["hello"]' } });
  });

  it('begins with its first message: a visit without one takes no room, and begins none that was forgotten meanwhile', async () => {
    const { sessions } = sessionsOf({ every: 2, mostSessions: 1 });
    await sessions.tell('a', 'one');
    const visits = ['b', 'b', 'c'].map((id) => sessions.visit(id));
    expect(sessions.standingOf('a')).toMatchObject({ messages: 1 });
    expect(sessions.forget('c')).toBe(false);
    expect(await visits[2]!.tell('three')).toBe('forgotten');
    expect([await visits[0]!.tell('one'), await visits[1]!.tell('two')]).toEqual(['kept', 'learned']);
    expect([sessions.size, await saidIn(sessions, 'b')]).toEqual([1, '["one","two"]']);
  });

  it.each([{ mostSessions: 3 }, { mostBytes: 3_000 }])(
    'takes room from the owner of most, and from its own owner rather than from an equal one, with %j',
    async (limits) => {
      const kept = async (...ids: readonly string[]) => {
        const { sessions } = sessionsOf({ every: 1, ...limits });
        for (const id of ids) await sessions.visit(id, id[0]).tell(id);
        return ids.filter((id) => sessions.standingOf(id) !== undefined);
      };
      expect(await kept('a1', 'b1', 'b2', 'c1')).toEqual(['a1', 'b2', 'c1']);
      expect(await kept('b1', 'b2', 'a1', 'a2')).toEqual(['b1', 'b2', 'a2']);
      expect(await kept('a1', 'b1', 'b2', 'b3', 'b4')).toEqual(['a1', 'b3', 'b4']);
    },
  );

  it('learns the last messages that fit into one step by their tokens, and keeps its adapter where the last one does not', async () => {
    const { sessions, executor } = sessionsOf({ every: 1, mostTokens: 8 });
    for (const message of ['one', 'two', 'three']) await sessions.tell('a', message);
    expect(await saidIn(sessions, 'a')).toBe('["two","three"]');
    expect(await sessions.tell('a', 'too long!')).toBe('too-long');
    expect([await saidIn(sessions, 'a'), executor.trained.length]).toEqual(['["two","three"]', 3]);
    expect(sessions.standingOf('a')).toMatchObject({ keptMessages: 4, isLearning: false });
    expect(await sessions.tell('a', 'eight …!')).toBe('learned');
    expect(await saidIn(sessions, 'a')).toBe('["eight …!"]');
  });

  it('that is forgotten while its training waits leaves none of its texts in memory', async () => {
    const { sessions, executor } = sessionsOf({ every: 1 });
    executor.waits = true;
    void sessions.tell('a', 'one');
    await settled();
    const waiting = sessions.tell('b', 'a secret');
    const held = Reflect.get(sessions, 'sessions') as ReadonlyMap<string, object>;
    const session = held.get('b');
    expect(JSON.stringify(session)).toContain('a secret');
    sessions.forget('b');
    expect(JSON.stringify(session)).not.toContain('a secret');
    await executor.finishOne();
    expect(await waiting).toBe('forgotten');
  });

  it('gets no adapter of a training that takes too long', async () => {
    const { sessions, executor } = sessionsOf({ every: 1, trainWithinMs: 5 });
    executor.until = new Promise(() => undefined);
    await expect(sessions.tell('a', 'one')).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    executor.until = Promise.resolve();
    expect(await sessions.tell('b', 'two')).toBe('learned');
  });

  const concurrent = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('tell' as const, 'tell' as const, 'ask' as const),
        id: fc.constantFrom('a', 'b', 'c'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), id: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('train' as const), id: fc.constant('') }) },
  );

  it('knows its own messages alone while others learn, one after the other, and in the end its last ones', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(concurrent, { maxLength: 50, size: 'max' }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, every) => {
          const { sessions, executor } = sessionsOf({ every, mostMessages: 4, mostBytes: 2_000 });
          executor.waits = true;
          const told = new Map<string, string[]>();
          const lessons: Promise<unknown>[] = [];
          for (const [n, { kind, id }] of steps.entries()) {
            if (kind === 'train') await executor.finishOne();
            else if (kind === 'forget') {
              sessions.forget(id);
              told.delete(id);
            } else if (kind === 'ask') {
              const said = await saidIn(sessions, id);
              const learned = said === 'frozen' ? [] : (JSON.parse(said as string) as string[]);
              expect((told.get(id) ?? []).join()).toContain(learned.join());
            } else {
              if (sessions.standingOf(id) === undefined) told.delete(id);
              told.set(id, [...(told.get(id) ?? []), `${id}${n}`]);
              lessons.push(sessions.tell(id, `${id}${n}`));
            }
            expect(executor.atOnce).toBeLessThanOrEqual(1);
            expect(sessions.bytes).toBeLessThanOrEqual(2_000);
          }
          executor.waits = false;
          await executor.finishOne();
          await Promise.all(lessons);
          for (const [id, messages] of told) {
            const last = messages.slice(0, messages.length - (messages.length % every)).slice(-4);
            // Of three sessions with adapters two have room.
            if (sessions.standingOf(id) !== undefined && last.length > 0)
              expect(await saidIn(sessions, id)).toBe(JSON.stringify(last));
          }
        },
      ),
    ));
});

function sessionsOf(
  settings: Partial<SessionSettings>,
  executor = new TellingExecutor(),
  onForgotten?: (why: string) => void,
) {
  const clock = { nowMs: 1_000, now: () => clock.nowMs };
  return {
    ...{ executor, clock },
    sessions: new SessionAdapters(executor, sessionSchema.parse(settings), clock, onForgotten),
  };
}

async function saidIn(sessions: SessionAdapters, id: string): Promise<unknown> {
  const [answer] = await sessions.modelOf(id).answer(['?']);
  return answer!.status === 'answered' ? answer!.text : answer;
}

/** What is to follow at once has followed. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
