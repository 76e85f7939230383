/** What a sandbox is: the walls and the limits of one program, as a command for bubblewrap. */
export type Language = 'python' | 'javascript';

/** A program to run behind walls. */
export interface SandboxedProgram {
  readonly language: Language;
  /** The interpreter on this machine, without links. */
  readonly interpreter: string;
  /** The interpreter's arguments. */
  readonly command: readonly string[];
  readonly memoryMb: number;
  readonly timeLimitMs: number;
  /** The descriptor that the list of system calls is read from. */
  readonly filter: number;
}

const SCRATCH_BYTES = 16 << 20;
const FILE_BYTES = 16 << 20;
/** The user that a sandbox runs as. */
export const NOBODY = 65_534;
/** Threads and processes. V8 itself starts a dozen threads. */
const PROCESSES = { python: 8, javascript: 32 } as const;
export const PRLIMIT = '/usr/bin/prlimit';
const LIBRARIES = ['/usr/lib', '/usr/lib64'];

/** The arguments of bubblewrap for a program. */
export function sandboxCommand({
  language,
  interpreter,
  command,
  memoryMb,
  timeLimitMs,
  filter,
}: SandboxedProgram): readonly string[] {
  const inside = interpreter.startsWith('/usr/') ? interpreter : '/usr/bin/interpreter';
  const bytes = memoryMb * 2 ** 20;
  const cpuSeconds = Math.ceil(timeLimitMs / 1000) + 1;
  // V8 reserves far more addresses than it uses, so its limit is on data, of which it reserves 768 MB; Python's is on addresses.
  const memory = language === 'python' ? `--as=${bytes}` : `--data=${bytes + 768 * 2 ** 20}`;
  return [
    ...['--seccomp', String(filter)],
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
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
  ];
}
