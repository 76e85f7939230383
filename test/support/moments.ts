/** Kills services at moments that can be seen from outside: an object appears, a record is appended. */
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { TOPICS, type TopicName } from '@seamstream/events';
import type { ServiceName } from './service-processes.js';
import type { Scene } from './toy-run.js';

/** A kill of the service as soon as a matching object, or a record of the topic, appears. */
export type Moment = { readonly service: ServiceName; readonly name: string } & (
  | { readonly object: RegExp }
  | { readonly topic: TopicName }
);

const LOOK_EVERY_MS = 3;

/**
 * Waits for every moment once, in their order per service, and kills at once; the process that then comes is the next
 * moment's. Resolves when none is left, or when told to stop.
 * @param objects folder of the object store
 * @returns names of the moments that came
 */
export async function killAtMoments(
  { services, log }: Scene,
  moments: readonly Moment[],
  objects: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const came: string[] = [];
  const waiting = new Map(
    [...Map.groupBy(moments, ({ service }) => service)].map(([service, own]) => [
      service,
      { own: [...own], isBusy: false },
    ]),
  );
  const done = new AbortController();
  const noticed = (matches: (moment: Moment) => boolean): void => {
    for (const [service, queue] of waiting) {
      const [moment] = queue.own;
      if (queue.isBusy || moment === undefined || !matches(moment) || !services.isAtWork(service)) continue;
      queue.own.shift();
      queue.isBusy = true;
      came.push(moment.name);
      void services.killAndRestart(service).then(() => {
        queue.isBusy = false;
        if (came.length === moments.length) done.abort();
      });
    }
  };
  await mkdir(objects, { recursive: true });
  // Looked at again and again: a watcher learns of a new folder too late for the first file in it.
  const seen = new Set<string>(readdirSync(objects, { recursive: true, encoding: 'utf8' }));
  const timer = setInterval(() => {
    for (const file of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
      if (seen.has(file)) continue;
      seen.add(file);
      noticed((moment) => 'object' in moment && moment.object.test(file));
    }
  }, LOOK_EVERY_MS);
  const stop = AbortSignal.any([signal, done.signal]);
  try {
    for await (const records of log.follow({ topics: TOPICS.map(({ name }) => name), from: 'latest', signal: stop })) {
      for (const { topic } of records) noticed((moment) => 'topic' in moment && moment.topic === topic);
    }
  } finally {
    clearInterval(timer);
  }
  return came;
}
