import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCHEMAS } from '../generated/schemas.generated.js';
import type { AvroDefinition } from './avro-schema.js';

const script = fileURLToPath(new URL('../../scripts/schemas.mjs', import.meta.url));
const schemas = fileURLToPath(new URL('../../../../schemas', import.meta.url));

/** Runs `schemas.mjs check` as `npm run schemas:check` does. */
const check = (folder: string) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [script, 'check', folder], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });

describe('npm run schemas:check', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seamstream-schemas-'));
    await cp(schemas, folder, { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const alter = async (file: string, change: (schema: AvroDefinition) => AvroDefinition): Promise<void> => {
    const path = join(folder, file);
    await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, 'utf8')) as AvroDefinition)));
  };

  it('passes on the schemas as they are', async () => {
    const { code, output } = await check(schemas);
    const older = Object.values(SCHEMAS).reduce((sum, { released }) => sum + released.length, 0);
    const events = Object.keys(SCHEMAS).length;
    expect(output).toBe(`${events} events read all ${events + older} released schemas\n`);
    expect(code).toBe(0);
  });

  it('fails on an incompatible change, and says what to do', async () => {
    await alter('common/Problem.avsc', (schema) => ({
      ...schema,
      fields: [...(schema.fields ?? []), { name: 'priority', type: 'int' }],
    }));
    const { code, output } = await check(folder);
    expect(code).toBe(1);
    expect(output).toContain(
      'ProblemPublished.problem.priority: released records do not have this field. Give it a default, or name the field that it replaces among its aliases. (released as ',
    );
  });

  it('fails on generated sources that do not follow a compatible change', async () => {
    await alter('common/Problem.avsc', (schema) => ({
      ...schema,
      fields: [...(schema.fields ?? []), { name: 'priority', type: 'int', default: 0 }],
    }));
    const { code, output } = await check(folder);
    expect(code).toBe(1);
    expect(output).toBe(
      'libs/events/src/generated/events.generated.ts is stale: run npm run schemas and commit the result\n' +
        'libs/events/src/generated/schemas.generated.ts is stale: run npm run schemas and commit the result\n',
    );
  });
});
