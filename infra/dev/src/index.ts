export { bubblewrap } from './bubblewrap.js';
export { CHROMIUM_ARGUMENTS, chromium } from './chromium.js';
export {
  type BuiltImage,
  buildImage,
  buildTrainingImage,
  makeBases,
  makePythonBase,
  type Podman,
  podman,
} from './containers.js';
export {
  type Kafka,
  type KafkaBroker,
  type KafkaListeners,
  type KafkaOptions,
  runKafkaTool,
  startKafka,
  type ToolOptions,
  type ToolResult,
} from './kafka.js';
export { KAFKA_VERSIONS } from './kafka-jars.js';
export { type CheckedManifests, type KubernetesTools, kubernetesTools, type Manifest } from './kubernetes.js';
export { startLlamaServer } from './llama-server.js';
export { startMlflowServer } from './mlflow-server.js';
export type { ModelServer } from './model-server.js';
export { type Promtool, promtool } from './promtool.js';
export { type Python, packageIndexAnswers, pythonWith } from './python.js';
export { type Ray, startRay } from './ray.js';
export { type S3, S3_BUCKET, startS3 } from './s3.js';
export { type SchemaRegistry, startSchemaRegistry } from './schema-registry.js';
export { type SmolLm2, smolLm2 } from './smollm2.js';
export {
  environmentOf,
  type GivenServers,
  givenServers,
  testServers,
} from './test-servers.js';
export type { S3Address, TestServerKind, TestServers } from './test-servers.types.js';
export { pythonWithTransformers } from './transformers.js';
export { pythonWithTrl } from './trl.js';
export { startVllm, type VllmOptions } from './vllm-server.js';
