import { type EventOf, encodeEvent, type SeamEvent, TOPIC, TOPIC_OF } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { placeOf, REDRIVE_HEADER } from '../dead-letters/dead-letter.js';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import { oldPassages, spentBy, whenIdle } from './idle.decide.js';
import { evolveOpenWork, initialOpenWork, othersWaiting } from './open-work.decide.js';
import { type IdleSettings, resolveRestEm } from './restem.config.js';
import { IDLE_TOPICS } from './run-restem.js';
import {
  evolveSelfTrainings,
  explorationId,
  explorationMetadata,
  initialSelfTrainings,
  nextStep,
} from './self-training.decide.js';
import { reportOf } from './self-training-report.js';

const BUDGET: IdleSettings = { maxAttempts: 1000, maxSeconds: 1e6, maxTokens: null, mostCost: 0.1, oldPassages: 20 };

describe('a self-training in idle time', () => {
  it('begins no passage and no training while a problem of others waits, regardless of what arrives and where it is killed', () => {
    for (let seed = 0; seed < 150; seed++) {
      const world = new Simulation(Random.of('idle', seed));
      for (let tick = 0; tick < 120; tick++) world.tick();
      world.others = false;
      for (let tick = 0; tick < 2000 && !world.isOver; tick++) world.tick();
      expect(world.faults).toEqual([]);
      expect([seed, world.isOver]).toEqual([seed, true]);
    }
  });

  it('explores one passage after the other, and not before the last one has all results', () => {
    const steps = (...events: SeamEvent[]) => nextStep(stateOf([started(), ...events]), [], 4);
    expect(steps()).toEqual({ kind: 'explore', index: 1, rows: [0] });
    expect(steps(published(0))).toMatchObject({ kind: 'wait', settled: 0, problems: 1 });
    expect(steps(published(0), outcome(0, 0), outcome(0, 1))).toEqual({ kind: 'explore', index: 1, rows: [1] });
  });

  it.each<[string, Partial<IdleSettings>, boolean]>([
    ['attempts', { maxAttempts: 2 }, true],
    ['tokens', { maxTokens: 12 }, true],
    ['seconds', { maxSeconds: 5 }, false],
  ])('ends at its budget of %s', (_of, changes, mayTrain) => {
    const idle = { ...BUDGET, ...changes };
    const resumed = { ...EXAMPLE_EVENTS.SelfTrainingResumed, selfTrainingId: 't', meta: at(0) };
    const answered = [outcome(0, 0), outcome(0, 1)].map((each) => ({
      ...each,
      meta: { ...each.meta, occurredAt: 5000 },
    }));
    const state = stateOf([started(idle), resumed, published(0), ...answered]);
    const facts = { waiting: 0, spent: spentBy(state, 5000) };
    expect(facts.spent).toEqual({ attempts: 2, seconds: 5, tokens: 2 * (2 + 1 + 2 + 1) });
    const config = { config: { ...state.config, idle } };
    expect(whenIdle({ kind: 'explore', index: 1, rows: [1] }, config, facts)).toEqual({
      kind: 'none',
      reason: 'budget',
    });
    expect(whenIdle({ kind: 'train', index: 1 }, config, facts).kind).toBe(mayTrain ? 'train' : 'none');
    const richer = { config: { ...state.config, idle: { ...idle, maxAttempts: 3, maxTokens: 13, maxSeconds: 5.1 } } };
    expect(whenIdle({ kind: 'explore', index: 1, rows: [1] }, richer, facts).kind).toBe('explore');
  });

  it('listens to people regardless of what others do, within its time', () => {
    const listen = { kind: 'listen', index: 1, until: 9 } as const;
    const config = { config: { ...stateOf([started()]).config, idle: BUDGET } };
    const spent = { attempts: BUDGET.maxAttempts, seconds: 0, tokens: 0 };
    for (const waiting of [0, 1, 0, 2]) expect(whenIdle(listen, config, { waiting, spent })).toEqual(listen);
    const over = { ...spent, seconds: BUDGET.maxSeconds };
    expect(whenIdle(listen, config, { waiting: 1, spent: over })).toEqual({ kind: 'none', reason: 'budget' });
  });

  it('counts no time in which it rested or was dead, and says why it rests', () => {
    const resumed = (ms: number) => ({ ...EXAMPLE_EVENTS.SelfTrainingResumed, selfTrainingId: 't', meta: at(ms) });
    const paused = (ms: number) => ({ ...EXAMPLE_EVENTS.SelfTrainingPaused, selfTrainingId: 't', meta: at(ms) });
    const publishedAt = (row: number, ms: number) => ({ ...published(row), meta: at(ms) });
    const events = [started(), resumed(1000), paused(3000), paused(3000), resumed(100_000), publishedAt(0, 104_000)];
    // Two seconds of work, four seconds up to the last fact before a kill, and then one that continues.
    const killed = stateOf([...events, resumed(900_000)]);
    expect(spentBy(killed, 901_000).seconds).toBe(7);
    expect(spentBy(killed).seconds).toBe(6);
    const resting = reportOf(stateOf([...events, resumed(900_000), paused(901_500)]), []);
    expect(resting.idle).toEqual({
      spent: { attempts: 0, seconds: 7.5, tokens: 0 },
      pause: { reason: 'work', waiting: 3, since: 901_500 },
    });
    expect(resting.standing).toBe('resting');
    expect(reportOf(killed, []).standing).toBe('exploring');
  });

  it('counts the wait for its own passage as rest while others wait, and as work otherwise', () => {
    const { config } = stateOf([started()]);
    const step = { kind: 'wait', index: 1, settled: 0, problems: 1 } as const;
    const spent = { attempts: 0, seconds: 2e6, tokens: 0 };
    expect(whenIdle(step, { config }, { waiting: 2, spent })).toEqual({ kind: 'rest', index: 1, waiting: 2 });
    expect(whenIdle(step, { config }, { waiting: 0, spent })).toEqual(step);
    expect(whenIdle(step, { config: { ...config, idle: null } }, { waiting: 2, spent })).toEqual(step);
  });

  it('has to keep passages that promoted writers learned from, of all self-trainings, and no others', () => {
    const other = { ...started(), selfTrainingId: 'u' };
    const ofOther = (row: number, index: number) => problemOf(row, index, 'u');
    const events = [started(), other, ...[0, 1].map((row) => published(row)), ofOther(0, 1), ofOther(1, 2)];
    const all = events.reduce(evolveSelfTrainings, initialSelfTrainings());
    const runs = [run('t', 1, 'served'), run('u', 1, 'rolledBack'), run('u', 2, 'rejected')];
    const ids = (index: number, count = 9) => oldPassages(all, runs, { selfTrainingId: 't', index, count });
    const learned = [explorationId('t', 1, 0), explorationId('t', 1, 1), explorationId('u', 1, 0)];
    expect(ids(2)).toEqual([...learned].sort());
    expect(ids(1)).toEqual([explorationId('u', 1, 0)]);
    expect(ids(2, 2)).toHaveLength(2);
    expect(ids(2, 2)).toEqual(ids(2, 2));
  });

  it('takes a problem of others as work that says it were its own', () => {
    const claiming = { ...published(0), problem: { ...published(0).problem, problemId: 'p' } };
    const events = [started(), claiming, { ...outcome(0, 0), problem: claiming.problem }];
    const { places, byId } = events.reduce(evolveSelfTrainings, initialSelfTrainings());
    expect(othersWaiting(workOf(events), (id) => places.has(id))).toBe(1);
    expect(spentBy(byId.get('t')!).attempts).toBe(0);
  });

  it.each([
    [{ maxAttempts: 0, maxSeconds: 1 }, 'maxAttempts'],
    [{ maxAttempts: 1 }, 'maxSeconds'],
    [{ maxAttempts: 1, maxSeconds: 1, mostCost: 2 }, 'mostCost'],
    [{ maxAttempts: 1, maxSeconds: 1, until: 'noon' }, 'until'],
  ])('is refused with %j, and is off where nothing is said', (idle, named) => {
    expect(() => resolveRestEm({ trainer: {}, file: { idle } })).toThrow(named);
    expect(resolveRestEm({ trainer: {} }).idle).toBeNull();
  });
});

describe('the problems that wait', () => {
  it('are those without a result or an answer of every attempt; a letter that is redriven waits again', () => {
    const waiting = (...events: (SeamEvent | Placed)[]) => othersWaiting(workOf(events), (id) => id.startsWith('own'));
    const asked = otherProblem('p');
    const scout = { ...experience('p', 0), groupId: 'p/scouts', groupSize: 1 };
    const dead = letter(otherProblem('p'), 1);
    const redriven = { event: asked, record: { headers: { [REDRIVE_HEADER]: placeOf(dead) } } };
    expect(waiting(asked)).toBe(1);
    expect(waiting(otherProblem('own'))).toBe(0);
    expect(waiting(asked, experience('p', 0), result('p', 0))).toBe(1);
    expect(waiting(asked, experience('p', 0), result('p', 0), answer('p', 1))).toBe(0);
    expect(waiting(asked, experience('p', 0), scout, result('p', 0), result('p', 1))).toBe(1);
    expect(waiting(asked, result('p', 0), result('p', 1), asked, experience('p', 0))).toBe(0);
    expect(waiting(asked, { ...EXAMPLE_EVENTS.ProblemExpired, problem: asked.problem }, asked)).toBe(0);
    expect(waiting(asked, dead)).toBe(0);
    expect(waiting(asked, dead, redriven)).toBe(1);
    // As another process reads it: topic by topic, letters last.
    expect(waiting(asked, redriven, dead)).toBe(1);
    expect(waiting(asked, redriven, dead, letter(otherProblem('p'), 7))).toBe(0);
  });

  it('wait for the attempts that no letter is of, in any order', () => {
    const written = [otherProblem('p'), experience('p', 0), experience('p', 1)];
    const lost = letter(experience('p', 1), 4);
    const waiting = (...events: SeamEvent[]) =>
      [events, [...events, lost, lost], [lost, ...events]].map((each) => othersWaiting(workOf(each), () => false));
    expect(waiting(...written)).toEqual([1, 1, 1]);
    expect(waiting(...written, result('p', 0))).toEqual([1, 0, 0]);
    expect(waiting(...written, result('p', 1))).toEqual([1, 1, 1]);
    expect(waiting(...written, letter(experience('p', 1), 5))).toEqual([1, 1, 1]);
    expect(waiting(...written, letter(experience('p', 0), 5))).toEqual([1, 0, 0]);
    // What a stranger wrote under its key.
    const junk = { ...EXAMPLE_EVENTS.DeadLettered, key: 'p' };
    expect(waiting(...written.slice(0, 1), junk).slice(0, 2)).toEqual([1, 1]);
    expect(waiting(...written, result('p', 0), { ...junk, topic: TOPIC.experiences })).toEqual([1, 0, 0]);
    // Its writer gave up after the first attempt: that one waits alone.
    const unwritten = [...written.slice(0, 2), letter(otherProblem('p'), 1)];
    expect(waiting(...unwritten)[0]).toBe(1);
    expect(waiting(...unwritten, result('p', 0))[0]).toBe(0);
  });
});

/** Services, others who publish, and the process of a self-training, which looks at the log alone and is killed at any time. */
class Simulation {
  others = true;
  isOver = false;
  readonly faults: string[] = [];
  private readonly events: Placed[] = [placed(started({ ...BUDGET, maxAttempts: 11 }))];
  private readonly runs: RecordedRun[] = [];
  /** What the services have still to do of each problem: the oracle. */
  private readonly todo = new Map<string, SeamEvent[]>();
  /** Records that a service gave up, and what it did not do for them. */
  private readonly givenUp: { readonly id: string; readonly again: Placed; readonly lost: SeamEvent[] }[] = [];
  private letters = 0;
  private training: number | null = null;
  private published = 0;
  private state = initialSelfTrainings();
  private work = initialOpenWork();
  private read = 0;

  constructor(private readonly random: Random) {}

  tick(): void {
    const { random } = this;
    if (this.others && random.int(4) === 0) this.publishOther();
    const waiting = [...this.todo.keys()];
    if (waiting.length > 0 && random.int(2) === 0) this.serve(random.shuffled(waiting)[0]!);
    if (this.others && random.int(8) === 0) this.redrive();
    if (random.int(10) === 0) this.die();
    if (random.int(2) === 0) this.drive();
  }

  private publishOther(): void {
    const id = `other-${this.published++}`;
    this.events.push(placed(otherProblem(id)));
    const end = [result, answer][this.random.int(2)]!;
    this.todo.set(id, [experience(id, 0), experience(id, 1), end(id, 0), end(id, 1)]);
  }

  private serve(id: string): void {
    const [next, ...rest] = this.todo.get(id)!;
    const isGivenUp = id.startsWith('other') && this.random.int(6) === 0;
    // The writer gives up a problem with all its attempts, and the executor one attempt.
    if (isGivenUp && rest.length === 3) this.giveUp(id, otherProblem(id), [next!, ...rest]);
    else if (isGivenUp && (next!.type === 'OutcomeRecorded' || next!.type === 'AnswerRecorded'))
      this.giveUp(id, experience(id, next!.candidateIndex), [next!]);
    else this.events.push(placed(next!));
    if (rest.length === 0 || (isGivenUp && rest.length === 3)) this.todo.delete(id);
    else this.todo.set(id, rest);
  }

  private giveUp(id: string, record: SeamEvent, lost: SeamEvent[]): void {
    const event = letter(record, this.letters++);
    this.events.push(placed(event));
    const again = { event: record, record: { headers: { [REDRIVE_HEADER]: placeOf(event) } } };
    this.givenUp.push({ id, again, lost });
  }

  private redrive(): void {
    const [of, ...others] = this.random.shuffled(this.givenUp);
    if (of === undefined) return;
    this.givenUp.splice(0, this.givenUp.length, ...others);
    this.events.push(of.again);
    this.todo.set(of.id, [...(this.todo.get(of.id) ?? []), ...of.lost]);
  }

  /** Killed: what was folded is lost, and a training under way is left. */
  private die(): void {
    [this.state, this.work, this.read, this.training] = [initialSelfTrainings(), initialOpenWork(), 0, null];
  }

  private drive(): void {
    // Topic by topic, as they are read.
    const place = ({ event }: Placed) => -IDLE_TOPICS.findIndex((topic) => topic === TOPIC_OF[event.type]);
    for (const each of this.events.slice(this.read).sort((a, b) => place(a) - place(b))) {
      evolveSelfTrainings(this.state, each.event);
      evolveOpenWork(this.work, each);
    }
    this.read = this.events.length;
    const self = this.state.byId.get('t')!;
    const waiting = othersWaiting(this.work, (id) => this.state.places.has(id));
    const step = whenIdle(nextStep(self, this.runs, 3), self, { waiting, spent: spentBy(self) });
    if (step.kind === 'none') this.isOver = true;
    if (step.kind === 'explore') this.explore(step.rows, step.index);
    if (step.kind === 'train') this.train(step.index);
    else this.training = null;
  }

  private explore(rows: readonly number[], index: number): void {
    this.check('explored');
    if (rows.length !== 1) this.faults.push(`explored ${rows.length} at once`);
    const event = problemOf(rows[0]!, index, 't');
    this.events.push(placed(event));
    this.todo.set(
      event.problem.problemId,
      [0, 1].map((candidate) => outcome(rows[0]!, candidate, index)),
    );
    const spent = this.state.places.size * 2;
    if (spent > 11) this.faults.push(`explored after ${spent} attempts`);
  }

  private train(index: number): void {
    this.check('trained');
    this.training = (this.training ?? 0) + 1;
    if (this.training > 3) this.runs.push(run('t', index, 'served'));
  }

  /** The oracle: all that is still to be served now. */
  private check(did: string): void {
    const others = [...this.todo.keys()].filter((id) => id.startsWith('other'));
    if (others.length > 0) this.faults.push(`${did} while ${others.join()} waited`);
  }
}

const at = (occurredAt: number) => ({
  ...EXAMPLE_EVENTS.SelfTrainingPaused.meta,
  messageId: `at-${occurredAt}`,
  occurredAt,
});

function started(idle: IdleSettings = BUDGET) {
  const configuration = JSON.stringify({ iterations: 2, passages: 3, patience: 0, idle, algorithm: {} });
  return { ...EXAMPLE_EVENTS.SelfTrainingStarted, selfTrainingId: 't', configuration };
}

function stateOf(events: readonly SeamEvent[]) {
  return events.reduce(evolveSelfTrainings, initialSelfTrainings()).byId.get('t')!;
}

/** An event and what is read of its record. */
type Placed = Parameters<typeof evolveOpenWork>[1];

const placed = (event: SeamEvent): Placed => ({ event, record: { headers: {} } });

function workOf(events: readonly (SeamEvent | Placed)[]) {
  return events.map((each) => ('event' in each ? each : placed(each))).reduce(evolveOpenWork, initialOpenWork());
}

function letter(of: SeamEvent, offset: number) {
  const { topic, key, value, headers } = encodeEvent(of);
  return { ...EXAMPLE_EVENTS.DeadLettered, ...{ topic, partition: 0, offset, key, value, headers } };
}

function problemOf(row: number, index: number, of: string) {
  const [problemId, metadata] = [explorationId(of, index, row), explorationMetadata(of, index)];
  const { problem } = EXAMPLE_EVENTS.ProblemPublished;
  return { ...EXAMPLE_EVENTS.ProblemPublished, problem: { ...problem, problemId, metadata } };
}

function published(row: number) {
  return { ...problemOf(row, 1, 't'), meta: at(0) };
}

/** Of two attempts; it read 2 + 2 tokens and wrote 1 + 1. */
function outcome(row: number, candidateIndex: number, index = 1): EventOf<'OutcomeRecorded'> {
  const { problem } = problemOf(row, index, 't');
  return {
    ...resultOf(problem.problemId, candidateIndex),
    ...{ problem, promptTokenIds: [1, 2], tokenIds: [3], promptTokens: 2, responseTokens: 1 },
  };
}

function otherProblem(problemId: string) {
  const { problem } = EXAMPLE_EVENTS.ProblemPublished;
  return { ...EXAMPLE_EVENTS.ProblemPublished, problem: { ...problem, problemId, metadata: {} } };
}

function place(problemId: string, candidateIndex: number) {
  const experienceId = `${problemId}/${candidateIndex}`;
  const { problem } = otherProblem(problemId);
  return { problem, groupId: `${problemId}/g`, experienceId, candidateIndex, groupSize: 2, attemptId: null };
}

function resultOf(id: string, candidate: number): EventOf<'OutcomeRecorded'> {
  const meta = { ...EXAMPLE_EVENTS.OutcomeRecorded.meta, messageId: `${id}/${candidate}/result` };
  return { ...EXAMPLE_EVENTS.OutcomeRecorded, ...place(id, candidate), meta };
}

function result(id: string, candidate: number): SeamEvent {
  return resultOf(id, candidate);
}

function answer(id: string, candidate: number): SeamEvent {
  return { ...EXAMPLE_EVENTS.AnswerRecorded, ...place(id, candidate) };
}

function experience(id: string, candidate: number) {
  return { ...EXAMPLE_EVENTS.ExperienceGenerated, ...place(id, candidate) };
}

function run(of: string, index: number, decision: 'served' | 'rolledBack' | 'rejected'): RecordedRun {
  const configuration = JSON.stringify({ iteration: { of, index } });
  const status = decision === 'rejected' ? 'rejected' : 'completed';
  return { runId: `${of}/${index}`, configuration, status, decision, endedAt: 1 } as RecordedRun;
}
