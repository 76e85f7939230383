/**
 * Runs untrusted code. Two walls of the operating system, one per process: the answer runs in one sandbox, the tests run in another that
 * the answer cannot see, and they exchange nothing but lines of JSON. Verdicts come from the tests' process alone, over its own
 * descriptor and with a nonce that no other process was given.
 *
 * Each sandbox (bubblewrap, https://github.com/containers/bubblewrap): new user, pid, network, ipc, uts and cgroup namespaces, no
 * capability and no way to a new user namespace, a root of the interpreter's libraries read-only, 16 MB of scratch in memory, an empty
 * environment; within it limits of memory, processes, file size, open files and processor time. Killing its first process kills all.
 *
 * A second wall stands behind that: a list of system calls that it may make (system-calls.ts), which leaves no memory outside of
 * processes and files, and a watch over what all its processes hold together (memory-watch.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { SeamError } from '@seamstream/kernel';
import { MemoryWatch } from './memory-watch.js';
import { type Machine, systemCallFilter } from './system-calls.js';

export type Language = 'python' | 'javascript';

export interface CodeTask {
  readonly language: Language;
  /** The answer. */
  readonly code: string;
  /** The unit tests. */
  readonly tests: string;
  /** What `check(candidate)` is called with, and a name that is the answer's even where the language has one like it; null for none. */
  readonly entryPoint: string | null;
  /** Which calls leave changes of their arguments behind: those that return nothing, or all. */
  readonly inPlace: 'procedures' | 'always';
  /** Wall time of answer and tests together, from when both sandboxes are up. */
  readonly timeLimitMs: number;
  /** Memory of all of the answer's processes together. Node itself has {@link NODE_MEMORY_MB} besides. */
  readonly memoryMb: number;
}

export interface CodeResult {
  readonly passed: boolean;
  readonly detail: string;
}

export interface SandboxSettings {
  /** Interpreter for Python answers. Default /usr/bin/python3. */
  readonly python?: string;
  /** bubblewrap. Default /usr/bin/bwrap. */
  readonly bwrap?: string;
  /** Most checks at once. Default 2. */
  readonly parallel?: number;
  /** Most memory that a problem may give to an answer, in MB. Default 1024. */
  readonly mostMemoryMb?: number;
}

/** Sandboxes are up within this, or the machine is at fault: that is an error, not a verdict. */
const START_LIMIT_MS = 30_000;
/** Tests have this long until they ask the answer something, or the task's own limit if that is longer: a machine may be busy. */
const REHEARSAL_LIMIT_MS = 10_000;
/** The exit status of a sandbox whose first process was killed: 128 + SIGKILL. */
const KILLED = 137;
const SCRATCH_BYTES = 16 << 20;
const FILE_BYTES = 16 << 20;
/** What answer and tests may say to each other. */
const CHANNEL_BYTES = 32 << 20;
const NOBODY = 65_534;
/** Threads and processes. V8 itself starts a dozen threads. */
const PROCESSES = { python: 8, javascript: 32 } as const;

/** What V8 holds before it runs anything, its threads' heaps included; measured 38 to 60 MB with Node 20 and 24. */
const NODE_MEMORY_MB = 96;
/** The tests' own process. */
const JUDGE_MEMORY_MB = 512;

const RUNNERS = new URL('../sandbox/', import.meta.url);
const source = (name: string): string => readFileSync(fileURLToPath(new URL(name, RUNNERS)), 'utf8');

export class CodeSandbox {
  private readonly python: string;
  private readonly bwrap: string;
  private readonly parallel: number;
  private readonly mostMemoryMb: number;
  private readonly memory = new MemoryWatch();
  private readonly waiting: (() => void)[] = [];
  private readonly children = new Set<ChildProcess>();
  private running = 0;
  private readonly proven = new Map<Language, Promise<void>>();

  constructor({
    python = '/usr/bin/python3',
    bwrap = '/usr/bin/bwrap',
    parallel = 2,
    mostMemoryMb = 1024,
  }: SandboxSettings = {}) {
    this.python = python;
    this.bwrap = bwrap;
    this.parallel = parallel;
    this.mostMemoryMb = mostMemoryMb;
  }

  /**
   * Proves once that a language's sandbox can be made here.
   * @throws INVALID_CONFIGURATION saying what is missing; code is then never run at all
   */
  prove(language: Language): Promise<void> {
    const proof = this.proven.get(language) ?? this.trial(language);
    this.proven.set(language, proof);
    return proof;
  }

  /** @throws VERIFIER_FAILED when a sandbox does not start, the tests do not run or the deadline passes; ABORTED; as {@link prove} */
  async run(task: CodeTask, deadlineMs: number, signal?: AbortSignal): Promise<CodeResult> {
    await this.prove(task.language);
    if (task.memoryMb > this.mostMemoryMb)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot verify by code@1: expected option memoryMb of at most ${this.mostMemoryMb} here, got ${task.memoryMb}. Publish the problem with less, or raise SEAM_EXECUTOR_SANDBOX_MEMORY_MB.`,
      );
    while (this.running >= this.parallel) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running++;
    try {
      if (signal?.aborted === true) throw aborted();
      return await this.check(task, deadlineMs, signal);
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await this.memory.close();
  }

  private async trial(language: Language): Promise<void> {
    const why = await new Promise<string | null>((resolve) => {
      if (process.platform !== 'linux') {
        resolve(`this is ${process.platform}, sandboxes need Linux`);
        return;
      }
      if (!(process.arch in MACHINES)) {
        resolve(
          `this is ${process.arch}, and its system calls are known for ${Object.keys(MACHINES).join(' and ')} only`,
        );
        return;
      }
      for (const needed of [this.bwrap, PRLIMIT])
        if (!existsSync(needed)) {
          resolve(`${needed} is not there`);
          return;
        }
      if (language === 'python' && !existsSync(this.python)) {
        resolve(`${this.python} is not there`);
        return;
      }
      const hello = language === 'python' ? ['-c', 'print("up")'] : ['-e', 'console.log("up")'];
      const child = this.spawn(language, hello, 256, 10_000, ['ignore', 'pipe', 'pipe']);
      let said = '';
      let complaint = '';
      child.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
      child.stderr!.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 500)));
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code) => resolve(said.trim() === 'up' ? null : `it ended with ${code}: ${complaint.trim()}`));
    });
    if (why !== null) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot verify by code@1: expected a sandbox for ${language} (bubblewrap with user namespaces, prlimit, the interpreter), got none: ${why}. Install bubblewrap and allow unprivileged user namespaces, or publish no problems with code@1; code is never run without a sandbox.`,
      );
    }
  }

  private check(task: CodeTask, deadlineMs: number, signal: AbortSignal | undefined): Promise<CodeResult> {
    const { language, code, timeLimitMs, memoryMb } = task;
    const run = (role: 'candidate' | 'judge'): readonly string[] => {
      if (language === 'python') return ['-I', '-S', '-c', source(`${role}.py`)];
      const text = source(`${role}.cjs`);
      // The judge rehearses in a worker with its own source.
      return [`--max-old-space-size=${Math.max(32, Math.floor(memoryMb / 2))}`, '-e', text, text];
    };
    const nonce = randomBytes(16).toString('hex');
    const judge = this.spawn(language, run('judge'), Math.max(JUDGE_MEMORY_MB, memoryMb), timeLimitMs, [
      'pipe',
      'ignore',
      'ignore',
      'pipe',
      'pipe',
    ]);
    const candidate = this.spawn(language, run('candidate'), memoryMb, timeLimitMs, [
      'pipe',
      'ignore',
      'ignore',
      'pipe',
    ]);
    const [toJudge, judgeSays, verdicts] = [judge.stdin!, judge.stdio[3] as Readable, judge.stdio[4] as Readable];
    const [toCandidate, candidateSays] = [candidate.stdin!, candidate.stdio[3] as Readable];

    return new Promise((resolve, reject) => {
      let isSettled = false;
      let timer = setTimeout(() => fail(`its sandboxes did not start within ${START_LIMIT_MS} ms`), START_LIMIT_MS);
      const deadline = setTimeout(() => fail(`expected a verdict within ${deadlineMs} ms, got none`), deadlineMs);
      const settle = (tell: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        clearTimeout(deadline);
        signal?.removeEventListener('abort', abort);
        // The first process of a sandbox takes all others with it.
        for (const child of [judge, candidate]) child.kill('SIGKILL');
        tell();
      };
      const pass = (passed: boolean, detail: string): void => settle(() => resolve({ passed, detail }));
      const fail = (why: string): void =>
        settle(() =>
          reject(new SeamError('VERIFIER_FAILED', `Cannot verify by code@1: ${why}. Nothing is said of the answer.`)),
        );
      const abort = (): void => settle(() => reject(aborted()));
      signal?.addEventListener('abort', abort, { once: true });

      let up = 0;
      const isUp = (): void => {
        if (++up < 2) return;
        clearTimeout(timer);
        timer = setTimeout(
          () => fail(`the tests ask nothing of an answer within ${timeLimitMs} ms`),
          Math.max(timeLimitMs, REHEARSAL_LIMIT_MS),
        );
        const { tests, inPlace, entryPoint } = task;
        toJudge.write(`${JSON.stringify({ tests, nonce, inPlace, ...(entryPoint === null ? {} : { entryPoint }) })}\n`);
      };
      // The tests can be used. Until here the answer has not been heard, so nothing was its fault; from here on everything is, but for
      // what happens to the machine.
      let isHeard = false;
      const isRehearsed = (): void => {
        isHeard = true;
        clearTimeout(timer);
        timer = setTimeout(() => pass(false, `the answer did not finish within ${timeLimitMs} ms`), timeLimitMs);
        toCandidate.write(`${JSON.stringify({ code })}\n`);
      };
      const unjudged = (detail: string): void => {
        if (isHeard) pass(false, detail);
        else fail(detail);
      };
      linesOf(verdicts, 1 << 16, (line) => {
        if (line === 'up') {
          isUp();
          return;
        }
        if (line === 'rehearsed' && !isHeard) {
          isRehearsed();
          return;
        }
        const verdict = readVerdict(line, nonce);
        if (verdict === null) unjudged('the tests gave no verdict');
        else if (verdict.status === 'broken') fail(verdict.detail);
        else pass(verdict.status === 'passed', verdict.detail);
      });
      relay(candidateSays, toJudge, isUp, () => pass(false, `the answer said more than ${CHANNEL_BYTES} bytes`));
      relay(judgeSays, toCandidate, null, () => unjudged(`the tests said more than ${CHANNEL_BYTES} bytes`));
      for (const stream of [toJudge, toCandidate, judgeSays, candidateSays, verdicts])
        stream.on('error', () => undefined);
      const own = language === 'python' ? 0 : NODE_MEMORY_MB;
      const watch = ({ pid }: ChildProcess, megabytes: number, tell: (held: string) => void): void => {
        const bytes = (megabytes + own) * 2 ** 20;
        if (pid !== undefined) this.memory.watch(pid, bytes, (held) => tell(`${Math.round(held / 2 ** 20)} MB`));
      };
      watch(candidate, memoryMb, (held) => pass(false, `the answer held ${held}, more than its ${memoryMb} MB`));
      watch(judge, Math.max(JUDGE_MEMORY_MB, memoryMb), (held) => unjudged(`the tests held ${held}`));
      judge.on('error', (error) => fail(error.message));
      candidate.on('error', (error) => fail(error.message));
      candidate.on('close', () => {
        if (up < 2) fail('the sandbox of the answer did not start');
        else toJudge.end();
      });
      judge.on('close', (status, killedBy) => {
        const detail = `the tests' process ended without a verdict (${killedBy ?? status})`;
        // Killed from outside is the machine's doing; every other end comes of what the answer gave the tests to do.
        if (killedBy !== null || status === KILLED) fail(detail);
        else unjudged(detail);
      });
    });
  }

  private spawn(
    language: Language,
    command: readonly string[],
    memoryMb: number,
    timeLimitMs: number,
    stdio: ('pipe' | 'ignore')[],
  ): ChildProcess {
    const interpreter = realpathSync(language === 'python' ? this.python : process.execPath);
    const inside = interpreter.startsWith('/usr/') ? interpreter : '/usr/bin/interpreter';
    const bytes = memoryMb * 2 ** 20;
    const cpuSeconds = Math.ceil(timeLimitMs / 1000) + 1;
    // V8 reserves far more addresses than it uses, so its limit is on data, of which it reserves 768 MB; Python's is on addresses.
    const memory = language === 'python' ? `--as=${bytes}` : `--data=${bytes + 768 * 2 ** 20}`;
    const filter = stdio.length;
    const child = spawn(
      this.bwrap,
      [
        ...['--seccomp', String(filter)],
        ...[
          '--unshare-user',
          '--unshare-pid',
          '--unshare-net',
          '--unshare-ipc',
          '--unshare-uts',
          '--unshare-cgroup-try',
        ],
        ...['--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--clearenv'],
        ...['--uid', String(NOBODY), '--gid', String(NOBODY), '--hostname', 'sandbox'],
        ...LIBRARIES.flatMap((path) => ['--ro-bind-try', path, path]),
        ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
        ...['--ro-bind', PRLIMIT, PRLIMIT, '--ro-bind', interpreter, inside],
        ...['--proc', '/proc', '--dev', '/dev', '--size', String(SCRATCH_BYTES), '--tmpfs', '/tmp', '--chdir', '/tmp'],
        ...['--remount-ro', '/dev', '--remount-ro', '/', '--setenv', 'LANG', 'C.UTF-8', '--'],
        ...[PRLIMIT, memory, `--nproc=${PROCESSES[language]}`, `--fsize=${FILE_BYTES}`, '--nofile=64', '--core=0'],
        // A separate signal comes first, so that running out of processor time does not look like being killed.
        ...[`--cpu=${cpuSeconds}:${cpuSeconds + 2}`, '--', inside, ...command],
      ],
      {
        stdio: [...stdio, 'pipe'],
        env: {},
        cwd: '/',
        // Root is exempt from the limit on processes, and has no business here.
        ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
      },
    );
    const toFilter = child.stdio[filter] as Writable;
    toFilter.on('error', () => undefined);
    toFilter.end(MACHINES[process.arch as Machine]());
    // Other checks and the service itself go first.
    if (child.pid !== undefined) setPriority(child.pid, 10);
    this.children.add(child);
    child.on('close', () => {
      this.children.delete(child);
      if (child.pid !== undefined) this.memory.forget(child.pid);
    });
    return child;
  }
}

const PRLIMIT = '/usr/bin/prlimit';
const MACHINES = { x64: () => systemCallFilter('x64'), arm64: () => systemCallFilter('arm64') };
const LIBRARIES = ['/usr/lib', '/usr/lib64'];

/** Lines up to a length; a longer one is a line that says nothing. */
function linesOf(stream: Readable, limit: number, onLine: (line: string) => void): void {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(0, limit);
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      onLine(line);
    }
  });
}

/** Bytes from one sandbox to the other, waiting where the other does not read; the first line may be for us. */
function relay(from: Readable, to: Writable, onFirstLine: (() => void) | null, onTooMuch: () => void): void {
  let total = 0;
  let isFirst = onFirstLine !== null;
  from.on('data', (chunk: Buffer) => {
    total += chunk.length;
    if (total > CHANNEL_BYTES) {
      from.destroy();
      onTooMuch();
      return;
    }
    let rest = chunk;
    if (isFirst) {
      const end = chunk.indexOf(10);
      if (end < 0) return; // ["up"] is shorter than any chunk
      isFirst = false;
      rest = chunk.subarray(end + 1);
      onFirstLine?.();
    }
    if (rest.length === 0 || to.destroyed || !to.writable) return;
    if (!to.write(rest)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  });
}

interface JudgeVerdict {
  readonly status: 'passed' | 'failed' | 'broken';
  readonly detail: string;
}

function readVerdict(line: string, nonce: string): JudgeVerdict | null {
  try {
    const verdict = JSON.parse(line) as { nonce?: unknown; status?: unknown; detail?: unknown };
    const { status, detail } = verdict;
    if (verdict.nonce !== nonce || typeof detail !== 'string') return null;
    return status === 'passed' || status === 'failed' || status === 'broken' ? { status, detail } : null;
  } catch {
    return null;
  }
}

const aborted = (): SeamError =>
  new SeamError('ABORTED', 'Cannot check code: it was aborted before there was a verdict.');
