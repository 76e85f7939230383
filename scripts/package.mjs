// Packs what `seam` runs on into one tarball that npm installs anywhere: npm run package [-- FOLDER] (default: dist)
//
// The files are found, not listed: from the door of `seam` every import is followed, and every file or folder that a module names as
// `new URL('…', import.meta.url)`. Workspaces become folders of one package, imports of them become relative: npm loses workspaces in a
// tarball (npm/cli#3466), and would want each of them from the registry. Packages from the registry are named in the versions of
// package-lock.json, those that others bring along too, since npm reads no lock file out of a tarball.
//
// Only what git tracks is shipped, and modules are compiled from their sources here: neither what lies about in a folder of data nor what an
// earlier build left gets in. infra/images/production-tree.mjs finds what an image holds in the same way, from another door.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { buildPage, compile } from './build.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const DOOR = 'apps/cli/bin/seam.js';
const SCOPE = '@seamstream/';
/** Built, so that git does not know it: it is built again from its sources. */
const PAGE = 'apps/dashboard/dist';

const read = (path) => readFileSync(join(root, path), 'utf8');
const json = (path) => JSON.parse(read(path));
const fail = (what) => {
  throw new Error(`Cannot package: ${what}`);
};

/** Every path that git tracks, from the root. */
export function trackedPaths() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    if (git('rev-parse', '--show-prefix').trim() !== '') throw new Error('a folder of another clone');
    return new Set(git('ls-files', '-z').split('\0').filter(Boolean));
  } catch (cause) {
    return fail(
      `expected ${root} to be a clone, whose git says what belongs to it, got: ${String(cause.stderr ?? cause.message).trim()}. Clone the repository.`,
    );
  }
}

/** @returns the path. @throws for one that git does not track */
function tracked(path) {
  if (!belongs.has(path))
    fail(`expected ${path}, which a module of the package needs, among the tracked files, got none. Add it (git add).`);
  return path;
}

/** The text of a module as it runs: a module of a dist folder is compiled again. */
async function moduleText(path) {
  if (!path.includes('/dist/')) return read(tracked(path));
  const source = tracked(path.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
  return (await compile(join(root, source), join(root, path))).code;
}

/** Workspaces by name: { folder, manifest }. */
function workspacesByName() {
  const folders = ['libs', 'apps'].flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`));
  return new Map(
    folders.map((folder) => {
      const manifest = json(`${folder}/package.json`);
      return [manifest.name, { folder, manifest }];
    }),
  );
}

/** What a module imports, with the places of the names: [pos, end) without the quotes. */
function importsOf(text) {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName, pos }) => ({ fileName, pos: pos + 1, end: pos + 1 + fileName.length }));
}

const NAMED_FILE = /\bnew URL\(\s*(['"])([^'"]+)\1,\s*import\.meta\.url,?\s*\)/g;

/** Files and folders that a module names, relative to it. A name that is made up as it runs could not be followed. */
function namedFilesOf(path, text) {
  const found = [...text.matchAll(NAMED_FILE)].map(([, , target]) => target);
  const others = text
    .replace(NAMED_FILE, '')
    .replaceAll('createRequire(import.meta.url)', '')
    // Where the module itself is. What it reads from there is its and its siblings' code, which is in the package.
    .replaceAll('dirname(fileURLToPath(import.meta.url))', '')
    .match(/\bimport\.meta\b/g);
  if (others !== null)
    fail(
      `expected ${path} to use import.meta only as new URL('…', import.meta.url), with a name that stands there, got another use.`,
    );
  return found;
}

/**
 * Everything that the door (a module's path) needs at run time: modules by path with their text as it is shipped, other files and folders, and packages
 * from the registry with their versions. Paths are from the root.
 */
async function findFiles(workspaces, door) {
  const modules = new Map();
  const data = new Set();
  const external = new Map();
  const visit = async (path) => {
    if (modules.has(path)) return;
    modules.set(path, '');
    let text = await moduleText(path);
    const folder = posix.dirname(path);
    const own = workspaces.get([...workspaces].find(([, each]) => path.startsWith(`${each.folder}/`))?.[0]);
    // From the last one, so that places before it stay where they are.
    for (const { fileName, pos, end } of importsOf(text).toReversed()) {
      if (fileName.startsWith('node:')) continue;
      if (fileName.startsWith('.')) {
        await visit(posix.join(folder, fileName));
        continue;
      }
      const name = fileName
        .split('/')
        .slice(0, fileName.startsWith('@') ? 2 : 1)
        .join('/');
      const workspace = workspaces.get(name);
      if (workspace === undefined) {
        if (own.manifest.dependencies?.[name] === undefined)
          fail(`expected ${name} among the dependencies of ${own.manifest.name}, whose ${path} imports it, got none.`);
        continue;
      }
      const target = posix.join(
        workspace.folder,
        workspace.manifest.exports[`.${fileName.slice(name.length)}`].default,
      );
      const specifier = posix.relative(folder, target);
      text = `${text.slice(0, pos)}${specifier.startsWith('.') ? specifier : `./${specifier}`}${text.slice(end)}`;
      await visit(target);
    }
    modules.set(path, text);
    for (const target of namedFilesOf(path, text)) {
      const at = relative(root, fileURLToPath(new URL(target, `file://${join(root, path)}`)));
      if (/\.m?js$/.test(at)) await visit(at);
      else data.add(at);
    }
  };
  await visit(door);
  for (const { folder, manifest } of workspaces.values()) {
    if (![...modules.keys()].some((path) => path.startsWith(`${folder}/`))) continue;
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      if (name.startsWith(SCOPE)) continue;
      if ((external.get(name) ?? version) !== version)
        fail(
          `expected one version of ${name} for all workspaces, got ${external.get(name)} and ${version} (${folder}).`,
        );
      external.set(name, version);
    }
  }
  return { modules, data: [...data].sort(), external };
}

/**
 * All packages that the named ones bring along, each in the version that the lock file has for the tree. Where it has two of one name, the one
 * that lies on top; npm finds the other by its range. `places` are the folders of all of them in the tree.
 */
function closureOf(external) {
  const locked = json('package-lock.json').packages;
  const found = new Map();
  /** Where Node would find a package from another one's folder. */
  const placeOf = (from, name) => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/', at.length - 1)))) {
      const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
      if (locked[place] !== undefined) return place;
      if (at === '') return undefined;
    }
  };
  const add = (place) => {
    const { version, optional = false, dependencies, optionalDependencies, peerDependencies } = locked[place];
    const name = place.split('node_modules/').at(-1);
    if (!found.has(name) || place === `node_modules/${name}`) found.set(name, { version, optional });
    places.add(place);
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const next = placeOf(place, each);
      if (next !== undefined && !seen.has(next)) {
        seen.add(next);
        add(next);
      }
    }
  };
  const seen = new Set();
  const places = new Set();
  for (const [name, version] of external) {
    const place = Object.keys(locked).find(
      (each) => each.endsWith(`node_modules/${name}`) && locked[each].version === version,
    );
    if (place === undefined) fail(`expected ${name} ${version} in package-lock.json, got none. Run "npm install".`);
    add(place);
  }
  for (const [name, version] of external) found.set(name, { ...found.get(name), version });
  return { packages: found, places };
}

/** Puts the package into an empty folder. */
async function stage(folder, { modules, data, external }) {
  const manifest = json('package.json');
  const put = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of modules) put(path, text);
  for (const path of data) {
    if (path.endsWith('package.json')) {
      const { name, version, type } = json(tracked(path));
      put(path, `${JSON.stringify({ name, version, type })}\n`);
      continue;
    }
    if (path.replace(/\/$/, '') === PAGE) {
      mkdirSync(dirname(join(folder, PAGE)), { recursive: true });
      await buildPage(join(folder, PAGE));
      continue;
    }
    const files = [...belongs].filter((each) => each === path || each.startsWith(`${path.replace(/\/$/, '')}/`));
    if (files.length === 0) tracked(path);
    for (const file of files) cpSync(join(root, file), join(folder, file));
  }
  // Docs that a message sends people to.
  const named = new Set([...modules.values()].flatMap((text) => text.match(/\bdocs\/[a-z-]+\.md\b/g) ?? []));
  for (const path of named) put(path, read(tracked(path)));
  put('LICENSE', read(tracked('LICENSE')));
  put('README.md', read(tracked('infra/package/README.md')));
  const { packages, places } = closureOf(external);
  for (const [name, version] of Object.entries(manifest.optionalDependencies))
    packages.set(name, { version, optional: true });
  const versionsOf = (isOptional) =>
    Object.fromEntries(
      [...packages]
        .filter(([, { optional }]) => optional === isOptional)
        .map(([name, { version }]) => [name, version])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const { name, version, description, license, type, engines } = manifest;
  const shipped = {
    ...{ name, version, description, license, type, engines },
    bin: { seam: DOOR },
    // A program, not a library.
    exports: { './package.json': './package.json' },
    dependencies: versionsOf(false),
    optionalDependencies: versionsOf(true),
  };
  put('package.json', `${JSON.stringify(shipped, null, 2)}\n`);
  return { places: [...places].sort() };
}

let belongs = new Set();

/**
 * Puts everything that a door needs, except packages of the registry, into an empty folder.
 * @param paths what may be taken, from the root
 * @returns the folders of its packages in the tree, each `node_modules/…`
 */
export async function stageTree(folder, door, paths) {
  belongs = paths;
  return stage(folder, await findFiles(workspacesByName(), door));
}

async function packTarball() {
  const destination = resolve(process.argv[2] ?? join(root, 'dist'));
  const folder = mkdtempSync(join(tmpdir(), 'seam-package-'));
  try {
    await stageTree(folder, DOOR, trackedPaths());
    mkdirSync(destination, { recursive: true });
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
    const [packed] = JSON.parse(
      execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const tarball = join(destination, packed.filename);
    const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex');
    process.stdout.write(
      `${tarball}\n${packed.entryCount} files, ${(packed.size / 1e6).toFixed(1)} MB packed, ${(packed.unpackedSize / 1e6).toFixed(1)} MB installed, SHA-256 ${digest}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await packTarball();
