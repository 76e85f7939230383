import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { templateTexts } from './template-texts.js';

describe('the texts of templates', () => {
  it('are those of the generator and of the executor that is named', async () => {
    const texts = await templateTexts({ template: 'qwen' });
    expect([...texts.keys()]).toEqual([
      'fixed-hint.txt',
      'generator.txt',
      'executor/template.json',
      'executor/with-experience.txt',
      'executor/without-experience.txt',
      'executor/wrapper-only.txt',
    ]);
    expect(texts.get('generator.txt')).toContain('{problem}');
    await expect(templateTexts({ template: 'none' })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });

  it('hold a file of entry schemas, and nothing for schemas that have no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'texts-'));
    const file = join(folder, 'schemas.json');
    await writeFile(file, '{}');
    expect((await templateTexts({ entrySchemas: file })).get('entry-schemas.json')).toBe('{}');
    for (const named of ['memory-item', 'self-edit/facts', 'tool-configuration'])
      expect((await templateTexts({ entrySchemas: named })).has('entry-schemas.json')).toBe(false);
    await rm(folder, { recursive: true });
  });
});
