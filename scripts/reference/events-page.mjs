import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { code, paragraph, table } from './markdown.mjs';

/** The name of an Avro type, for readers. */
function typeText(type) {
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== 'null').map(typeText);
    return type.includes('null') ? `${others.join(' or ')}, or null` : others.join(' or ');
  }
  if (typeof type === 'string') return type.split('.').at(-1);
  switch (type.type) {
    case 'array':
      return `list of ${typeText(type.items)}`;
    case 'map':
      return `map of ${typeText(type.values)}`;
    case 'enum':
      return type.symbols.map(code).join(', ');
    case 'record':
      return type.name;
    default:
      return type.logicalType ?? type.type;
  }
}

/** Records that are declared inside a field. */
function innerRecords(type) {
  if (Array.isArray(type)) return type.flatMap(innerRecords);
  if (typeof type !== 'object') return [];
  if (type.type === 'record') return [type, ...type.fields.flatMap(({ type: inner }) => innerRecords(inner))];
  return innerRecords(type.items ?? type.values ?? 'null');
}

const fieldsTable = ({ fields }) =>
  table(
    ['field', 'type', 'meaning'],
    fields.map(({ name, type, doc = '' }) => [code(name), typeText(type), doc]),
  );

const section = (level, schema, more = '') => {
  const inner = schema.fields.flatMap(({ type }) => innerRecords(type));
  return [
    `${'#'.repeat(level)} ${schema.name}`,
    ...(schema.doc === undefined ? [] : [paragraph(schema.doc)]),
    ...(more === '' ? [] : [more]),
    fieldsTable(schema),
    ...inner.map((each) => `**${each.name}**${each.doc === undefined ? '' : `: ${each.doc}`}\n\n${fieldsTable(each)}`),
  ].join('\n\n');
};

/** Every topic with its events, then the records that they share. */
export async function eventsPage(schemas) {
  const { partitions, topics } = JSON.parse(await readFile(join(schemas, 'topics.json'), 'utf8'));
  const byName = new Map();
  const shared = [];
  for (const folder of await readdir(schemas, { withFileTypes: true })) {
    if (!folder.isDirectory() || folder.name === 'history') continue;
    for (const file of (await readdir(join(schemas, folder.name))).filter((name) => name.endsWith('.avsc')).sort()) {
      const schema = JSON.parse(await readFile(join(schemas, folder.name, file), 'utf8'));
      byName.set(schema.name, schema);
      if (folder.name === 'common') shared.push(schema);
    }
  }
  const ofTopics = Object.entries(topics).map(([topic, { events, partitions: own = partitions }]) =>
    [
      `## ${topic}`,
      `${own} ${own === 1 ? 'partition' : 'partitions'}.`,
      ...Object.entries(events).map(([name, { key, constantKey }]) =>
        section(3, byName.get(name), `Key: ${key === undefined ? `always ${code(constantKey)}` : code(key)}.`),
      ),
    ].join('\n\n'),
  );
  return `# Events

${paragraph('Everything that happens is one of these events, an Avro record on a topic. Schemas only grow compatibly: what a release has written is read by every later one. The schemas are in `schemas/`, every released version in `schemas/history/`.')}

${ofTopics.join('\n\n')}

## Shared records

${shared
  .map((schema) =>
    schema.type === 'enum'
      ? `### ${schema.name}\n\n${paragraph(`${schema.doc ?? ''} One of ${schema.symbols.map(code).join(', ')}.`.trim())}`
      : section(3, schema),
  )
  .join('\n\n')}
`;
}
