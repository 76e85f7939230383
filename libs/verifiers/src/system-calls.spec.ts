/** What the filter answers, found out by running it as the kernel does; test/acceptance/code-sandbox.spec.ts has what the kernel answers. */
import { type Machine, systemCallFilter } from './system-calls.js';

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (number: number): number => 0x00050000 | number;
const [EPERM, EINVAL, ENOTTY, ENOSYS, EAFNOSUPPORT] = [1, 22, 25, 38, 97];
const ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

const PROGRAMS = { x64: systemCallFilter('x64'), arm64: systemCallFilter('arm64') } as const;

describe.each<Machine>(['x64', 'arm64'])('the filter of system calls on %s', (machine) => {
  const number = (x64: number, arm64: number): number => (machine === 'x64' ? x64 : arm64);

  it.each<[string, number, number]>([
    ['read', 0, 63],
    ['openat', 257, 56],
    ['mmap', 9, 222],
    ['futex', 202, 98],
    ['execve', 59, 221],
    ['exit_group', 231, 94],
    ['getrandom', 318, 278],
    ['rseq', 334, 293],
  ])('allows %s', (_, x64, arm64) => {
    expect(ask(machine, number(x64, arm64))).toBe(ALLOW);
  });

  it.each<[string, number, number]>([
    ['memfd_create', 319, 279],
    ['memfd_secret', 447, 447],
    ['userfaultfd', 323, 282],
    ['io_uring_setup', 425, 425],
    ['add_key', 248, 217],
    ['request_key', 249, 218],
    ['keyctl', 250, 219],
    ['shmget', 29, 194],
    ['msgget', 68, 186],
    ['mq_open', 240, 180],
    ['ptrace', 101, 117],
    ['process_vm_readv', 310, 270],
    ['bpf', 321, 280],
    ['perf_event_open', 298, 241],
    ['unshare', 272, 97],
    ['setns', 308, 268],
    ['mount', 165, 40],
    ['clone3', 435, 435],
    ['seccomp', 317, 277],
    ['sendmsg', 46, 211],
    ['execveat', 322, 281],
    ['splice', 275, 76],
    ['vmsplice', 278, 75],
    ['a call that does not exist yet', 999, 999],
  ])('has no %s', (_, x64, arm64) => {
    expect(ask(machine, number(x64, arm64))).toBe(errno(ENOSYS));
  });

  it('allows sockets within the sandbox and none of the 45 other families', () => {
    for (const call of [number(41, 198), number(53, 199)]) {
      expect(ask(machine, call, [1])).toBe(ALLOW);
      for (let family = 0; family < 46; family++)
        if (family !== 1) expect(ask(machine, call, [family])).toBe(errno(EAFNOSUPPORT));
    }
  });

  it('allows processes and threads, and none with a separate namespace', () => {
    const clone = number(56, 220);
    expect(ask(machine, clone, [17])).toBe(ALLOW);
    // What pthread_create asks for.
    expect(ask(machine, clone, [0x3d0f00])).toBe(ALLOW);
    for (const flag of [0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
      expect(ask(machine, clone, [17 | flag])).toBe(errno(EPERM));
  });

  it('allows asking a descriptor for its kind, and not pushing keys into a terminal', () => {
    expect(ask(machine, number(16, 29), [0, 0x5401])).toBe(ALLOW);
    expect(ask(machine, number(16, 29), [0, 0x5412])).toBe(errno(ENOTTY));
  });

  it('allows naming a thread, and no other filter or capability', () => {
    expect(ask(machine, number(157, 167), [15])).toBe(ALLOW);
    for (const option of [22, 23, 24, 38, 47]) expect(ask(machine, number(157, 167), [option])).toBe(errno(EINVAL));
  });

  it('ends a process that speaks the calls of another machine', () => {
    for (const other of [0x40000003, 0x40000028, ARCHITECTURE[machine === 'x64' ? 'arm64' : 'x64']])
      expect(ask(machine, 0, [], other)).toBe(KILL);
  });

  it('has an answer for every number, and the same for one with the bit of the x32 calls as for one that is not there', () => {
    for (let call = 0; call < 1024; call++) {
      ask(machine, call);
      expect(ask(machine, (call | 0x40000000) >>> 0)).toBe(errno(ENOSYS));
    }
  });
});

/** The packet filter of seccomp(2): only the instructions that there are, and every jump within the program. */
function ask(machine: Machine, number: number, args: readonly number[] = [], architecture?: number): number {
  const program = PROGRAMS[machine];
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture ?? ARCHITECTURE[machine], 4);
  args.forEach((each, i) => data.writeUInt32LE(each >>> 0, 16 + 8 * i));
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; ) {
    const code = program.readUInt16LE(at * 8);
    const k = program.readUInt32LE(at * 8 + 4);
    const [jumpTrue, jumpFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    at += 1;
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15) at += accumulator === k ? jumpTrue : jumpFalse;
    else if (code === 0x45) at += (accumulator & k) !== 0 ? jumpTrue : jumpFalse;
    else if (code === 0x06) return k;
    else throw new Error(`no instruction ${code}`);
  }
  throw new Error('the program runs over its end');
}
