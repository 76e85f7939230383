import { type DynamicModule, Module } from '@nestjs/common';
import { checkEntry, type EntrySchemas, loadEntrySchemas, misquoteIn } from '@seamstream/experience';
import { isSeamError, systemClock } from '@seamstream/kernel';
import { assertCanSign, RationedLines, type ServiceContext, type ServiceDefinition } from '@seamstream/service-kit';
import { type EntryValidator, shardsOf } from '@seamstream/success-buffer';
import { checkDivision } from './committed-versions.js';
import type { BufferServiceConfig } from './config.js';
import { FoldOutcomesHandler } from './fold-outcomes.handler.js';
import { groupOf, outcomesConsumer } from './outcomes.consumer.js';

export { type BufferServiceConfig, bufferServiceConfigSchema } from './config.js';
export { groupOf } from './outcomes.consumer.js';

/** What a host may bring along instead of having it loaded. */
export interface BufferAssets {
  readonly schemaFor?: EntrySchemas;
}

@Module({})
export class BufferModule {
  static async forRoot(
    context: ServiceContext<BufferServiceConfig>,
    assets: BufferAssets = {},
  ): Promise<DynamicModule> {
    const { config, drivers, logger, metrics, onClose } = context;
    const schemaFor = assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas));
    const refused = metrics.counter(
      'seam_results_refused_total',
      'Results that the log does not bear out: none counts.',
      ['reason'],
    );
    const dependencies = {
      ...drivers,
      validateEntry: entryValidator(schemaFor),
      clock: systemClock,
      logger,
      lines: new RationedLines(logger, onClose),
      evidence: config.evidence,
      onRefused: (reason: string) => refused.inc({ reason }),
    };
    const { shards } = config.buffer;
    await assertCanSign(config, ['BufferCommitted']);
    await checkDivision(drivers.log, shards);
    return {
      module: BufferModule,
      controllers: shardsOf(shards).map((shard) =>
        outcomesConsumer(shard, new FoldOutcomesHandler(dependencies, config.buffer, shard)),
      ),
    };
  }
}

/** Judges an entry by its domain's schema and its problem alone, so that versions can be made again from the log. */
export function entryValidator(schemaFor: EntrySchemas): EntryValidator {
  return (domain, entry, prompt) => {
    const schema = schemaFor(domain);
    try {
      checkEntry(entry, schema);
    } catch (error) {
      if (isSeamError(error, 'ENTRY_INVALID')) return { reason: 'invalid_entry', detail: error.message };
      throw error;
    }
    const misquote = misquoteIn(entry, schema, prompt);
    return misquote === undefined ? undefined : { reason: 'misquote', detail: `at ${misquote.path} ${misquote.fault}` };
  };
}

/** The buffer as a service: outcomes in; decisions and versions out. */
export function bufferService(assets: BufferAssets = {}): ServiceDefinition<BufferServiceConfig> {
  return {
    name: 'buffer',
    module: (context) => BufferModule.forRoot(context, assets),
    consumption: ({ buffer: { shards, maxBatchRecords } }) =>
      Object.fromEntries(shardsOf(shards).map((shard) => [groupOf(shard), { maxBatchRecords }])),
  };
}
