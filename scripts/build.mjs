// Compiles every workspace package's src/ to dist/ with swc: one second for the whole tree, types are checked by `npm run types`.
// Output newer than its source is left alone, and output without a source is deleted, so a stale file never runs.
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** For specs alone, which run the sources. */
const UNBUILT = join(root, 'libs/testing');
/** Runs in browsers: Vite makes one page of it. */
const DASHBOARD = join(root, 'apps/dashboard');
const isSource = (path) => path.endsWith('.ts') && !/(\.(spec|contract|d)|\/testing)\.ts$/.test(path);

async function filesUnder(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function modifiedMs(path) {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}

/** Suffix of files that a build is writing, this one or one that runs at the same time. */
const UNFINISHED = '.tmp';
/** A build writes a file in milliseconds; what is older was left by one that was killed. */
const LONGEST_WRITE_MS = 60_000;

const isBeingWritten = async (path) =>
  path.endsWith(UNFINISHED) && Date.now() - (await modifiedMs(path)) < LONGEST_WRITE_MS;

/** The file is there whole or not at all, also where two builds run at once or one is killed: an empty one would look finished. */
async function writeWhole(path, text) {
  const unfinished = `${path}.${process.pid}${UNFINISHED}`;
  await writeFile(unfinished, text);
  await rename(unfinished, path);
}

/** What runs of a source: { code, map }. @param output where it will lie, which the map says from */
export function compile(input, output) {
  return transformFile(input, { configFile: join(root, '.swcrc'), sourceFileName: relative(dirname(output), input) });
}

export async function build() {
  const packages = (
    await Promise.all(
      ['libs', 'apps'].map(async (kind) => (await readdir(join(root, kind))).map((name) => join(root, kind, name))),
    )
  )
    .flat()
    .filter((folder) => folder !== UNBUILT && folder !== DASHBOARD)
    .concat(join(root, 'infra/dev'));
  const configChangedMs = await modifiedMs(join(root, '.swcrc'));
  let compiled = 0;
  await Promise.all(
    packages.map(async (folder) => {
      const source = join(folder, 'src');
      const target = join(folder, 'dist');
      const wanted = new Map(
        (await filesUnder(source))
          .filter(isSource)
          .map((path) => [join(target, relative(source, path)).replace(/\.ts$/, '.js'), path]),
      );
      for (const path of await filesUnder(target)) {
        if (!wanted.has(path.replace(/\.map$/, '')) && !(await isBeingWritten(path))) await rm(path, { force: true });
      }
      for (const [output, input] of wanted) {
        if ((await modifiedMs(output)) > Math.max(await modifiedMs(input), configChangedMs)) continue;
        const { code, map } = await compile(input, output);
        await mkdir(dirname(output), { recursive: true });
        await writeWhole(`${output}.map`, map ?? '');
        await writeWhole(output, `${code}\n//# sourceMappingURL=${output.slice(output.lastIndexOf('/') + 1)}.map\n`);
        compiled++;
      }
    }),
  );
  return compiled;
}

/**
 * Builds the dashboard's page where a source is newer than it. @param folder where the page goes
 * @returns whether it was built
 */
export async function buildPage(folder = join(DASHBOARD, 'dist')) {
  const sources = [
    ...(await filesUnder(join(DASHBOARD, 'src'))),
    ...(await filesUnder(join(DASHBOARD, 'public'))),
    ...['index.html', 'vite.config.mjs', 'package.json'].map((name) => join(DASHBOARD, name)),
  ].filter((path) => !path.includes('.spec.'));
  const changedMs = Math.max(...(await Promise.all(sources.map(modifiedMs))));
  if ((await modifiedMs(join(folder, 'index.html'))) > changedMs) return false;
  const { build: buildWithVite } = await import('vite');
  // Made next to it and put in place: a gateway that starts meanwhile finds the page before or the one after.
  const unfinished = `${folder}.${process.pid}${UNFINISHED}`;
  const configFile = join(DASHBOARD, 'vite.config.mjs');
  const { NODE_ENV } = process.env;
  // Vite takes the mode from here before anything else: a page that a test builds is the one that ships.
  process.env.NODE_ENV = 'production';
  await buildWithVite({ configFile, mode: 'production', build: { outDir: unfinished, emptyOutDir: true } });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  const compiled = await build();
  const page = (await buildPage()) ? ' and the page' : '';
  process.stderr.write(`built ${compiled} files${page} in ${Math.round(performance.now() - started)} ms\n`);
}
