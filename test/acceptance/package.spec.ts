/** A person installs the tarball of `npm run package` outside any clone, and gets from a file to a report and back with nothing else. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';

jest.setTimeout(600_000);

const root = fileURLToPath(new URL('../..', import.meta.url));
const OLD_NODE = new URL('../support/old-node.mjs', import.meta.url).href;

/** Of a shell outside the clone: npm passes the place of its project to what it runs. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle|config_(local_|global_)?prefix)|INIT_CWD|SEAM_)/.test(name),
  ),
);

let folder: string;
const seam = (...args: readonly string[]) => run(join(folder, 'node_modules/.bin/seam'), args);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seam-installed-'));
  execFileSync(process.execPath, ['scripts/package.mjs', folder], { cwd: root, stdio: 'pipe' });
  const [tarball] = readdirSync(folder);
  const installed = run('npm', [
    ...['install', '--prefix', folder, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'],
    join(folder, tarball!),
  ]);
  if (installed.status !== 0) throw new Error(installed.stderr);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('The package, installed in an empty folder', () => {
  it('answers as the clone does, and teaches', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(seam('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
    expect(seam('help', 'start')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('seam start --exit --seed 2') as string,
    });
    expect(seam('completion', 'bash')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('complete -o default -F _seam seam') as string,
    });
  });

  it('brings the packages along that were decided, and no other version of them', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/seamstream/package.json'), 'utf8')) as Record<
      'dependencies' | 'optionalDependencies',
      Record<string, string>
    >;
    const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const decided = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const others = Object.entries(decided).filter(([name, version]) => {
      const place = packages[`node_modules/${name}`] ?? packages[`node_modules/seamstream/node_modules/${name}`];
      // What is for another platform is not there.
      return place === undefined ? name in manifest.dependencies : place.version !== version;
    });
    expect(others).toEqual([]);
  });

  it('publishes into a data folder of the current one, and says what is there', () => {
    writeFileSync(
      join(folder, 'problems.jsonl'),
      `${JSON.stringify({ domain: 'sums', prompt: 'What is 2 + 3?', reference: '5', verifier: 'numeric' })}\n`,
    );
    expect(seam('publish', 'problems.jsonl')).toMatchObject({ status: 0 });
    expect(readdirSync(join(folder, 'data'))).toContain('log');
    const { status, stdout } = seam('status', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ledger: { published: 1, inFlight: 1, balanced: true } });
    expect(seam('doctor')).toMatchObject({ status: 0 });
    // The shipped models are found although the current folder has none.
    const solved = seam('solve', '--prompt', 'What is 2 + 3?', '--json');
    expect(solved).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('The shipped models know only') as string,
    });
  });

  it('runs the whole loop, with threads, models, training and report', () => {
    const short = ['--algorithm', 'sft', '--round-size', '24', '--max-rounds', '2'];
    const looped = seam('--data-dir', 'loop', 'start', '--exit', '--held-out', '16', ...short);
    // Two rounds are too few to converge.
    expect(looped).toMatchObject({ status: 3, stdout: expect.stringContaining('report.html') as string });
    expect(looped.stderr).not.toContain('Error');
    const report = JSON.parse(readFileSync(join(folder, 'loop/report.json'), 'utf8')) as {
      ledger: { balanced: boolean };
      commands: readonly string[];
    };
    expect(report.ledger.balanced).toBe(true);
    expect(report.commands[0]).toMatch(/^seam start --exit --method attributes --seed 1 /);
    const { runs } = JSON.parse(seam('--data-dir', 'loop', 'status', '--json').stdout) as { runs: { all: number } };
    expect(runs.all).toBe(2);
  });

  // The registry has a Node for this platform alone.
  const isBrought = process.platform === 'linux' && process.arch === 'x64';
  (isBrought ? it : it.skip)('is started by an old Node and runs on the one that it brought', () => {
    const door = join(folder, 'node_modules/seamstream/apps/cli/bin/seam.js');
    const { status, stdout } = run(process.execPath, ['--import', OLD_NODE, door, 'config', '--json']);
    expect(status).toBe(0);
    expect(stdout).toContain('SEAM_DATA_FOLDER');
    expect(run(process.execPath, ['--import', OLD_NODE, door], { SEAM_TEST_NODE_ALONE: '1' })).toMatchObject({
      status: 70,
    });
  });
});

function run(command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...environment, ...more },
    maxBuffer: 2 ** 26,
  });
  return { status, stdout, stderr };
}
