// What the chart has from the code: values.yaml, values.schema.json, the page of its values, and what its templates read: facts, alerts, the board.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bufferServiceConfigSchema } from '../../apps/buffer/dist/config.js';
import { executorConfigSchema } from '../../apps/executor/dist/config.js';
import { gatewayConfigSchema } from '../../apps/gateway/dist/config.js';
import { generatorConfigSchema } from '../../apps/generator/dist/config.js';
import { trainerConfigSchema } from '../../apps/trainer/dist/config.js';
import { chartValues } from '../../infra/helm/values.mjs';
import { ALERTS, rulesFile } from '../../infra/monitoring/alerts.mjs';
import { board } from '../../infra/monitoring/board.mjs';
import { GROUP, TOPIC } from '../../libs/events/dist/index.js';
import { wantedAcls } from '../../libs/operations/dist/cluster/index.js';
import { commonConfigSchema, settingsOf } from '../../libs/service-kit/dist/config.js';
import { code, paragraph, table } from './markdown.mjs';

const LAG_AGE = 'seam_consumer_lag_seconds';

/** Services by the chart's name: their program, their principal, and whose lag says that they have work. */
const SERVICES = {
  generator: {
    program: 'generator',
    principal: 'seam-generator',
    keyVariable: 'SEAM_GENERATOR_VLLM_KEY_VARIABLE',
    lag: { group: GROUP.generator, topic: TOPIC.problems, ageMetric: LAG_AGE },
  },
  executor: {
    program: 'executor',
    principal: 'seam-executor',
    keyVariable: 'SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE',
    judgeKeyVariable: 'SEAM_EXECUTOR_JUDGE_KEY_VARIABLE',
    lag: { group: GROUP.executor, topic: TOPIC.experiences, ageMetric: LAG_AGE },
  },
  buffer: {
    program: 'buffer',
    principal: 'seam-buffer',
    // One shard's group has no suffix (apps/buffer/src/outcomes.consumer.ts).
    lag: { group: GROUP.buffer, topic: TOPIC.outcomes, ageMetric: LAG_AGE, shards: 'SEAM_BUFFER_SHARDS' },
  },
  planner: {
    program: 'trainer',
    principal: 'seam-trainer',
    keyVariable: 'SEAM_TRAINER_EXECUTOR_ENDPOINT_KEY_VARIABLE',
    roles: ['planner', 'releaser'],
  },
  worker: {
    program: 'trainer',
    principal: 'seam-trainer',
    keyVariable: 'SEAM_TRAINER_EXECUTOR_ENDPOINT_KEY_VARIABLE',
    judgeKeyVariable: 'SEAM_TRAINER_EXECUTOR_JUDGE_KEY_VARIABLE',
    roles: ['worker'],
    queue: { metric: 'seam_training_runs_waiting', of: 'planner' },
  },
};
/** What answers clients; off unless values say otherwise. */
const GATEWAY = {
  program: 'gateway',
  principal: 'seam-gateway',
  keyVariable: 'SEAM_GATEWAY_UPSTREAM_KEY_VARIABLE',
};
const OPERATOR = 'seam-operator';

/** Settings that the templates give: by a value of the chart, or since the chart could not work otherwise. */
const GIVEN = [
  /^SEAM_DATA_FOLDER$/,
  /^SEAM_EVENT_LOG_(DRIVER|FOLDER)$/,
  /^SEAM_EVENT_LOG_KAFKA_(BROKERS|CLIENT_ID|PREFIX|TLS_.*|SASL_(MECHANISM|USERNAME|PASSWORD))$/,
  /^SEAM_OBJECT_STORE_(DRIVER|FOLDER)$/,
  /^SEAM_OBJECT_STORE_S3_(BUCKET|PREFIX|ENDPOINT|REGION|PATH_STYLE)$/,
  /^SEAM_SIGNATURES_(KEY_FILE|TRUSTED_KEYS_FILE)$/,
  /^SEAM_TRACING_(URL|HEADERS|SAMPLE_RATIO)$/,
  /^SEAM_HTTP_/,
  /^SEAM_CONSUMING_SHUTDOWN_GRACE_MS$/,
  /^SEAM_TRAINER_(ROLES|TAKES)$/,
  /^SEAM_GATEWAY_(HOST|PORT|ALLOW_PLAINTEXT|SHUTDOWN_GRACE_MS)$/,
  /_(KEY|SECRET)_VARIABLE$/,
];

const SCHEMAS = {
  common: commonConfigSchema,
  generator: generatorConfigSchema,
  executor: executorConfigSchema,
  buffer: bufferServiceConfigSchema,
  trainer: trainerConfigSchema,
  gateway: gatewayConfigSchema,
};

/** Names that a user of the chart may set, plain and secret ones. Those of a service do not repeat the common ones. */
function namesOf(service) {
  const common = new Set(settingsOf(commonConfigSchema).map(({ name }) => name));
  const settings = settingsOf(SCHEMAS[service]).filter(
    ({ name }) => (service === 'common') === common.has(name) && GIVEN.every((pattern) => !pattern.test(name)),
  );
  // A service may also have its own value of a common setting, and its own secrets for it.
  const shared =
    service === 'common'
      ? []
      : settingsOf(commonConfigSchema).filter(
          ({ name, isSecret }) => isSecret && GIVEN.every((pattern) => !pattern.test(name)),
        );
  const secret = [...settings, ...shared].filter(({ isSecret }) => isSecret).map(({ name }) => name);
  return { plain: settings.filter(({ isSecret }) => !isSecret).map(({ name }) => name), secret };
}

/** Draft 7, which Helm reads. */
function schemaOf({ properties, isFree, ...value }) {
  if (properties === undefined) return value;
  return {
    ...value,
    properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, schemaOf(each)])),
    additionalProperties: false,
  };
}

/** Each value that is no group of others, by its path. */
function leavesOf({ properties, ...value }, path = []) {
  if (properties === undefined) return [{ path, ...value }];
  return Object.entries(properties).flatMap(([name, each]) => leavesOf(each, [...path, name]));
}

function wrapped(words, width) {
  const lines = [''];
  for (const word of words.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > width) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}

function yamlOf({ properties }, depth = 0) {
  const indent = '  '.repeat(depth);
  return Object.entries(properties)
    .map(([name, each]) => {
      const comment = wrapped(each.description, 116 - indent.length).map((line) => `${indent}# ${line}\n`);
      const value =
        each.properties === undefined ? ` ${JSON.stringify(each.default)}\n` : `\n${yamlOf(each, depth + 1)}`;
      return `${comment.join('')}${indent}${name}:${value}`;
    })
    .join(depth === 0 ? '\n' : '');
}

function valuesText({ type, enum: choices, propertyNames, isFree }) {
  if (choices !== undefined) return choices.map(code).join(', ');
  if (propertyNames !== undefined) return 'settings';
  return isFree ? 'as Kubernetes has it' : type;
}

function page(values) {
  const rows = leavesOf(values).map((leaf) => [
    code(leaf.path.join('.')),
    code(JSON.stringify(leaf.default)),
    valuesText(leaf),
    leaf.description,
  ]);
  return `# Values of the chart\n\n${paragraph('infra/helm/seamstream is described in [Kubernetes](../how-to/kubernetes.md). A value that is not in this table is refused, and so is a setting that no service knows.')}\n\n${table(['value', 'default', 'type', 'meaning'], rows)}\n`;
}

/** Rights by principal, in the words of Strimzi's KafkaUser. */
async function users(root) {
  const rights = await wantedAcls({ readInput: (path) => readFile(path) }, join(root, 'infra/kafka/acls.json'));
  const principals = Object.groupBy(rights, ({ principal }) => principal.replace(/^User:/, ''));
  return Object.fromEntries(
    Object.entries(principals).map(([name, all]) => [
      name,
      Object.values(Object.groupBy(all, ({ resource, pattern, name: of }) => `${resource} ${pattern} ${of}`)).map(
        (same) => ({
          resource: {
            type: same[0].resource,
            name: same[0].name,
            patternType: same[0].pattern === 'prefixed' ? 'prefix' : 'literal',
          },
          operations: same.map(({ operation }) => operation[0].toUpperCase() + operation.slice(1)),
        }),
      ),
    ]),
  );
}

const asText = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Files of the chart and of the reference by their paths from the root. */
export async function chartFiles(root) {
  const data = async (name) => JSON.parse(await readFile(join(root, 'infra/kafka', name), 'utf8'));
  const values = chartValues(namesOf);
  const { config, topics } = await data('topics.json');
  // Helm reads no file outside of the chart.
  const monitoring = {
    'alerts.yaml': `# Generated by npm run reference from infra/monitoring/alerts.mjs. Do not edit.\n${rulesFile(ALERTS)}`,
    'board.json': asText(board()),
  };
  return {
    ...Object.fromEntries(
      Object.entries(monitoring).flatMap(([name, text]) => [
        [`infra/monitoring/${name}`, text],
        [`infra/helm/seamstream/files/${name}`, text],
      ]),
    ),
    'infra/helm/seamstream/values.yaml': `# Generated by npm run reference from infra/helm/values.mjs. Do not edit.\n\n${yamlOf(values)}`,
    'infra/helm/seamstream/values.schema.json': asText({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $comment: 'Generated by npm run reference from infra/helm/values.mjs. Do not edit.',
      ...schemaOf(values),
    }),
    'infra/helm/seamstream/files/facts.json': asText({
      services: { ...SERVICES, gateway: GATEWAY },
      operator: OPERATOR,
      config,
      topics,
      users: await users(root),
    }),
    'docs/reference/chart-values.md': `<!-- Generated by \`npm run reference\`. Do not edit. -->\n\n${page(values).trimEnd()}\n`,
  };
}
