/** Answers from the read models: of now, or of a moment of the past, which is read when it is the tenant's turn. */
import { Inject, Injectable } from '@nestjs/common';
import { jsonText } from '@seamstream/kernel';
import type { DashboardReader } from '@seamstream/operations/views';
import { Access } from '../access/access.js';
import { GatewayWorld } from '../gateway-world.js';
import type { Asked } from './asked.js';
import { LiveViews, type PastViews } from './live-views.js';
import { ReadingTurns } from './reading-turns.js';

@Injectable()
export class Moments {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(LiveViews) private readonly live: LiveViews,
    @Inject(Access) private readonly access: Access,
    @Inject(ReadingTurns) private readonly turns: ReadingTurns,
  ) {}

  /**
   * @param asOf a time, or the place of a record; undefined: now
   * @throws INVALID_INPUT and NOT_FOUND for another word, and as `ReadingTurns.answer`
   */
  async answer(asked: Asked, asOf: string | undefined, read: (reader: DashboardReader) => unknown): Promise<string> {
    if (asOf === undefined) return jsonText(await read(await this.live.current()));
    return this.past(asked, asOf, async ({ folded }) => read(await folded()));
  }

  /**
   * The same of a moment of the past alone.
   * @param what is asked for
   */
  past(
    { raw, reply }: Asked,
    asOf: string,
    read: (past: PastViews, signal: AbortSignal) => unknown,
    what = 'show the past',
  ): Promise<string> {
    const { tenant } = this.access.principalOf(raw);
    const moment = { asOf, mayBePlace: this.access.sightOf(raw).isWhole };
    return this.turns.answer(reply, { tenant, what, isOfPast: true, closing: this.world.closing }, (signal) =>
      this.live.asOf(moment, signal, async (past) => jsonText(await read(past, signal))),
    );
  }
}
