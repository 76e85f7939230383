import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../../', import.meta.url).pathname;
const glossary = readFileSync(join(root, 'docs/reference/glossary.md'), 'utf8');
const rows = glossary
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| term') && !line.startsWith('| ---'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** All words of the sources, schemas and settings. */
const words = new Set<string>();
for (const folder of ['libs', 'apps', 'schemas']) {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|avsc)$/.test(entry.name) || /node_modules|\/dist/.test(entry.parentPath)) continue;
    words.add(entry.name);
    for (const [word] of readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(/\w+/g)) words.add(word);
  }
}

it('names for every term a type, file or field that the code has', () => {
  const carriers = rows.flatMap(([, term, , carrier]) =>
    [...carrier!.matchAll(/`([^`]+)`/g)].map(([, name]) => ({ term: term!, name: name! })),
  );
  expect(carriers.length).toBeGreaterThan(50);
  const isThere = (name: string): boolean =>
    name.includes('/')
      ? existsSync(join(root, name))
      : words.has(name) || (name.match(/\w+/g) ?? []).every((word) => word.startsWith('SEAM_') || words.has(word));
  expect(carriers.filter(({ name }) => !isThere(name))).toEqual([]);
});

it('has each term once', () => {
  const terms = rows.map(([, term]) => term);
  expect(terms.filter((term, at) => terms.indexOf(term) !== at)).toEqual([]);
});
