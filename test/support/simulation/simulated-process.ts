/**
 * A process that can be killed, frozen and cut off, as the rest of the world sees it: every call to log and object store
 * takes a while, may get lost on its way there or its answer on the way back, waits while the process is frozen, and never
 * comes back once it is dead.
 */
import {
  type Claim,
  type ConsumeOptions,
  EventLog,
  InMemoryEventLog,
  type InMemoryLogStorage,
  type LogRecord,
  type Transaction,
} from '@seamstream/event-log';
import { isSeamError, type Random, SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore, type InMemoryObjects, ObjectStore } from '@seamstream/object-store';
import type { VirtualTime } from './virtual-time.js';

/** As the drivers' own. */
export const SESSION_MS = 10_000;

export interface Weather {
  /** Fraction of calls that do not arrive. */
  readonly lostCalls: number;
  /** Fraction of calls that are done and not heard of. */
  readonly lostAnswers: number;
  /** Most milliseconds that a call takes one way. */
  readonly latencyMs: number;
}

export interface Surroundings {
  readonly time: VirtualTime;
  readonly storage: InMemoryLogStorage;
  readonly objects: InMemoryObjects;
  weather: Weather;
  /** Commits that were refused because the claim was another's by then. */
  fenced: number;
  /** What happens, for comparing one run with another. */
  readonly trace: (line: string) => void;
}

export class SimulatedProcess {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  private readonly member: InMemoryEventLog;
  private isDead = false;
  private frozenUntilMs = 0;

  constructor(
    readonly name: string,
    private readonly random: Random,
    private readonly world: Surroundings,
  ) {
    this.member = new InMemoryEventLog({ storage: world.storage, clock: { now: () => world.time.now } });
    this.log = new RemoteLog(this.member, this);
    this.objects = new RemoteObjects(new InMemoryObjectStore(world.objects), this);
  }

  /** Ends at once, at any point of its work. Others get its partitions when its session has run out. */
  async kill(sessionMs: number): Promise<void> {
    this.isDead = true;
    this.world.trace(`${this.name} is killed`);
    await this.world.time.sleep(sessionMs);
    this.member.lapse({ isGone: true });
  }

  /** Pauses so long, longer than its session; then it continues as if nothing had happened. */
  async freeze(ms: number): Promise<void> {
    this.frozenUntilMs = this.world.time.now + ms;
    this.world.trace(`${this.name} is frozen`);
    await this.world.time.sleep(Math.floor(ms / 2));
    if (!this.isDead) this.member.lapse({ isGone: false });
  }

  /** @param unavailable the code by which the callee's users know that it cannot be reached */
  async call<T>(
    what: string,
    unavailable: 'LOG_UNAVAILABLE' | 'OBJECT_STORE_UNAVAILABLE',
    perform: () => Promise<T>,
    whenUnheard: () => void = () => undefined,
  ): Promise<T> {
    const { lostCalls, lostAnswers } = this.world.weather;
    await this.onTheWay();
    if (this.random.float() < lostCalls) throw this.lost(what, unavailable, 'did not arrive');
    const result = await perform();
    this.world.trace(`${this.name} ${what}`);
    await this.onTheWay();
    if (this.random.float() >= lostAnswers) return result;
    whenUnheard();
    throw this.lost(what, unavailable, 'was done, its answer is lost');
  }

  wasFenced(): void {
    this.world.fenced++;
  }

  /** What a dead process begins never ends. */
  async alive(): Promise<void> {
    while (!this.isDead && this.frozenUntilMs > this.world.time.now)
      await this.world.time.sleep(this.frozenUntilMs - this.world.time.now);
    if (this.isDead) await new Promise(() => undefined);
  }

  private async onTheWay(): Promise<void> {
    await this.alive();
    await this.world.time.sleep(this.random.int(this.world.weather.latencyMs + 1));
    await this.alive();
  }

  private lost(what: string, unavailable: 'LOG_UNAVAILABLE' | 'OBJECT_STORE_UNAVAILABLE', how: string): SeamError {
    this.world.trace(`${this.name} ${what}: ${how}`);
    return new SeamError(unavailable, `Cannot finish ${what}: the call ${how}.`);
  }
}

class RemoteLog extends EventLog {
  constructor(
    private readonly log: InMemoryEventLog,
    private readonly process: SimulatedProcess,
  ) {
    super();
  }

  override identity = (): ReturnType<EventLog['identity']> => this.far('identity', () => this.log.identity());
  override createTopics = (...given: Parameters<EventLog['createTopics']>): Promise<void> =>
    this.far('createTopics', () => this.log.createTopics(...given));
  override topics = (): ReturnType<EventLog['topics']> => this.far('topics', () => this.log.topics());
  override claim = (name: string): ReturnType<EventLog['claim']> =>
    this.far(`claim ${name}`, () => this.log.claim(name));
  override release = (claim: Claim): ReturnType<EventLog['release']> =>
    this.far(`release ${claim.group}`, () => this.log.release(claim));
  override append = (...given: Parameters<EventLog['append']>): ReturnType<EventLog['append']> =>
    this.far('append', () => this.log.append(...given));
  override offsetForTime = (...given: Parameters<EventLog['offsetForTime']>): ReturnType<EventLog['offsetForTime']> =>
    this.far('offsetForTime', () => this.log.offsetForTime(...given));
  override committedOffsets = (group: string): ReturnType<EventLog['committedOffsets']> =>
    this.far('committedOffsets', () => this.log.committedOffsets(group));
  override watermarks = (topic: string): ReturnType<EventLog['watermarks']> =>
    this.far('watermarks', () => this.log.watermarks(topic));
  override close = (): Promise<void> => this.log.close();

  override transact(transaction: Transaction): ReturnType<EventLog['transact']> {
    const { records, consumed } = transaction;
    return this.process.call(
      `transact ${records.length} ${consumed?.offsets.map(({ topic, partition, nextOffset }) => `${topic}/${partition}@${nextOffset}`).join() ?? ''}`,
      'LOG_UNAVAILABLE',
      () =>
        this.log.transact(transaction).catch((error: unknown) => {
          if (isSeamError(error, 'FENCED')) this.process.wasFenced();
          throw error;
        }),
      () => {
        if (consumed !== undefined) this.log.endClaim(consumed.claim);
      },
    );
  }

  override consume(options: ConsumeOptions): ReturnType<EventLog['consume']> {
    return this.far(`consume ${options.group}`, () =>
      this.log.consume({
        ...options,
        onBatch: async (batch) => {
          await this.process.alive();
          await options.onBatch(batch);
          await this.process.alive();
        },
      }),
    );
  }

  override async *read(options: Parameters<EventLog['read']>[0]): AsyncIterable<readonly LogRecord[]> {
    const chunks = await this.far(`read ${options.topic}/${options.partition}`, () => arrayOf(this.log.read(options)));
    yield* chunks;
  }

  override async *follow(options: Parameters<EventLog['follow']>[0]): AsyncIterable<readonly LogRecord[]> {
    for await (const records of this.log.follow(options)) {
      await this.process.alive();
      yield records;
    }
  }

  private far<T>(what: string, perform: () => Promise<T>): Promise<T> {
    return this.process.call(what, 'LOG_UNAVAILABLE', perform);
  }
}

class RemoteObjects extends ObjectStore {
  constructor(
    private readonly store: InMemoryObjectStore,
    private readonly process: SimulatedProcess,
  ) {
    super();
  }

  override put = (...given: Parameters<ObjectStore['put']>): ReturnType<ObjectStore['put']> =>
    this.far(`put ${given[0]}`, () => this.store.put(...given));
  override get = (...given: Parameters<ObjectStore['get']>): ReturnType<ObjectStore['get']> =>
    this.far(`get ${given[0]}`, () => this.store.get(...given));
  override head = (key: string): ReturnType<ObjectStore['head']> => this.far(`head ${key}`, () => this.store.head(key));
  override delete = (key: string): Promise<void> => this.far(`delete ${key}`, () => this.store.delete(key));
  override close = (): Promise<void> => this.store.close();

  override async *list(prefix: string): ReturnType<ObjectStore['list']> {
    yield* await this.far(`list ${prefix}`, () => arrayOf(this.store.list(prefix)));
  }

  private far<T>(what: string, perform: () => Promise<T>): Promise<T> {
    return this.process.call(what, 'OBJECT_STORE_UNAVAILABLE', perform);
  }
}

async function arrayOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = [];
  for await (const item of items) array.push(item);
  return array;
}
