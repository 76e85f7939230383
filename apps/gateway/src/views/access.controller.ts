/** What the page of access reads: the answers of `seam gateway … list`, `seam gateway quotas use` and `seam audit`, each as far as its reader may see. */
import { Controller, Get, Header, Inject, Query, Req, Res } from '@nestjs/common';
import { auditQuerySchema } from '@seamstream/gateway-contract';
import { jsonText, SeamError } from '@seamstream/kernel';
import { ACTS, type ActName, CHANGES, readNewestActs } from '@seamstream/operations/audit';
import { accessSeenBy } from '@seamstream/operations/quotas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { RecentRefusals } from '../access/recent-refusals.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { GatewayWorld } from '../gateway-world.js';
import { Quotas } from '../quotas/quotas.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { ReadingTurns } from './reading-turns.js';
import { tenantFor } from './tenant-for.js';

/** Acts of an answer, the newest of those that fit. */
const MOST_ACTS = 500;
const HOUR_MS = 3_600_000;
/** Changes are few. The other acts are among problems, feedback and use: each record of the time is decoded. */
const MOST_HOURS_OF_OTHERS = 168;

@Controller('api/views')
export class AccessController {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(Access) private readonly access: Access,
    @Inject(Quotas) private readonly quotas: Quotas,
    @Inject(RecentRefusals) private readonly refusals: RecentRefusals,
    @Inject(ReadingTurns) private readonly turns: ReadingTurns,
  ) {}

  @Get('access')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  seen(@Req() { raw }: FastifyRequest): string {
    const { known: keys, declared, doors } = this.access;
    const facts = { keys, declared, ledger: this.quotas.ledger, users: doors.sessions?.users() ?? [] };
    const nowMs = this.world.clock.now();
    const reader = this.access.readerOf(raw);
    const refused = this.refusals.at(nowMs, reader.isOfAll ? undefined : reader.tenant);
    return jsonText(accessSeenBy(reader, facts, refused, nowMs));
  }

  /** Who did what, the newest first. */
  @Get('audit')
  @Needs('admin')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async audit(
    @Query() query: unknown,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { act, by, hours, tenant } = auditQuerySchema.parse(query);
    const kinds = kindsWithin(act, hours);
    const reader = this.access.readerOf(raw);
    const sinceMs = this.world.clock.now() - hours * HOUR_MS;
    const wanted = { sinceMs, by, acts: kinds, tenant: tenantFor('list acts', reader, tenant) };
    const turn = { tenant: reader.tenant, what: 'list acts', closing: this.world.closing };
    return this.turns.answer(reply, turn, async (signal) => {
      const { acts, older } = await readNewestActs(this.world.drivers.log, { ...wanted, signal }, MOST_ACTS);
      return jsonText({
        ...{ acts: acts.toReversed(), older, sinceMs },
        ...{ kinds: ACTS, changes: CHANGES, mostHoursOfOthers: MOST_HOURS_OF_OTHERS },
      });
    });
  }
}

/** @throws INVALID_INPUT for a word that is no kind of act, and for a time that is too long for it */
function kindsWithin(word: string, hours: number): readonly ActName[] {
  const kinds = kindsOf(word);
  if (hours <= MOST_HOURS_OF_OTHERS || kinds.every((kind) => CHANGES.includes(kind))) return kinds;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot list acts: expected at most ${MOST_HOURS_OF_OTHERS} hours for ${word}, got ${hours}. Ask for fewer hours, or for changes.`,
    { details: { param: 'hours' } },
  );
}

/** @throws INVALID_INPUT for a word that is no kind of act */
function kindsOf(word: string): readonly ActName[] {
  if (word === 'all') return ACTS;
  if (word === 'changes') return CHANGES;
  const act = ACTS.find((each) => each === word);
  if (act !== undefined) return [act];
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot list acts: expected changes, all or one of ${ACTS.join(', ')}, got ${JSON.stringify(word)}.`,
    { details: { param: 'act' } },
  );
}
