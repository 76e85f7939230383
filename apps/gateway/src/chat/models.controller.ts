import { Controller, Get, Param } from '@nestjs/common';
import type { Model } from '@seamstream/gateway-contract';
import { ForEachTenant } from '../access/role.guard.js';
import { ApiError } from '../http/api-error.js';
import { Upstream } from './upstream.port.js';

@Controller('v1/models')
@ForEachTenant()
export class ModelsController {
  constructor(private readonly upstream: Upstream) {}

  @Get()
  list(): { readonly object: 'list'; readonly data: readonly Model[] } {
    return { object: 'list', data: this.upstream.models.map(modelOf) };
  }

  @Get(':id')
  one(@Param('id') id: string): Model {
    if (this.upstream.models.includes(id)) return modelOf(id);
    throw new ApiError({
      status: 404,
      message: `Cannot find the model ${JSON.stringify(id)}: expected one of ${this.upstream.models.join(', ')}.`,
      param: 'model',
      code: 'model_not_found',
    });
  }
}

/** The executor is frozen: when it was made says nothing. */
function modelOf(id: string): Model {
  return { id, object: 'model', created: 0, owned_by: 'seamstream' };
}
