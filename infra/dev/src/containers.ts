/**
 * Containers on this machine without a registry: podman, and the bases that infra/images names, made from Debian's packages.
 * A base that the machine has under its name is used as it is.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SeamError } from '@seamstream/kernel';
import { mustRun, type RunOptions, runTool, type ToolResult, tail } from './host-tools.js';
import { cached } from './server-cache.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The release of Debian whose glibc infra/images/Containerfile asks for. */
const RELEASE = 'bookworm';
/** Names of the bases, as the Containerfile has them by default. */
const BASES = {
  build: 'docker.io/library/node:24-bookworm-slim',
  runtime: 'docker.io/library/debian:bookworm-slim',
  python: 'docker.io/library/python:3.11-slim-bookworm',
};

/**
 * Runs on Debian 12 with cgroups of both versions (where crun refuses), without systemd, and with a low limit of open files.
 */
const CONFIGURATION = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
`;

export interface Podman {
  /** Runs podman to its end, regardless of its exit status. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<ToolResult>;
  /** As run; INTERNAL with the end of the output where podman fails. Returns its standard output, trimmed. */
  readonly must: (args: readonly string[], options?: RunOptions) => Promise<string>;
  /** What every program that calls podman needs in its environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Podman of this machine. INVALID_CONFIGURATION with what to install where it, or what it runs containers with, is missing. */
export async function podman(): Promise<Podman> {
  const folder = await cached('podman-1', async (target) => {
    await writeFile(join(target, 'containers.conf'), CONFIGURATION);
  });
  const environment = { CONTAINERS_CONF: join(folder, 'containers.conf') };
  const run = (args: readonly string[], options: RunOptions = {}): Promise<ToolResult> =>
    runTool('podman', args, 'run podman', { ...options, env: { ...options.env, ...environment } });
  for (const tool of ['podman', 'runc', 'mmdebstrap', 'catatonit']) {
    const found = await runTool('sh', ['-c', `command -v ${tool}`], 'find podman');
    if (found.status === 0) continue;
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot run containers: expected ${tool} on the PATH, got none. Install it (Debian: apt-get install podman runc conmon netavark aardvark-dns catatonit uidmap mmdebstrap).`,
    );
  }
  const info = await run(['info', '--format', '{{.Host.OCIRuntime.Name}}']);
  if (info.status !== 0)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot run containers: expected "podman info" to answer, got status ${String(info.status)}. Let this user run containers.\n${tail(info.stderr)}`,
    );
  const must = async (args: readonly string[], options: RunOptions = {}): Promise<string> => {
    const { status, stdout, stderr } = await run(args, options);
    if (status === 0) return stdout.trim();
    throw new SeamError(
      'INTERNAL',
      `Cannot run podman ${args.join(' ')}: expected status 0, got ${String(status)}.\n${tail(stderr)}`,
    );
  };
  return { run, must, environment };
}

/** Makes the bases of infra/images that the machine does not have. Needs Debian's package mirror the first time. */
export async function makeBases({ run, must }: Podman): Promise<void> {
  const has = async (name: string): Promise<boolean> => (await run(['image', 'exists', name])).status === 0;
  if (!(await has(BASES.runtime))) {
    // No shell, no package manager: what starts on it starts on a distroless base.
    const archive = await debianTree('runtime', ['--variant=extract', '--include=libc6,base-files,netbase']);
    await must(['import', '--quiet', archive, BASES.runtime]);
  }
  if (await has(BASES.build)) return;
  const archive = await debianTree('build', ['--variant=essential', '--include=ca-certificates,libstdc++6']);
  const bare = 'localhost/seamstream-base:build';
  await must(['import', '--quiet', archive, bare]);
  const context = await mkdtemp(join(tmpdir(), 'seam-base-'));
  try {
    await cp(process.execPath, join(context, 'node'));
    const npm = await mustRun('npm', ['root', '--global'], 'find npm', 'Have npm on the PATH.');
    await cp(join(npm.trim(), 'npm'), join(context, 'npm'), { recursive: true });
    const lines = [
      `FROM ${bare}`,
      'COPY node /usr/local/bin/node',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN ln -s /usr/local/lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    ];
    await writeFile(join(context, 'Containerfile'), `${lines.join('\n')}\n`);
    await must(['build', '--quiet', '--pull=never', '--network', 'none', '--tag', BASES.build, context]);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

/** A tree of Debian's packages as a tar archive, from the cache. */
async function debianTree(name: string, options: readonly string[]): Promise<string> {
  const folder = await cached(`debian-${RELEASE}-${name}-1`, async (target) => {
    await mustRun(
      'mmdebstrap',
      ['--quiet', ...options, RELEASE, join(target, 'tree.tar')],
      `make a tree of Debian ${RELEASE}`,
      'mmdebstrap needs the network the first time.',
    );
  });
  return join(folder, 'tree.tar');
}

/** Makes the base of the image of the engine on PyTorch where the machine does not have it: Debian 12 has the Python that is locked for. */
export async function makePythonBase({ run, must }: Podman): Promise<void> {
  if ((await run(['image', 'exists', BASES.python])).status === 0) return;
  const packages = 'python3,python3-pip,ca-certificates,libstdc++6';
  const archive = await debianTree('python', ['--variant=essential', `--include=${packages}`]);
  await must(['import', '--quiet', archive, BASES.python]);
}

export interface BuiltImage {
  /** SHA-256 of the image's manifest, in hex. */
  readonly digest: string;
  readonly bytes: number;
}

/**
 * Builds infra/images from the newest commit, as `npm run image` does. Packages come through npm's cache of this machine; certificates
 * that it trusts beyond Node's own are mounted while it builds and are not in the image.
 * @param out folder for provenance and bill of materials
 */
export async function buildImage(engine: Podman, tag: string, out: string): Promise<BuiltImage> {
  const cache = await mustRun('npm', ['config', 'get', 'cache'], 'ask npm', 'Have npm on the PATH.');
  await mkdir(out, { recursive: true });
  const npmrc = join(out, 'npmrc');
  const settings = ['cache=/npm-cache', ...(AUTHORITIES === undefined ? [] : [`cafile=${TRUSTED}`])];
  await writeFile(npmrc, `${settings.join('\n')}\n`);
  return build(engine, {
    ...{ image: 'services', tag, out },
    // npm's global settings: those of the user lie where the base's user has its home.
    volumes: [`${cache.trim()}:/npm-cache`, `${npmrc}:/usr/local/etc/npmrc:ro`],
    advice: 'npm inside of the build needs its registry, or everything in its cache.',
  });
}

/**
 * Builds the image of the engine on PyTorch from the newest commit, as `npm run image:torch` does: gigabytes from PyPI.
 * @param out folder for provenance and bill of materials
 */
export async function buildTrainingImage(engine: Podman, tag: string, out: string): Promise<BuiltImage> {
  await mkdir(out, { recursive: true });
  const configuration = join(out, 'pip.conf');
  await writeFile(configuration, `[global]\n${AUTHORITIES === undefined ? '' : `cert = ${TRUSTED}\n`}`);
  return build(engine, {
    ...{ image: 'torch', tag, out },
    volumes: [`${configuration}:/etc/pip.conf:ro`],
    advice: 'pip inside of the build needs PyPI.',
  });
}

/** Certificates that this machine trusts beyond those of Node and pip, and where builds find them. */
const AUTHORITIES = process.env.NODE_EXTRA_CA_CERTS;
const TRUSTED = '/etc/authorities.pem';

async function build(
  engine: Podman,
  what: {
    readonly image: 'services' | 'torch';
    readonly tag: string;
    readonly out: string;
    readonly volumes: readonly string[];
    readonly advice: string;
  },
): Promise<BuiltImage> {
  const { image: name, tag, out, volumes, advice } = what;
  const mounted = [...volumes, ...(AUTHORITIES === undefined ? [] : [`${AUTHORITIES}:${TRUSTED}:ro`])];
  await mustRun(
    'node',
    [
      join(ROOT, 'infra/images/build.mjs'),
      ...['--image', name, '--tag', tag, '--out', out, '--', '--no-cache', '--pull=never', '--network', 'host'],
      ...mounted.flatMap((each) => ['--volume', each]),
    ],
    `Building the image of ${name}`,
    advice,
    { cwd: ROOT, env: engine.environment },
  );
  const [image] = JSON.parse(await engine.must(['image', 'inspect', tag])) as readonly [
    { readonly Digest: string; readonly Size: number },
  ];
  return { digest: image.Digest.replace('sha256:', ''), bytes: image.Size };
}
