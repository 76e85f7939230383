import { bufferServiceConfigSchema } from '../../apps/buffer/dist/config.js';
import { executorConfigSchema } from '../../apps/executor/dist/config.js';
import { gatewayConfigSchema } from '../../apps/gateway/dist/config.js';
import { generatorConfigSchema } from '../../apps/generator/dist/config.js';
import { trainerConfigSchema } from '../../apps/trainer/dist/config.js';
import { commonConfigSchema, settingsOf } from '../../libs/service-kit/dist/config.js';
import { code, paragraph, table } from './markdown.mjs';

const SERVICES = [
  ['Generator', generatorConfigSchema, 'apps/generator/src/config.ts', 'GeneratorConfig'],
  ['Executor', executorConfigSchema, 'apps/executor/src/config.ts', 'ExecutorConfig'],
  ['Buffer', bufferServiceConfigSchema, 'apps/buffer/src/config.ts', 'BufferServiceConfig'],
  ['Gateway', gatewayConfigSchema, 'apps/gateway/src/config.ts', 'GatewayConfig'],
  ['Trainer', trainerConfigSchema, 'apps/trainer/src/config.ts', 'TrainerServiceConfig'],
];

/** What a value may be, from the setting's JSON Schema. */
function valuesText({ type, enum: choices, minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern }) {
  if (choices !== undefined) return choices.map(code).join(', ');
  if (type === 'integer' || type === 'number') {
    const bounds = [
      ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
      ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? [] : [`from ${minimum}`]),
      ...(exclusiveMaximum === undefined ? [] : [`below ${exclusiveMaximum}`]),
      ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`to ${maximum}`]),
    ];
    return [type, ...bounds].join(' ');
  }
  if (type === 'boolean') return '`true`, `false`';
  if (type === 'string') return pattern === undefined ? 'text' : 'text of a form';
  return type === 'array' ? 'JSON list' : 'JSON';
}

const defaultText = (value) =>
  value === undefined || value === '' ? '' : code(typeof value === 'string' ? value : JSON.stringify(value));

/** Every setting by service, with its default, its values and the comment that stands above it in the source. */
export async function settingsPage({ commentsOf }) {
  const common = new Set(settingsOf(commonConfigSchema).map(({ name }) => name));
  // The trainer asks the executor that the executor's service asks, by the same settings under a longer name.
  const ofExecutor = commentsOf('apps/executor/src/config.ts', 'ExecutorConfig');
  const missing = [];
  const rowOf =
    (comments) =>
    ({ name, path, default: value, form, isSecret }) => {
      const place = path.join('.');
      const meaning = comments.get(place) ?? ofExecutor.get(place.replace(/^trainer\.executor\./, 'executor.'));
      if (meaning === undefined) missing.push(`${name} (${place})`);
      return [code(name), isSecret ? '' : defaultText(value), isSecret ? 'secret' : valuesText(form), meaning ?? ''];
    };
  const section = (title, schema, file, type, wanted) =>
    `## ${title}\n\n${table(
      ['setting', 'default', 'values', 'meaning'],
      settingsOf(schema)
        .filter(wanted)
        .map(rowOf(commentsOf(file, type))),
    )}`;
  const [, firstSchema, firstFile, firstType] = SERVICES[0];
  const page = `# Settings

${paragraph('A setting is an environment variable. A variable that no service knows is refused, with the nearest name. `seam config` shows the values that hold on this machine and where each comes from; `--print-config` does so for one service. A list or a record is written as JSON.')}

${section('All services', firstSchema, firstFile, firstType, ({ name }) => common.has(name))}

${SERVICES.map(([title, schema, file, type]) => section(title, schema, file, type, ({ name }) => !common.has(name))).join('\n\n')}
`;
  if (missing.length > 0)
    throw new Error(`Cannot describe ${missing.join(', ')}: expected a comment above each in the service's schema.`);
  return page;
}
