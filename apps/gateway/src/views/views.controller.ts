/** What the dashboard reads. Every answer comes from an operation that the command line uses as well, so that their numbers are the same. */
import { Controller, Get, Header, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { loadEntrySchemas } from '@seamstream/experience';
import {
  doctorQuerySchema,
  findQuerySchema,
  logQuerySchema,
  overviewQuerySchema,
  problemIdSchema,
  problemsQuerySchema,
} from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import { UNSHOWN } from '@seamstream/log-reader';
import { countByCode, placeOf, readDeadLetters, readRedriven } from '@seamstream/operations/dead-letters';
import { examineSystem } from '@seamstream/operations/doctor';
import { readStory } from '@seamstream/operations/show';
import { eventSummary, hexExcerpt, recordAsJson } from '@seamstream/operations/tail';
import {
  browseLog,
  type DashboardReader,
  findAnything,
  listProblems,
  parseLogFilter,
} from '@seamstream/operations/views';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { ForEachTenant } from '../access/role.guard.js';
import { confinedTo, sees } from '../access/sight.decide.js';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { LiveViews } from './live-views.js';
import { ReadingTurns } from './reading-turns.js';

@Controller('api/views')
export class ViewsController {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(LiveViews) private readonly live: LiveViews,
    @Inject(Access) private readonly access: Access,
    @Inject(ReadingTurns) private readonly turns: ReadingTurns,
  ) {}

  @Get('overview')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async overview(
    @Query() query: unknown,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { asOf } = overviewQuerySchema.parse(query);
    if (asOf === undefined) return jsonText(await this.live.change());
    const { tenant } = this.access.principalOf(raw);
    return this.turns.answer(reply, { tenant, what: 'show the past', closing: this.world.closing }, async (signal) =>
      jsonText(await this.live.pastOf(Date.parse(asOf), signal)),
    );
  }

  @Get('problems')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async problems(@Query() query: unknown, @Req() request: FastifyRequest): Promise<string> {
    const { offset, limit, ...filter } = problemsQuerySchema.parse(query);
    return jsonText(listProblems(await this.problemsSeenBy(request), filter, { offset, limit }));
  }

  @Get('problems/:id')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async problem(@Param('id') id: unknown, @Req() request: FastifyRequest): Promise<string> {
    const { story, doubts, lineage, cost } = await readStory(this.world.drivers.log, problemIdSchema.parse(id), {
      signal: this.world.closing,
      progress: () => UNSHOWN,
      tenant: confinedTo(this.access.sightOf(request.raw)),
    });
    const told = new Set([...story.attempts, ...story.runs].map(({ adapterDigest }) => adapterDigest));
    const versions = Object.fromEntries(
      lineage.versions.flatMap(({ adapterDigest, version }) =>
        told.has(adapterDigest) ? [[adapterDigest, version]] : [],
      ),
    );
    return jsonText({
      ...{ story, doubts: Object.fromEntries(doubts), versions },
      cost: this.access.seesCosts(request.raw) ? cost : null,
    });
  }

  @Get('adapters')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async adapters(): Promise<string> {
    return jsonText((await this.live.current()).lineage());
  }

  @Get('runs')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async runs(): Promise<string> {
    return jsonText({ runs: (await this.live.current()).runs() });
  }

  @Get('buffer')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async buffer(): Promise<string> {
    return jsonText((await this.live.current()).buffer());
  }

  @Get('releases')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async releases(): Promise<string> {
    return jsonText((await this.live.current()).releases());
  }

  @Get('facts')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async facts(): Promise<string> {
    return jsonText((await this.live.current()).facts());
  }

  @Get('success')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async success(): Promise<string> {
    return jsonText((await this.live.current()).success());
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
  async find(@Query() query: unknown, @Req() request: FastifyRequest): Promise<string> {
    const { id } = findQuerySchema.parse(query);
    const reader = await this.live.current();
    const { recent } = await this.problemsSeenBy(request);
    const shared = this.access.sightOf(request.raw).isWhole
      ? { lineage: reader.lineage(), runs: reader.runs(), releases: reader.plannedReleases() }
      : { lineage: { versions: [] }, runs: [], releases: [] };
    return jsonText({ found: findAnything(id, { ...shared, recent }) });
  }

  /** The recent problems that a client may know of; of these alone it learns how many there are. */
  private async problemsSeenBy({ raw }: FastifyRequest): Promise<ReturnType<DashboardReader['problems']>> {
    const problems = (await this.live.current()).problems();
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
