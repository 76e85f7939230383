export * from './config.js';
export * from './drivers.js';
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
export { type GaugeFamily, type GaugeSample, ServiceMetrics } from './service-metrics.js';
export { inTrace } from './tracing/current-trace.js';
export { idAttribute } from './tracing/id-attribute.js';
export {
  isAmong,
  sampledContextOf,
  type TraceContext,
  traceContextOf,
  traceparentOf,
} from './tracing/trace-context.js';
export type { OpenSpan, SpanAttributes, Tracing } from './tracing/tracing.port.js';
export { ConsumeTopic, type TopicConsumption } from './transport/consume-topic.decorator.js';
export type { BatchConsumer, BatchProgress, DeliveredBatch, DeliveredRecord } from './transport/delivery.js';
export { EventLogStrategy, type EventLogStrategyOptions } from './transport/event-log.strategy.js';
export { isOutage } from './transport/failure-policy.decide.js';
export { ensureCurrent, FoldPosition } from './transport/fold-position.js';
export { deadLetter, defer, done, type HandlerResult, halt, retry, wait } from './transport/handler-result.js';
export type { BatchUnderWay } from './transport/worker-options.js';
