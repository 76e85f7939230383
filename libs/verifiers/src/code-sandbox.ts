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
import type { CodeResult, CodeTask } from './code-task.js';
import { readVerdict } from './judge-verdict.js';
import { MemoryWatch } from './memory-watch.js';
import { type Language, NOBODY, PRLIMIT, sandboxCommand } from './sandbox-command.js';
import { type Machine, systemCallFilter } from './system-calls.js';

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
/** What answer and tests may say to each other. */
const CHANNEL_BYTES = 32 << 20;

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
    const { language, timeLimitMs, memoryMb } = task;
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
    return new RunningCheck(task, nonce, { judge, candidate }, this.memory).verdict(deadlineMs, signal);
  }

  private spawn(
    language: Language,
    command: readonly string[],
    memoryMb: number,
    timeLimitMs: number,
    stdio: ('pipe' | 'ignore')[],
  ): ChildProcess {
    const interpreter = realpathSync(language === 'python' ? this.python : process.execPath);
    const filter = stdio.length;
    const walls = sandboxCommand({ language, interpreter, command, memoryMb, timeLimitMs, filter });
    const child = spawn(this.bwrap, walls, {
      stdio: [...stdio, 'pipe'],
      env: {},
      cwd: '/',
      // Root is exempt from the limit on processes, and has no business here.
      ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    });
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

/** One check under way: what the two sandboxes say, and the verdict that comes of it. */
class RunningCheck {
  private readonly result = Promise.withResolvers<CodeResult>();
  private isSettled = false;
  private sandboxesUp = 0;
  /**
   * The tests can be used. Until here the answer has not been heard, so nothing was its fault; from here on everything is, but for what
   * happens to the machine.
   */
  private isHeard = false;
  private timer: NodeJS.Timeout | undefined;
  private whenSettled: () => void = () => undefined;

  constructor(
    private readonly task: CodeTask,
    private readonly nonce: string,
    private readonly sandboxes: { readonly judge: ChildProcess; readonly candidate: ChildProcess },
    private readonly memory: MemoryWatch,
  ) {}

  verdict(deadlineMs: number, signal: AbortSignal | undefined): Promise<CodeResult> {
    this.within(START_LIMIT_MS, () => this.fail(`its sandboxes did not start within ${START_LIMIT_MS} ms`));
    const deadline = setTimeout(() => this.fail(`expected a verdict within ${deadlineMs} ms, got none`), deadlineMs);
    const abort = (): void => this.settle(() => this.result.reject(aborted()));
    signal?.addEventListener('abort', abort, { once: true });
    this.whenSettled = () => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    };
    this.listen();
    this.watchMemory();
    this.watchEnds();
    return this.result.promise;
  }

  private within(ms: number, otherwise: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(otherwise, ms);
  }

  private settle(tell: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.timer);
    this.whenSettled();
    // The first process of a sandbox takes all others with it.
    for (const child of [this.sandboxes.judge, this.sandboxes.candidate]) child.kill('SIGKILL');
    tell();
  }

  private pass(passed: boolean, detail: string): void {
    this.settle(() => this.result.resolve({ passed, detail }));
  }

  private fail(why: string): void {
    this.settle(() =>
      this.result.reject(
        new SeamError('VERIFIER_FAILED', `Cannot verify by code@1: ${why}. Nothing is said of the answer.`),
      ),
    );
  }

  private unjudged(detail: string): void {
    if (this.isHeard) this.pass(false, detail);
    else this.fail(detail);
  }

  private listen(): void {
    const { judge, candidate } = this.sandboxes;
    const [toJudge, judgeSays, verdicts] = [judge.stdin!, judge.stdio[3] as Readable, judge.stdio[4] as Readable];
    const [toCandidate, candidateSays] = [candidate.stdin!, candidate.stdio[3] as Readable];
    const isUp = (): void => this.isUp(toJudge);
    linesOf(verdicts, 1 << 16, (line) => {
      if (line === 'up') isUp();
      else if (line === 'rehearsed' && !this.isHeard) this.isRehearsed(toCandidate);
      else this.judged(line);
    });
    const tooMuch = `said more than ${CHANNEL_BYTES} bytes`;
    relay(candidateSays, toJudge, isUp, () => this.pass(false, `the answer ${tooMuch}`));
    relay(judgeSays, toCandidate, null, () => this.unjudged(`the tests ${tooMuch}`));
    for (const stream of [toJudge, toCandidate, judgeSays, candidateSays, verdicts])
      stream.on('error', () => undefined);
  }

  private isUp(toJudge: Writable): void {
    if (++this.sandboxesUp < 2) return;
    const { tests, inPlace, entryPoint, timeLimitMs } = this.task;
    this.within(Math.max(timeLimitMs, REHEARSAL_LIMIT_MS), () =>
      this.fail(`the tests ask nothing of an answer within ${timeLimitMs} ms`),
    );
    const named = entryPoint === null ? {} : { entryPoint };
    toJudge.write(`${JSON.stringify({ tests, nonce: this.nonce, inPlace, ...named })}\n`);
  }

  private isRehearsed(toCandidate: Writable): void {
    const { code, timeLimitMs } = this.task;
    this.isHeard = true;
    this.within(timeLimitMs, () => this.pass(false, `the answer did not finish within ${timeLimitMs} ms`));
    toCandidate.write(`${JSON.stringify({ code })}\n`);
  }

  private judged(line: string): void {
    const verdict = readVerdict(line, this.nonce);
    if (verdict === null) this.unjudged('the tests gave no verdict');
    else if (verdict.status === 'broken') this.fail(verdict.detail);
    else this.pass(verdict.status === 'passed', verdict.detail);
  }

  private watchMemory(): void {
    const { language, memoryMb } = this.task;
    const own = language === 'python' ? 0 : NODE_MEMORY_MB;
    const watch = ({ pid }: ChildProcess, megabytes: number, tell: (held: string) => void): void => {
      const bytes = (megabytes + own) * 2 ** 20;
      if (pid !== undefined) this.memory.watch(pid, bytes, (held) => tell(`${Math.round(held / 2 ** 20)} MB`));
    };
    watch(this.sandboxes.candidate, memoryMb, (held) =>
      this.pass(false, `the answer held ${held}, more than its ${memoryMb} MB`),
    );
    watch(this.sandboxes.judge, Math.max(JUDGE_MEMORY_MB, memoryMb), (held) => this.unjudged(`the tests held ${held}`));
  }

  private watchEnds(): void {
    const { judge, candidate } = this.sandboxes;
    judge.on('error', (error) => this.fail(error.message));
    candidate.on('error', (error) => this.fail(error.message));
    candidate.on('close', () => {
      if (this.sandboxesUp < 2) this.fail('the sandbox of the answer did not start');
      else judge.stdin!.end();
    });
    judge.on('close', (status, killedBy) => {
      const detail = `the tests' process ended without a verdict (${killedBy ?? status})`;
      // Killed from outside is the machine's doing; every other end comes of what the answer gave the tests to do.
      if (killedBy !== null || status === KILLED) this.fail(detail);
      else this.unjudged(detail);
    });
  }
}

const MACHINES = { x64: () => systemCallFilter('x64'), arm64: () => systemCallFilter('arm64') };

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

const aborted = (): SeamError =>
  new SeamError('ABORTED', 'Cannot check code: it was aborted before there was a verdict.');
