/** A copy of a data folder that an earlier release left (test/kept-folders), with today's programs over it, on its log or on Kafka. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EventLog } from '@seamstream/event-log';
import { KafkaEventLog } from '@seamstream/event-log-kafka';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { type EventOf, GROUP, type SeamEvent, TOPICS } from '@seamstream/events';
import { sameFingerprint } from '@seamstream/language-model';
import type { Environment } from '@seamstream/service-kit';
import { recordsOf } from '@seamstream/testing';
import { unpackFolder } from '../kept-folders/archive.mjs';
import { allEventsOf } from './recorded-run.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const KEPT = join(ROOT, 'test/kept-folders');
/** Three rounds are too few to converge, and that is what the status of the demonstration says. */
const NOT_CONVERGED = 3;

type Adapter = Pick<EventOf<'AdapterPublished'>, 'adapterDigest' | 'fingerprint'>;

/** What was recorded when the folder was kept; test/kept-folders/make.mjs writes it. */
interface Said {
  /** The release's services read it. */
  readonly environment: Environment;
  /** Arguments of the demonstration. */
  readonly start: readonly string[];
  /** Of the demonstration that was not killed, in the order of the versions. */
  readonly adapters: readonly Adapter[];
  /** What `seam --json` answered. */
  readonly said: readonly { readonly args: readonly string[]; readonly answer: Readonly<Record<string, unknown>> }[];
}

/** Their names, the oldest first. */
export async function keptFolders(): Promise<readonly string[]> {
  const found = await readdir(KEPT, { withFileTypes: true });
  return found
    .filter((each) => each.isDirectory() && each.name !== 'contents')
    .map(({ name }) => name)
    .sort();
}

export class KeptFolder {
  private constructor(
    readonly folder: string,
    readonly kept: Said,
  ) {}

  static async open(name: string): Promise<KeptFolder> {
    const folder = await mkdtemp(join(tmpdir(), 'seam-kept-'));
    await unpackFolder(join(KEPT, name, 'folder.br'), folder);
    return new KeptFolder(folder, JSON.parse(await readFile(join(KEPT, name, 'said.json'), 'utf8')) as Said);
  }

  /** What a command of today prints with --json. A command that found something says so with its status. */
  async seam(args: readonly string[], environment: Environment = {}): Promise<Readonly<Record<string, unknown>>> {
    const { stdout } = await this.run('apps/cli/bin/seam.js', ['--json', ...args], environment, 1);
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as Readonly<Record<string, unknown>>;
  }

  /** Continues the demonstration as it was started, to the end of its rounds. */
  async resume(environment: Environment = {}): Promise<void> {
    await this.run('apps/standalone/bin/start.js', this.kept.start, environment, NOT_CONVERGED);
  }

  /**
   * Which of these adapters are those that the release made. Weights are compared by what they answer: processors sum in different
   * orders, and a digest shows the last bit.
   */
  areKept(adapters: readonly Adapter[]): readonly boolean[] {
    const { adapters: kept } = this.kept;
    return adapters.map(({ fingerprint }, index) => sameFingerprint(fingerprint, kept[index]?.fingerprint ?? ''));
  }

  /** All events of its log, which may have fewer topics than today's. */
  async events(): Promise<readonly SeamEvent[]> {
    const log = await this.openLog();
    try {
      const topics = (await log.topics()).map(({ name }) => name);
      return await allEventsOf(log, topics);
    } finally {
      await log.close();
    }
  }

  /** Writes the log into a cluster as the release would have left it there: the same bytes at the same offsets, and as far read. */
  async moveTo(brokers: string): Promise<void> {
    const kafka = await KafkaEventLog.open({ brokers: brokers.split(',') });
    const log = await this.openLog();
    try {
      await kafka.createTopics(TOPICS);
      for (const { name } of await log.topics()) await kafka.append(await recordsOf(log, name));
      await Promise.all(Object.values(GROUP).map((group) => readAsFar(log, kafka, group)));
    } finally {
      await Promise.all([log.close(), kafka.close()]);
    }
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  private openLog(): Promise<EventLog> {
    return LmdbEventLog.open({ folder: join(this.folder, 'log'), readOnly: true });
  }

  private async run(
    program: string,
    args: readonly string[],
    environment: Environment,
    status: number,
  ): Promise<{ readonly stdout: string }> {
    const { PATH, HOME, TMPDIR } = process.env;
    const env = { PATH, HOME, TMPDIR, SEAM_GATEWAY_PORT: '0', ...this.kept.environment, ...environment };
    const all = [join(ROOT, program), '--data-dir', this.folder, ...args];
    return promisify(execFile)(process.execPath, all, { env, maxBuffer: 1 << 26 }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== status) throw error;
      return error as { stdout: string };
    });
  }
}

/** Commits for a group at the target what it has committed at the source. */
async function readAsFar(source: EventLog, target: EventLog, group: string): Promise<void> {
  const open = new Map(
    (await source.committedOffsets(group)).map((place) => [`${place.topic}/${place.partition}`, place]),
  );
  for (const [key, { nextOffset }] of open) if (nextOffset === 0) open.delete(key);
  if (open.size === 0) return;
  const all = Promise.withResolvers<undefined>();
  const subscription = await target.consume({
    group,
    topics: [...new Set([...open.values()].map(({ topic }) => topic))],
    from: 'earliest',
    maxBatchRecords: 1,
    onBatch: async ({ topic, partition, claim, signal }) => {
      const place = open.get(`${topic}/${partition}`);
      if (place !== undefined) {
        await target.transact({ records: [], consumed: { claim, offsets: [place] } });
        open.delete(`${topic}/${partition}`);
        if (open.size === 0) all.resolve(undefined);
        return;
      }
      // Not read by the release: held until the others are committed.
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve());
      });
    },
  });
  await Promise.race([all.promise, subscription.closed]);
  await subscription.close();
}
