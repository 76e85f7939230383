import { type DynamicModule, Module } from '@nestjs/common';
import { systemClock } from '@seamstream/kernel';
import type { ServiceContext, ServiceDefinition } from '@seamstream/service-kit';
import type { BufferServiceConfig } from './config.js';
import type { EntryValidation } from './entry-validation.port.js';
import { FoldOutcomesHandler } from './fold-outcomes.handler.js';
import { BUFFER_GROUP, OutcomesConsumer } from './outcomes.consumer.js';

export { type BufferServiceConfig, bufferServiceConfigSchema } from './config.js';
export { EntryValidation } from './entry-validation.port.js';

@Module({})
export class BufferModule {
  static forRoot(
    { config, drivers, logger }: ServiceContext<BufferServiceConfig>,
    validation: EntryValidation,
  ): DynamicModule {
    const handler = new FoldOutcomesHandler({ ...drivers, validation, clock: systemClock, logger }, config.buffer);
    return {
      module: BufferModule,
      controllers: [OutcomesConsumer],
      providers: [{ provide: FoldOutcomesHandler, useValue: handler }],
    };
  }
}

/** The buffer as a service: outcomes in; decisions and versions out. */
export function bufferService(validation: EntryValidation): ServiceDefinition<BufferServiceConfig> {
  return {
    name: 'buffer',
    module: (context) => BufferModule.forRoot(context, validation),
    consumption: ({ buffer }) => ({ [BUFFER_GROUP]: { maxBatchRecords: buffer.maxBatchRecords } }),
  };
}
