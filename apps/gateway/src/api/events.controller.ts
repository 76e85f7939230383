import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import { type ConsumedOffset, type EventLog, partitionName } from '@seamstream/event-log';
import { TOPIC, type TopicName } from '@seamstream/events';
import { jsonText } from '@seamstream/kernel';
import { decodeRecord } from '@seamstream/log-reader';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { type Sight, sees } from '../access/sight.decide.js';
import { GatewayWorld } from '../gateway-world.js';
import { ApiError } from '../http/api-error.js';
import { endedOf, sendFrames } from '../http/reply-stream.js';

/** What may be followed of the whole system: everything but digests of keys. */
const TOPICS: readonly TopicName[] = Object.values(TOPIC).filter((topic) => topic !== TOPIC.access);
/** What may be followed of one tenant: problems and what followed from them. */
const TOPICS_OF_TENANTS: readonly TopicName[] = [
  TOPIC.problems,
  TOPIC.experiences,
  TOPIC.outcomes,
  TOPIC.answers,
  TOPIC.feedback,
];

@Controller('api/events')
export class EventsController {
  constructor(
    private readonly world: GatewayWorld,
    private readonly access: Access,
  ) {}

  /**
   * Events as they come. The id of each says where all partitions stand, so a client that comes again with `Last-Event-ID` misses none. Without
   * it the stream begins with what is appended next, or with the first record (`?from=earliest`).
   */
  @Get()
  @Needs('viewer')
  @ForEachTenant()
  async follow(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query('topics') topics = '',
    @Query('from') from = 'latest',
  ): Promise<void> {
    const { log } = this.world.drivers;
    const sight = this.access.sightOf(request.raw);
    const all = sight.isWhole ? TOPICS : TOPICS_OF_TENANTS;
    const wanted = topicsIn(topics, all);
    const places = lastEventId === undefined ? await placesOf(log, wanted, from) : placesIn(lastEventId, wanted, all);
    const gone = endedOf(reply);
    const signal = AbortSignal.any([gone, this.world.closing, this.access.untilClosed(request.raw, gone)]);
    const { keepAliveMs, stalledMs } = this.world.config.gateway;
    await sendFrames(reply, {}, framesOf(log, wanted, { places, sight }, signal), { keepAliveMs, stalledMs });
  }
}

async function* framesOf(
  log: EventLog,
  topics: readonly TopicName[],
  { places, sight }: { readonly places: readonly ConsumedOffset[]; readonly sight: Sight },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const next = new Map(places.map((place) => [partitionName(place.topic, place.partition), place.nextOffset]));
  // The client learns at once that it is connected, and where from.
  yield `retry: 1000\nid: ${idOf(next)}\n\n`;
  for await (const records of log.follow({ topics, from: places, signal })) {
    for (const record of records) {
      const { topic, partition, offset } = record;
      next.set(partitionName(topic, partition), offset + 1);
      const decoded = decodeRecord(record);
      if ('fault' in decoded || !sees(sight, decoded.event.meta)) continue;
      const { type, ...event } = decoded.event;
      yield `id: ${idOf(next)}\nevent: ${type}\ndata: ${jsonText({ topic, partition, offset, event })}\n\n`;
    }
  }
}

/** @param all what the client may follow */
function topicsIn(text: string, all: readonly TopicName[]): readonly TopicName[] {
  if (text === '') return all;
  const names = text.split(',').map((name) => (name.startsWith('seam.') ? name : `seam.${name}`));
  const unknown = names.find((name) => !(all as readonly string[]).includes(name));
  if (unknown === undefined) return names as TopicName[];
  throw invalid('topics', `expected names among ${all.join(', ')}, got ${JSON.stringify(unknown)}`);
}

async function placesOf(log: EventLog, topics: readonly TopicName[], from: string): Promise<readonly ConsumedOffset[]> {
  if (from !== 'latest' && from !== 'earliest')
    throw invalid('from', `expected latest or earliest, got ${JSON.stringify(from)}`);
  const places: ConsumedOffset[] = [];
  for (const topic of topics)
    for (const { partition, low, high } of await log.watermarks(topic))
      places.push({ topic, partition, nextOffset: from === 'latest' ? high : low });
  return places;
}

/** `seam.problems/0:12,seam.problems/1:7` */
function idOf(next: ReadonlyMap<string, number>): string {
  return [...next].map(([name, offset]) => `${name}:${offset}`).join(',');
}

/** @param all what the client may follow. A stream that began before the first tenant had more: it is left out */
function placesIn(id: string, topics: readonly TopicName[], all: readonly TopicName[]): readonly ConsumedOffset[] {
  const sent = id.split(',').map((part) => {
    const [, topic, partition, offset] = /^(seam\.[a-z-]{1,32})\/(\d{1,6}):(\d{1,15})$/.exec(part) ?? [];
    return { topic: topic as TopicName, partition: Number(partition), nextOffset: Number(offset) };
  });
  const places = sent.filter(({ topic }) => all.includes(topic) || !TOPICS.includes(topic));
  const isOfThis = places.every(({ topic }) => topics.includes(topic));
  if (isOfThis && new Set(places.map(({ topic }) => topic)).size === topics.length) return places;
  throw invalid('Last-Event-ID', 'expected an id that this stream sent for the same topics, got another');
}

function invalid(param: string, fault: string): ApiError {
  return new ApiError({
    status: 400,
    message: `Cannot follow events: ${param}: ${fault}.`,
    param,
    code: 'invalid_value',
  });
}
