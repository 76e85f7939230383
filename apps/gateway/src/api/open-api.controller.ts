import { Controller, Get } from '@nestjs/common';
import { openApiDocument } from '@seamstream/gateway-contract';
import { Needs } from '../access/role.guard.js';

@Controller('api/openapi.json')
export class OpenApiController {
  private readonly document = openApiDocument('0.1.0');

  @Get()
  @Needs('viewer')
  read(): unknown {
    return this.document;
  }
}
