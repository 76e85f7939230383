export { type CommonConfig, commonConfigSchema, httpAddress } from './config/common-config.js';
export {
  type ConfigLayer,
  type Environment,
  explainConfig,
  loadConfig,
  printableConfig,
  type Setting,
  secret,
  variableNames,
} from './config/load-config.js';
export { checkFolder } from './drivers/check-folder.js';
export { closeDrivers, type Drivers, openDrivers } from './drivers/drivers.js';
export {
  kafkaOptions,
  type LogMode,
  logFolder,
  openEventLog,
  openUnsignedLog,
  withRegistry,
} from './drivers/event-log.driver.js';
export { makeFolder } from './drivers/make-folder.js';
export { openObjectStore } from './drivers/object-store.driver.js';
export { assertCanSign, type Signing, signingOf } from './drivers/signed-event-log.driver.js';
export { checkHealth, type HealthCheck, HealthChecks, type HealthReport } from './health/service-health.js';
export { RationedLines } from './rationed-lines.js';
export {
  type RunningService,
  runService,
  type ServiceContext,
  type ServiceDefinition,
  type StartServiceOptions,
  startService,
} from './run-service.js';
export { createServiceLogger, type ServiceLogger } from './service-logger.js';
export { consumerLag, ServiceMetrics } from './service-metrics.js';
export type { BatchUnderWay } from './transport/batch-worker.js';
export { ConsumeTopic, type TopicConsumption } from './transport/consume-topic.decorator.js';
export type { BatchConsumer, BatchProgress, DeliveredBatch, DeliveredRecord } from './transport/delivery.js';
export { EventLogStrategy, type EventLogStrategyOptions } from './transport/event-log.strategy.js';
export { FoldPosition, stateFor } from './transport/fold-position.js';
export { again, done, type HandlerResult, retry, skip, stop, wait } from './transport/handler-result.js';
export { replayUntil } from './transport/replay-until.js';
