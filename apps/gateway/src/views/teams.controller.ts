/** What the page of teams reads: the answers of `seam team list` and `show`. */
import { Controller, Get, Header, Inject, Param } from '@nestjs/common';
import { slotSchema } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import { listedTeams, teamOn } from '@seamstream/operations/team';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { LiveViews } from './live-views.js';

@Controller('api/views/teams')
export class TeamsController {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(LiveViews) private readonly live: LiveViews,
  ) {}

  @Get()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async list(): Promise<string> {
    return jsonText({ teams: listedTeams((await this.live.current()).teamFacts()) });
  }

  @Get(':slot')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async show(@Param('slot') slot: unknown): Promise<string> {
    const facts = (await this.live.current()).teamFacts();
    return jsonText(await teamOn(facts, slotSchema.parse(slot), async () => this.world.drivers.objects));
  }
}
