/**
 * What specs of more than one package need. Nothing that runs in production may import it (docs/adr/0059). Helpers with heavy
 * imports, and events of one area, are separate entries: `@seamstream/testing/services`, `@seamstream/testing/promotion-log`.
 */
export { eventually, type Patience, until } from './eventually.js';
export { EXAMPLE_EVENTS } from './example-events.js';
export { FlakyLog } from './flaky-log.js';
export { newWorld, openLog, type World, withTopics } from './in-memory-world.js';
export { committedRecords, eventsOf, recordsOf, totalRecords, untilConsumed } from './recorded.js';
