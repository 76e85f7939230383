import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_ENTRY_SCHEMA, domainEntrySchema } from './entry.schema.js';
import { entrySchemas, loadEntrySchemas } from './entry-schemas.js';

const schema = domainEntrySchema({
  concepts: { words: ['carry'] },
  strategy: { words: ['add'] },
  pitfalls: { words: ['none'] },
});

async function fileWith(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'entry-schemas-')), 'schemas.json');
  await writeFile(file, text);
  return file;
}

describe('entry schemas', () => {
  it('are the domain’s own where it has one, the general one elsewhere, also for names of object properties', () => {
    const schemaFor = entrySchemas({ sums: schema });
    expect(schemaFor('sums')).toBe(schema);
    expect(schemaFor('words')).toBe(DEFAULT_ENTRY_SCHEMA);
    expect(schemaFor('constructor')).toBe(DEFAULT_ENTRY_SCHEMA);
  });

  it('come from a file, or from none', async () => {
    const schemaFor = await loadEntrySchemas(await fileWith(JSON.stringify({ sums: schema })));
    expect(schemaFor('sums')).toEqual(schema);
    expect((await loadEntrySchemas())('sums')).toBe(DEFAULT_ENTRY_SCHEMA);
  });

  it('refuse a file that is missing, no JSON, no object, or holds a schema that cannot be enforced, naming it', async () => {
    const faults: [string, RegExp][] = [
      ['/nowhere/schemas.json', /nowhere.*ENOENT/],
      [await fileWith('{'), /JSON/],
      [await fileWith('[]'), /something else/],
      [await fileWith('{"sums":{"type":"blue"}}'), /schema of sums is refused/],
    ];
    for (const [file, message] of faults) {
      await expect(loadEntrySchemas(file)).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringMatching(message),
      });
    }
  });
});
