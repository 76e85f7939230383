/** What the page of requests reads: the figures of /metrics of this gateway, since its start. */
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { jsonText } from '@seamstream/kernel';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';

@Controller('api/views')
export class RequestsController {
  constructor(@Inject(GatewayWorld) private readonly world: GatewayWorld) {}

  @Get('requests')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async requests(): Promise<string> {
    return jsonText(await this.world.requests.figures());
  }
}
