import { Controller, Get } from '@nestjs/common';
import { openApiDocument } from '@seamstream/gateway-contract';
import { ForEachTenant, Needs } from '../access/role.guard.js';

@Controller('api/openapi.json')
export class OpenApiController {
  private readonly document = openApiDocument('0.1.0');

  @Get()
  @Needs('viewer')
  @ForEachTenant()
  read(): unknown {
    return this.document;
  }
}
