/** What the dashboard reads. Every answer comes from an operation that the command line uses as well, so that their numbers are the same. */
import { Controller, Get, Header, Inject, Param, Query } from '@nestjs/common';
import type { EventLog } from '@seamstream/event-log';
import { loadEntrySchemas } from '@seamstream/experience';
import {
  adapterWordSchema,
  doctorQuerySchema,
  findQuerySchema,
  logQuerySchema,
  momentQuerySchema,
  problemIdSchema,
  problemsQuerySchema,
} from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import { findAdapter } from '@seamstream/operations/adapters';
import { countByCode, placeOf, readDeadLetters, readRedriven } from '@seamstream/operations/dead-letters';
import { examineSystem } from '@seamstream/operations/doctor';
import { changesOf, withoutDifferences } from '@seamstream/operations/read-models';
import { againstBase, readStory } from '@seamstream/operations/show';
import { eventSummary, hexExcerpt, recordAsJson } from '@seamstream/operations/tail';
import {
  browseLog,
  type DashboardReader,
  findAnything,
  listProblems,
  parseLogFilter,
} from '@seamstream/operations/views';
import { Access } from '../access/access.js';
import { ForEachTenant } from '../access/role.guard.js';
import { confinedTo, sees } from '../access/sight.decide.js';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { AsAsked, type Asked } from './asked.js';
import { LiveViews } from './live-views.js';
import { Moments } from './moments.js';

@Controller('api/views')
export class ViewsController {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(LiveViews) private readonly live: LiveViews,
    @Inject(Access) private readonly access: Access,
    @Inject(Moments) private readonly moments: Moments,
  ) {}

  @Get('overview')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async overview(@AsAsked() asked: Asked): Promise<string> {
    const { asOf } = momentQuerySchema.parse(asked.query);
    if (asOf === undefined) return jsonText(await this.live.change());
    return this.moments.past(asked, asOf, async ({ folded, log }) => {
      const reader = await folded();
      return { position: reader.position, at: log.asOfMs, overview: reader.overview() };
    });
  }

  @Get('problems')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  problems(@AsAsked() asked: Asked): Promise<string> {
    const { offset, limit, asOf, ...filter } = problemsQuerySchema.parse(asked.query);
    return this.moments.answer(asked, asOf, (reader) =>
      listProblems(this.problemsSeenBy(asked.raw, reader), filter, { offset, limit }),
    );
  }

  @Get('problems/:id')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  problem(@Param('id') id: unknown, @AsAsked() asked: Asked): Promise<string> {
    const { asOf } = momentQuerySchema.parse(asked.query);
    const problemId = problemIdSchema.parse(id);
    if (asOf !== undefined)
      return this.moments.past(asked, asOf, ({ log }, signal) => this.story({ log, signal }, problemId, asked));
    return this.story({ log: this.world.drivers.log, signal: this.world.closing }, problemId, asked).then(jsonText);
  }

  private async story(
    { log, signal }: { readonly log: EventLog; readonly signal: AbortSignal },
    problemId: string,
    { raw }: Asked,
  ): Promise<unknown> {
    const whole = await readStory(log, problemId, {
      ...{ signal, progress: () => UNSHOWN },
      tenant: confinedTo(this.access.sightOf(raw)),
    });
    const { story, doubts, lineage, knowsServed, cost } = whole;
    const told = new Set([...story.attempts, ...story.runs].map(({ adapterDigest }) => adapterDigest));
    if (knowsServed) told.add(lineage.served);
    const versions = Object.fromEntries(
      lineage.versions.flatMap(({ adapterDigest, version }) =>
        told.has(adapterDigest) ? [[adapterDigest, version]] : [],
      ),
    );
    return {
      ...{ story, doubts: Object.fromEntries(doubts), versions, againstBase: againstBase(whole) },
      cost: this.access.seesCosts(raw) ? cost : null,
    };
  }

  @Get('adapters')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  adapters(@AsAsked() asked: Asked): Promise<string> {
    return this.whole(asked, (reader) => withoutDifferences(reader.lineage()));
  }

  @Get('adapters/use')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  adapterUse(@AsAsked() asked: Asked): Promise<string> {
    return this.whole(asked, (reader) => reader.adapterUse());
  }

  @Get('adapters/:word/changes')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  changes(@Param('word') word: unknown, @AsAsked() asked: Asked): Promise<string> {
    const meant = adapterWordSchema.parse(word);
    return this.whole(asked, (reader) => changesOf(findAdapter(reader.lineage(), meant)));
  }

  @Get('runs')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  runs(@AsAsked() asked: Asked): Promise<string> {
    return this.whole(asked, (reader) => ({ runs: reader.runs() }));
  }

  @Get('buffer')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  buffer(@AsAsked() asked: Asked): Promise<string> {
    return this.whole(asked, (reader) => reader.buffer());
  }

  @Get('releases')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  releases(@AsAsked() asked: Asked): Promise<string> {
    return this.whole(asked, (reader) => reader.releases());
  }

  @Get('facts')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  facts(@AsAsked() asked: Asked): Promise<string> {
    return this.whole(asked, (reader) => reader.facts());
  }

  @Get('success')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  success(@AsAsked() asked: Asked): Promise<string> {
    return this.whole(asked, (reader) => reader.success());
  }

  /** What belongs to no tenant alone, now or at a moment. */
  private whole(asked: Asked, read: (reader: DashboardReader) => unknown): Promise<string> {
    return this.moments.answer(asked, momentQuerySchema.parse(asked.query).asOf, read);
  }

  @Get('log')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async log(@Query() query: unknown): Promise<string> {
    const { topics = '', filter, limit, before } = logQuerySchema.parse(query);
    const names = topics.split(',').filter((name) => name !== '');
    const request = { topics: names, filter: parseLogFilter(filter), limit, before };
    const { records, ...rest } = await browseLog(this.world.drivers.log, request, this.world.closing);
    const told = records.map((decoded) => ({
      ...recordAsJson(decoded),
      headers: decoded.record.headers,
      summary: 'event' in decoded ? eventSummary(decoded.event) : hexExcerpt(decoded.record.value, 32),
    }));
    return jsonText({ records: told, ...rest });
  }

  @Get('dead-letters')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async deadLetters(): Promise<string> {
    const { log } = this.world.drivers;
    const { letters, unreadable } = await readDeadLetters(log);
    const redriven = await readRedriven(log, letters);
    return jsonText({
      deadLetters: letters.map((letter) => ({ ...letter, redriven: redriven.has(placeOf(letter)) })),
      byCode: Object.fromEntries(countByCode(letters)),
      unreadable,
    });
  }

  @Get('doctor')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async doctor(@Query() query: unknown): Promise<string> {
    const { groups } = doctorQuerySchema.parse(query);
    const { config, drivers, closing } = this.world;
    const world = {
      openKeptLog: async () => this.live.kept,
      openObjects: async () => drivers.objects,
      entrySchemas: () => loadEntrySchemas(config.entrySchemas),
    };
    const { findings, facts, snapshots } = await examineSystem(
      world,
      { groups },
      { signal: closing, progress: () => UNSHOWN },
    );
    const { groups: looked, runs, admission } = facts;
    return jsonText({
      findings,
      looked: { groups: looked.length, runs: runs.map(({ runId }) => runId), admitted: admission.admitted, snapshots },
    });
  }

  @Get('find')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async find(@AsAsked() { query, raw }: Asked): Promise<string> {
    const { id } = findQuerySchema.parse(query);
    const reader = await this.live.current();
    const { recent } = this.problemsSeenBy(raw, reader);
    const shared = this.access.sightOf(raw).isWhole
      ? { lineage: reader.lineage(), runs: reader.runs(), releases: reader.plannedReleases() }
      : { lineage: { versions: [] }, runs: [], releases: [] };
    return jsonText({ found: findAnything(id, { ...shared, recent }) });
  }

  /** The recent problems that a client may know of; of these alone it learns how many there are. */
  private problemsSeenBy(raw: Asked['raw'], reader: DashboardReader): ReturnType<DashboardReader['problems']> {
    const problems = reader.problems();
    const sight = this.access.sightOf(raw);
    if (sight.isWhole) return problems;
    const recent = problems.recent.filter((problem) => sees(sight, problem));
    return { ...problems, recent, all: recent.length };
  }

  @Get('health')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async health(): Promise<string> {
    const { config, drivers } = this.world;
    const topics = await drivers.log.topics();
    return jsonText({
      log: { driver: config.eventLog.driver, identity: await drivers.log.identity(), topics },
      objects: { driver: config.objectStore.driver },
      node: process.version,
      startedAt: Math.round(this.world.clock.now() - process.uptime() * 1000),
    });
  }
}
