/** Log, objects, keys and folders as settings name them, for programs that are not services. This needs no web framework. */
export { checkFolder } from './drivers/check-folder.js';
export { closeDrivers, type Drivers, openDrivers } from './drivers/drivers.js';
export {
  kafkaOptions,
  type LogMode,
  logFolder,
  openEventLog,
  openSchemaRegistry,
  openUnsignedLog,
  withRegistry,
} from './drivers/event-log.driver.js';
export { makeFolder } from './drivers/make-folder.js';
export { openBucket, openObjectStore } from './drivers/object-store.driver.js';
export { assertCanSign, type Signing, signingOf } from './drivers/signed-event-log.driver.js';
export { snapshotPlaceOf } from './drivers/snapshot-place.driver.js';
