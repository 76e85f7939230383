/**
 * Python programs with packages from PyPI, for clients that are not ours. Packages lie in the cache, one folder per set of
 * pins and version of Python; nothing is installed into the machine's Python.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isSeamError } from '@seamstream/kernel';
import { mustRun, type RunOptions, runTool, type ToolResult } from './host-tools.js';
import { cached } from './server-cache.js';

/** The installer of lock files. */
const UV = 'uv==0.13.9';

export interface Python {
  /** The interpreter. */
  readonly command: string;
  /** With which it finds the packages: for one that stays. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a script to its end, regardless of its exit status. */
  run(script: string, args: readonly string[], options?: RunOptions): Promise<ToolResult>;
}

/**
 * Python with these packages, pinned as pip wants them (`fastavro==1.13.1`). Throws INVALID_CONFIGURATION when Python, pip or
 * the network is missing.
 */
export async function pythonWith(packages: readonly string[]): Promise<Python> {
  const folder = await packagesOf(packages.join('\n'), async (target) => {
    await mustRun(
      'python3',
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', target, ...packages],
      `fetch ${packages.join(', ')} from PyPI`,
      'pip (Debian: python3-pip) needs the network, or an index of its configuration, the first time.',
    );
  });
  return pythonAt({ PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' });
}

/**
 * Python with exactly the packages of a lock file, each by its digest. uv fetches them, in a fourth of pip's time; where it cannot, pip
 * does, since uv does not read pip's configuration (indexes, certificates). Throws INVALID_CONFIGURATION when Python, pip or the network
 * is missing.
 */
export async function pythonLockedTo(lockFile: string): Promise<Python> {
  const folder = await packagesOf(await readFile(lockFile, 'utf8'), async (target) => {
    const install = ['install', '--quiet', '--no-deps', '--require-hashes', '-r', lockFile, '--target', target];
    const doing = `Fetching the packages of ${lockFile} from PyPI`;
    const { environment } = await pythonWith([UV]);
    const { status } = await runTool('python3', ['-m', 'uv', 'pip', ...install], doing, { env: environment });
    if (status === 0) return;
    await mustRun(
      'python3',
      ['-m', 'pip', '--disable-pip-version-check', ...install, '--upgrade'],
      doing,
      'pip (Debian: python3-pip) needs the network, or an index of its configuration, the first time.',
    );
  });
  // Bytecode is kept: what is imported by hundreds of modules starts in half the time when it is started again.
  return pythonAt({ PYTHONPATH: folder });
}

/** The folder of packages that these pins name, for this version of Python. */
async function packagesOf(pins: string, install: (target: string) => Promise<void>): Promise<string> {
  const version = await mustRun(
    'python3',
    ['-c', 'import sys; print(sys.implementation.cache_tag)'],
    'ask Python for its version',
    'Python 3.9 or newer is needed.',
  );
  const digest = createHash('sha256').update(pins).digest('hex').slice(0, 12);
  return cached(`python-${version.trim()}-${digest}`, install);
}

function pythonAt(environment: Python['environment']): Python {
  return {
    command: 'python3',
    environment,
    run: (script, args, options = {}) =>
      runTool('python3', [script, ...args], `run ${script}`, {
        ...options,
        env: { ...options.env, ...environment },
      }),
  };
}

/**
 * Whether the package index of pip's configuration answers: what cannot be fetched from one that does is a fault of ours.
 * False where Python or pip is missing.
 */
export async function packageIndexAnswers(): Promise<boolean> {
  const options = ['--disable-pip-version-check', '--retries', '1', '--timeout', '15'];
  try {
    const { status } = await runTool('python3', ['-m', 'pip', 'index', 'versions', ...options, 'pip'], 'ask PyPI');
    return status === 0;
  } catch (error) {
    if (isSeamError(error, 'INVALID_CONFIGURATION')) return false;
    throw error;
  }
}
