/** Kills services at moments that can be seen from outside: an object appears, a record is appended. */
import { setTimeout as pause } from 'node:timers/promises';
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
 * moment's. Resolves when none is left, or when aborted.
 * @returns names of the moments that came
 */
export async function killAtMoments(
  { services, log, deployment }: Scene,
  moments: readonly Moment[],
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
  const objects = await deployment.openObjects();
  const seen = new Set<string>();
  const stop = AbortSignal.any([signal, done.signal]);
  const isOver = (): boolean => stop.aborted;
  const looking = (async () => {
    while (!isOver()) {
      for await (const { key } of objects.list('')) {
        if (seen.has(key)) continue;
        seen.add(key);
        noticed((moment) => 'object' in moment && moment.object.test(key));
      }
      await pause(LOOK_EVERY_MS);
    }
  })();
  for await (const records of log.follow({ topics: TOPICS.map(({ name }) => name), from: 'latest', signal: stop })) {
    for (const { topic } of records) noticed((moment) => 'topic' in moment && moment.topic === topic);
  }
  await looking;
  await objects.close();
  return came;
}
