/** What the page of access reads: the answers of `seam gateway … list`, `seam gateway quotas use` and `seam audit`, each as far as its reader may see. */
import { Controller, Get, Header, Inject, Query, Req } from '@nestjs/common';
import { auditQuerySchema } from '@seamstream/gateway-contract';
import { jsonText, SeamError } from '@seamstream/kernel';
import { ACTS, type ActName, CHANGES, readAudit } from '@seamstream/operations/audit';
import { type AccessReader, accessSeenBy } from '@seamstream/operations/quotas';
import type { FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { RecentRefusals } from '../access/recent-refusals.js';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { GatewayWorld } from '../gateway-world.js';
import { Quotas } from '../quotas/quotas.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';

/** Acts of an answer, the newest of those that fit. */
const MOST_ACTS = 500;
const HOUR_MS = 3_600_000;

@Controller('api/views')
export class AccessController {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(Access) private readonly access: Access,
    @Inject(Quotas) private readonly quotas: Quotas,
    @Inject(RecentRefusals) private readonly refusals: RecentRefusals,
  ) {}

  @Get('access')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  seen(@Req() { raw }: FastifyRequest): string {
    const { known: keys, declared, doors } = this.access;
    const facts = { keys, declared, ledger: this.quotas.ledger, users: doors.sessions?.users() ?? [] };
    const nowMs = this.world.clock.now();
    return jsonText(accessSeenBy(this.readerOf(raw), facts, this.refusals.at(nowMs), nowMs));
  }

  /** Who did what, the newest first. */
  @Get('audit')
  @Needs('admin')
  @ForEachTenant()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async audit(@Query() query: unknown, @Req() { raw }: FastifyRequest): Promise<string> {
    const { act, by, hours } = auditQuerySchema.parse(query);
    const { isOfAll, tenant } = this.readerOf(raw);
    const sinceMs = this.world.clock.now() - hours * HOUR_MS;
    const acts = await readAudit(this.world.drivers.log, {
      ...{ sinceMs, by, acts: kindsOf(act), signal: this.world.closing },
      tenant: isOfAll ? undefined : tenant,
    });
    return jsonText({ acts: acts.toReversed().slice(0, MOST_ACTS), all: acts.length, sinceMs, kinds: ACTS });
  }

  private readerOf(raw: FastifyRequest['raw']): AccessReader {
    const { id, role, tenant } = this.access.principalOf(raw);
    return { id, role, tenant, isOfAll: this.access.sightOf(raw).tenant === undefined };
  }
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
