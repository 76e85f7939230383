/** What is installed is what was decided: digests in the lock file, install scripts by name, a bill of materials of all that is shipped. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${root}/${path}`, 'utf8')) as Record<string, unknown>;

interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const locked = Object.entries(read('package-lock.json').packages as Record<string, LockedPackage>);
const nameOf = (path: string): string => path.split('node_modules/').at(-1)!;
const foreign = locked.filter(([path, { link }]) => path.includes('node_modules/') && link !== true);

describe('The lock file', () => {
  it('has a SHA-512 digest for every package from a registry, and no address', () => {
    expect(foreign.length).toBeGreaterThan(500);
    expect(foreign.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
    expect(foreign.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('holds the packages of every platform, so that `npm ci` takes none without its digest', () => {
    const names = new Set(locked.map(([path]) => nameOf(path)));
    const missing = locked.flatMap(([, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter((name) => !names.has(name)),
    );
    expect(missing).toEqual([]);
  });

  it('is in step with package.json', () => {
    const args = ['ci', '--dry-run', '--ignore-scripts', '--offline', '--no-audit', '--no-fund'];
    expect(() => execFileSync('npm', args, { cwd: root, stdio: 'pipe' })).not.toThrow();
  });
});

describe('Install scripts', () => {
  it('are decided one by one, and npm refuses those that are not', () => {
    const withScripts = [
      ...new Set(foreign.filter(([, p]) => p.hasInstallScript === true).map(([path]) => nameOf(path))),
    ];
    expect(Object.keys(read('package.json').allowScripts as object).sort()).toEqual(withScripts.sort());
    expect(readFileSync(`${root}/.npmrc`, 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});

describe('Known faults', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'seam-audit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const audit = (waiver: object) => {
    const file = join(folder, 'waivers.json');
    writeFileSync(file, JSON.stringify([waiver]));
    const { status, stderr } = spawnSync(process.execPath, ['scripts/audit.mjs', file], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, npm_config_offline: 'true' },
    });
    return { status, stderr };
  };
  const waiver = { advisory: 'GHSA-aaaa-bbbb-cccc', package: 'avsc', until: '2999-01-01', why: 'not reached' };

  it('may be waived until a day, and no longer', () => {
    expect(audit(waiver)).toMatchObject({ status: 0 });
    expect(audit({ ...waiver, until: '2020-01-01' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('expired on 2020-01-01') as string,
    });
  });

  it('are waived for packages that are there, with a reason', () => {
    expect(audit({ ...waiver, package: 'no-such-package' })).toMatchObject({ status: 1 });
    expect(audit({ ...waiver, why: '' })).toMatchObject({ status: 1 });
  });
});

describe('The bill of materials', () => {
  it('lists every package that is shipped, with its version', () => {
    const bill = JSON.parse(execFileSync(process.execPath, ['scripts/sbom.mjs'], { cwd: root, encoding: 'utf8' })) as {
      metadata: { component: { name: string } };
      components: readonly { purl: string }[];
    };
    const listed = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl.replace(/^pkg:npm\//, ''))));
    const shipped = foreign.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true);
    expect(bill.metadata.component.name).toBe('seamstream');
    expect(shipped.map(([path, { version }]) => `${nameOf(path)}@${version}`).filter((id) => !listed.has(id))).toEqual(
      [],
    );
  });
});
