/** The programs of this machine that servers are made with. A missing one is an error that says how to get it. */
import { spawn } from 'node:child_process';
import { SeamError } from '@seamstream/kernel';

const HOW_TO_GET = {
  java: 'Install a Java runtime of version 17 or newer (Debian: openjdk-17-jre-headless) and have it on the PATH.',
  mvn: 'Install Apache Maven (Debian: maven) and have it on the PATH.',
  go: 'Install Go 1.24 or newer (https://go.dev/dl) and have it on the PATH.',
  python3: 'Install Python 3.9 or newer with pip (Debian: python3-pip) and have it on the PATH.',
  'apt-get': 'Have a Debian with its package lists (apt-get update).',
  sh: 'Have a POSIX shell on the PATH.',
  docker: 'Install Docker with Compose 2 (https://docs.docker.com/engine/install) and have it on the PATH.',
  mmdebstrap: 'Install mmdebstrap (Debian: mmdebstrap).',
  npm: 'Have npm on the PATH.',
  node: 'Have Node on the PATH.',
  openssl: 'Install OpenSSL 3 (Debian: openssl) and have it on the PATH.',
} as const;

type HostTool = keyof typeof HOW_TO_GET;

const ELSEWHERE =
  'Or give servers that already run: SEAM_TEST_KAFKA, SEAM_TEST_S3, SEAM_TEST_REGISTRY (infra/dev/README.md).';

export interface ToolResult {
  /** Exit status; null when a signal ended it. */
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  /** Text for its standard input, which is closed otherwise. */
  input?: string;
  /** It is killed after so many milliseconds. */
  timeoutMs?: number;
}

/** Runs a program to its end, regardless of its exit status. Throws INVALID_CONFIGURATION when it is not installed. */
export async function runTool(
  tool: string,
  args: readonly string[],
  purpose: string,
  options: RunOptions = {},
): Promise<ToolResult> {
  const child = spawn(tool, args, {
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that ends without reading its input breaks the pipe; its exit status says more.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => reject(missingTool(tool, purpose, cause)));
    child.on('close', resolve);
  });
  return { status, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** As {@link runTool}, and throws INVALID_CONFIGURATION with `advice` when the program fails. Returns its output. */
export async function mustRun(
  tool: HostTool,
  args: readonly string[],
  purpose: string,
  advice: string,
  options: RunOptions = {},
): Promise<string> {
  const { status, stdout, stderr } = await runTool(tool, args, purpose, options);
  if (status === 0) return stdout;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${purpose}: expected status 0 of "${tool} ${args.join(' ')}", got ${String(status)}. ${advice}\n${tail(`${stdout}\n${stderr}`)}`,
  );
}

/** The error of a program that is not there. */
export function missingTool(tool: string, purpose: string, cause: unknown): SeamError {
  const advice = tool in HOW_TO_GET ? HOW_TO_GET[tool as HostTool] : `Check that ${tool} can be executed.`;
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${purpose}: "${tool}" could not be started. ${advice} ${ELSEWHERE}`,
    {
      cause,
    },
  );
}

/** The end of a long output. */
export function tail(text: string, lines = 25): string {
  return text.trimEnd().split('\n').slice(-lines).join('\n');
}
