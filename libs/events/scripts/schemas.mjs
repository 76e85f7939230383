// `generate` (default) writes src/generated/ from schemas/; `check` says what is stale or incompatible; `release` freezes
// the current schemas into schemas/history/, after which records written with them are read for ever. A second argument names
// another folder of schemas (for tests).
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../../../scripts/build.mjs';

const library = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dirname(library));
const schemas = process.argv[3] ?? join(root, 'schemas');

const readJson = async (path) => JSON.parse(await readFile(path, 'utf8'));
const filesOf = async (folder) =>
  (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.avsc')).sort();

async function readSchemaSet() {
  const topics = await readJson(join(schemas, 'topics.json'));
  const shared = [];
  const byName = new Map();
  for (const { name: folder } of (await readdir(schemas, { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  )) {
    if (folder === 'history') continue;
    for (const file of await filesOf(join(schemas, folder))) {
      const schema = await readJson(join(schemas, folder, file));
      if (schema.name !== basename(file, '.avsc'))
        throw new Error(
          `Cannot read ${folder}/${file}: expected the name of what it defines, ${schema.name}.avsc. Rename the file.`,
        );
      if (folder === 'common') shared.push(schema);
      else byName.set(schema.name, schema);
    }
  }
  const events = Object.values(topics.topics)
    .flatMap(({ events }) => Object.keys(events))
    .map((name) => {
      const schema = byName.get(name);
      if (schema === undefined)
        throw new Error(
          `Cannot read schemas/topics.json: expected names of schemas, got ${name}, which has no ${name}.avsc.`,
        );
      byName.delete(name);
      return schema;
    });
  if (byName.size > 0)
    throw new Error(
      `Cannot make topics: expected each event in schemas/topics.json, got none for ${[...byName.keys()].join(', ')}. Add them.`,
    );
  const history = {};
  const released = (await readdir(join(schemas, 'history'), { withFileTypes: true }).catch(() => [])).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name } of released) {
    const folder = join(schemas, 'history', name);
    history[name] = await Promise.all((await filesOf(folder)).map((file) => readJson(join(folder, file))));
  }
  const releasedTopics = await readJson(join(schemas, 'history/topics.json')).catch(() => undefined);
  return { shared, events, topics, history, ...(releasedTopics === undefined ? {} : { releasedTopics }) };
}

const command = process.argv[2] ?? 'generate';
await build();
const { eventTypesSource, schemaConstantsSource, selfContained } = await import('../dist/schema/typescript-source.js');
const { fingerprintOf } = await import('../dist/schema/avro-schema.js');

const sources = (set) => [
  [join(library, 'src/generated/events.generated.ts'), eventTypesSource(set)],
  [join(library, 'src/generated/schemas.generated.ts'), schemaConstantsSource(set)],
];

async function generate() {
  for (const [path, text] of sources(await readSchemaSet())) {
    if ((await readFile(path, 'utf8').catch(() => '')) === text) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    process.stdout.write(`wrote ${relative(root, path)}\n`);
  }
}

async function check() {
  const { incompatibilities } = await import('../dist/schema/compatibility.js');
  const set = await readSchemaSet();
  const faults = [];
  for (const [path, text] of sources(set)) {
    if ((await readFile(path, 'utf8').catch(() => '')) !== text)
      faults.push(`${relative(root, path)} is stale: run npm run schemas and commit the result`);
  }
  faults.push(...incompatibilities(set));
  const counts = Object.values(set.history).flat().length;
  if (faults.length === 0) process.stdout.write(`${set.events.length} events read all ${counts} released schemas\n`);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function release() {
  await check();
  if (process.exitCode !== 0) return;
  const set = await readSchemaSet();
  for (const event of set.events) {
    const schema = selfContained(set, event);
    const path = join(schemas, 'history', event.name, `${fingerprintOf(schema)}.avsc`);
    await mkdir(dirname(path), { recursive: true });
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if ((await readFile(path, 'utf8').catch(() => '')) !== '') continue;
    await writeFile(path, text);
    process.stdout.write(`released ${relative(root, path)}\n`);
  }
  await writeFile(join(schemas, 'history/topics.json'), await readFile(join(schemas, 'topics.json')));
  await generate();
}

const commands = { generate, check, release };
if (commands[command] === undefined)
  throw new Error(`Cannot run "${command}": expected ${Object.keys(commands).join(', ')}.`);
await commands[command]();
