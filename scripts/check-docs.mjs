// What a machine can hold documents to: lines of at most 120 columns outside tables and code, plain words, links that lead
// somewhere, commands that there are, and a tree in README.md that is the tree. Places that are not there yet are listed in
// TO_BE_MENDED, which may only shrink: an entry that no longer breaks its rule is refused.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsOf, unknownCommands } from './documented-commands.mjs';
import { HABITS } from './lint/plain-words.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_COLUMNS = 120;

/**
 * Documents whose prose is not plain yet. The log of experiments is a record: its entries are not rewritten. The generated page of events has
 * the words of the schemas, and becomes plain with them.
 */
const TO_BE_MENDED = new Set(['docs/experiments/LOG.md']);

/** Folders of which README.md draws what is in them; of all others at the root their name. */
const DRAWN = ['apps', 'libs'];

/** Records of how it was, and of what was decided then. */
const PAST = /^docs\/(experiments|adr)\//;

const faults = [];
const commands = commandsOf(await readFile(join(root, 'docs/reference/commands.md'), 'utf8'));
const documents = await markdownFiles(root);
for (const file of documents) faults.push(...faultsOf(file, await readFile(join(root, file), 'utf8')));
faults.push(...(await treeFaults()));
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`Cannot accept the documents: expected no fault, got ${faults.length}. Mend the lines above.`);
  process.exitCode = 1;
} else console.log(`${documents.length} documents hold`);

async function markdownFiles(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || ['node_modules', 'dist'].includes(entry.name)) return [];
      if (entry.isDirectory()) return markdownFiles(path);
      return entry.name.endsWith('.md') ? [relative(root, path)] : [];
    }),
  );
  return found.flat().sort();
}

function faultsOf(file, text) {
  const found = [];
  const habits = [];
  for (const { line, number, isProse } of linesOf(text)) {
    if (isProse && line.length > MAX_COLUMNS)
      found.push(`${file}:${number}: expected at most ${MAX_COLUMNS} columns, got ${line.length}`);
    if (isProse || line.startsWith('|')) {
      // Names of files and quoted code are no prose.
      const words = line.replaceAll(/`[^`]*`/g, '').replaceAll(/\]\([^)]*\)/g, ']');
      for (const { name, pattern, instead } of HABITS)
        if (pattern.test(words)) habits.push(`${file}:${number}: "${name}"; write ${instead}`);
    }
    for (const [, target] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path] = target.split('#');
      if (/^[a-z]+:/.test(target) || path === '') continue;
      if (!existsSync(join(root, dirname(file), path)))
        found.push(`${file}:${number}: the link to ${target} leads nowhere`);
    }
  }
  if (!PAST.test(file))
    for (const { number, fault } of unknownCommands(text, commands)) found.push(`${file}:${number}: ${fault}`);
  if (!TO_BE_MENDED.has(file)) found.push(...habits);
  else if (habits.length === 0)
    found.push(`${file}: is plain now; take it out of TO_BE_MENDED in scripts/check-docs.mjs`);
  return found;
}

/** Lines with their numbers; prose is what is neither a table, nor code, nor a link alone. */
function* linesOf(text) {
  let isCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    const isProse = !isCode && !isFence && !/^\s*\|/.test(line) && !/^\s*\S*https?:\/\/\S*$/.test(line);
    yield { line, number: index + 1, isProse };
  }
}

async function treeFaults() {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const tree = /\n```\napps\/\n([\s\S]*?)\n```/.exec(readme)?.[0] ?? '';
  const drawn = new Map();
  let above;
  for (const line of tree.split('\n')) {
    const top = /^([a-z-]+)\//.exec(line);
    const below = /^ {2}([a-z0-9-]+)\//.exec(line);
    if (top) {
      above = top[1];
      drawn.set(above, true);
    } else if (below) drawn.set(`${above}/${below[1]}`, true);
  }
  const present = new Set(foldersAtRoot());
  for (const folder of DRAWN) {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) present.add(`${folder}/${entry.name}`);
  }
  return [
    ...[...present].filter((name) => !drawn.has(name)).map((name) => `README.md: the tree lacks ${name}`),
    ...[...drawn.keys()]
      .filter((name) => !present.has(name))
      .map((name) => `README.md: the tree has ${name}, which is not there`),
  ];
}

/** Those that the repository has: a folder that a person made next to them is no part of the tree. */
function foldersAtRoot() {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
  const tops = files.filter((file) => file.includes('/')).map((file) => file.slice(0, file.indexOf('/')));
  return new Set(tops.filter((name) => !name.startsWith('.')));
}
