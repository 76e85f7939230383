import fc from 'fast-check';
import { FakeExecutor } from './executor-model.fake.js';
import type { AdaptationRequest, ExecutorModel } from './executor-model.port.js';
import { SessionAdapters, type SessionSettings, sessionSchema } from './session-adapters.js';
import type { TrainableExecutor } from './trainable-executor.js';

describe('a session', () => {
  it('learns from its own messages after every few, and from nothing unless that is set', async () => {
    const { sessions, executor } = sessionsOf({ every: 2, rank: 4, steps: 8 });
    expect(await sessions.tell('a', 'one')).toBe(false);
    expect(await sessions.tell('b', 'other')).toBe(false);
    expect(await saidIn(sessions, 'a')).toBe('frozen');
    expect(await sessions.tell('a', 'two')).toBe(true);
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
        fc.array(operation, { maxLength: 60 }),
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
    let release!: () => void;
    executor.until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const learning = sessions.tell('a', 'a secret');
    expect(sessions.forget('a')).toBe(true);
    const again = sessions.tell('a', 'hello');
    release();
    expect(await learning).toBe(false);
    expect(await again).toBe(true);
    expect(await saidIn(sessions, 'a')).toBe('["hello"]');
  });

  it('answers as before where a training fails, and refuses a message that is too long', async () => {
    const { sessions, executor } = sessionsOf({ every: 1, mostCharacters: 5 });
    await sessions.tell('a', 'good');
    executor.until = Promise.reject(new Error('no memory'));
    await expect(sessions.tell('a', 'more')).rejects.toThrow('no memory');
    expect(await saidIn(sessions, 'a')).toBe('["good"]');
    executor.until = Promise.resolve();
    await expect(sessions.tell('a', 'longer')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await sessions.tell('a', 'last')).toBe(true);
    expect(await saidIn(sessions, 'a')).toBe('["good","more","last"]');
  });
});

/** Answers with what it was trained on. */
class Telling extends FakeExecutor implements TrainableExecutor {
  readonly trained: AdaptationRequest[] = [];
  /** Trainings wait for it. */
  until: Promise<unknown> = Promise.resolve();

  constructor() {
    super(() => 'frozen');
  }

  countTokens(text: string): number {
    return text.length;
  }

  async adapt(request: AdaptationRequest): ReturnType<NonNullable<ExecutorModel['adapt']>> {
    this.trained.push(request);
    await this.until;
    const text = JSON.stringify(request.documents);
    return { status: 'adapted', model: new FakeExecutor(() => text) };
  }
}

function sessionsOf(settings: Partial<SessionSettings>, executor = new Telling()) {
  const clock = { nowMs: 1_000, now: () => clock.nowMs };
  return { executor, clock, sessions: new SessionAdapters(executor, sessionSchema.parse(settings), clock) };
}

async function saidIn(sessions: SessionAdapters, id: string): Promise<unknown> {
  const [answer] = await sessions.modelOf(id).answer(['?']);
  return answer!.status === 'answered' ? answer!.text : answer;
}
