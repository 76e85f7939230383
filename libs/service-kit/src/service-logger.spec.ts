/** A service's log entries are short and on one line, regardless of what strangers wrote. Each entry of a flood is written or counted. */

import { Controller, Module } from '@nestjs/common';
import { TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { openLog, untilConsumed } from '@seamstream/testing';
import fc from 'fast-check';
import { commonConfigSchema } from './config/common-config.js';
import { startService } from './run-service.js';
import { createServiceLogger } from './service-logger.js';
import { ConsumeTopic } from './transport/consume-topic.decorator.js';
import type { DeliveredBatch } from './transport/delivery.js';
import { done, type HandlerResult } from './transport/handler-result.js';

/** Controls that a terminal obeys, line separators, marks that reorder text: none may reach a line's bytes or its texts. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

const claimed = fc
  .tuple(
    fc.array(
      fc.constantFrom('\u001b]52;c;eA==\u0007', '\u001b[2J', '\r', '\n', '\u202e', '\u009b31m', 'a"\\', 'Ω', '\u2028'),
      {
        maxLength: 8,
      },
    ),
    fc.constantFrom(1, 3, 20_000),
  )
  .map(([pieces, times]) => pieces.join('').repeat(times));

/** Facts of any shape that hold what a record claims. */
const facts = fc.oneof(
  claimed.map((text) => ({ claimedSource: text })),
  claimed.map((text) => ({ ids: [text, text], nested: { deep: { deeper: text } } })),
  claimed.map((text) => ({ err: new SeamError('MALFORMED_RECORD', text, { details: { text } }) })),
  claimed.map((text) => ({ err: new Error(text, { cause: new Error(text) }) })),
  claimed.map((text) => ({ [`name ${text.slice(0, 5)}`]: { [text]: 1 } })),
  claimed.map((text) => ({ list: Array.from({ length: 50 }, () => text) })),
);

describe("a service's line", () => {
  it('is short and holds no control character, regardless of what records claim and where the line repeats it', () => {
    fc.assert(
      fc.property(facts, claimed, (given, sentence) => {
        const { lines, logger } = linesOf();
        logger.warn(given, sentence);
        expect(lines).toHaveLength(1);
        const [line] = lines as [string];
        // 32 texts of 1,000 characters and their escapes; a megabyte came in.
        expect(line.length).toBeLessThan(250_000);
        expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
        const texts: string[] = [];
        JSON.parse(line, (key, value: unknown) => {
          texts.push(key, ...(typeof value === 'string' ? [value] : []));
          return value;
        });
        for (const text of texts) expect(text).not.toMatch(UNSAFE);
      }),
      { numRuns: 200 },
    );
  });

  it('holds in full what a service says of itself', () => {
    const { lines, logger } = linesOf();
    const given = { group: 'seam.test', offset: 7, isLate: true, nothing: null, waits: [1, 2], at: new Date(0) };
    logger.info(given, 'Größe 𝄞 "quoted" \\ done');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      ...given,
      at: '1970-01-01T00:00:00.000Z',
      msg: 'Größe 𝄞 "quoted" \\ done',
      service: 'test',
    });
  });
});

it('every record of a flood that ends with its service is logged or counted', async () => {
  const { lines, logger } = linesOf();
  @Controller()
  class Consumer {
    @ConsumeTopic({ topic: TOPIC.problems, group: 'seam.test', maxBatchRecords: 8 })
    async consume(batch: DeliveredBatch): Promise<readonly HandlerResult[]> {
      return batch.records.map(() => done());
    }
  }
  @Module({ controllers: [Consumer] })
  class TestModule {}
  const log = await openLog();
  const flood = 333;
  await log.append(
    Array.from({ length: flood }, (_, index) => ({
      topic: TOPIC.problems,
      key: `k-${index}`,
      value: Buffer.from('no event'),
    })),
  );
  const service = await startService(
    { name: 'test', module: () => ({ module: TestModule }) },
    {
      config: commonConfigSchema.parse({}),
      drivers: { log, objects: new InMemoryObjectStore() },
      serveHttp: false,
      logger,
    },
  );
  await untilConsumed(log, { group: 'seam.test', topic: TOPIC.problems });
  await service.close();
  const all = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly untold?: number });
  const told = all.filter(({ msg }) => msg === 'record sent to the dead letters').length;
  expect(told).toBeLessThan(flood);
  expect(all.reduce((sum, { untold = 0 }) => sum + untold, told)).toBe(flood);
});

function linesOf(): { readonly lines: string[]; readonly logger: ReturnType<typeof createServiceLogger> } {
  const lines: string[] = [];
  return { lines, logger: createServiceLogger('test', 'trace', { write: (line) => void lines.push(line) }) };
}
