/**
 * The system calls that code in a sandbox may make, as a seccomp filter: a program of the classic packet filter that the kernel runs
 * before each call (https://docs.kernel.org/userspace-api/seccomp_filter.html). What is not in the list is as if the kernel did not have
 * it (ENOSYS), so that libraries take their ways around it: memory outside the limits (memfd_create, System V), keyrings, io_uring,
 * userfaultfd, tracing, namespaces, mounts, other families of sockets than those within the sandbox (netlink, vsock, internet).
 *
 * An instruction is 8 bytes, little-endian:  | code 2 | jump if true 1 | jump if false 1 | k 4 |
 */

/** Number on x86-64 and on arm64, `-` where that machine has no such call (arch/x86/entry/syscalls, asm-generic/unistd.h). */
const ALLOWED = `
  read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69 pwritev:296:70
  preadv2:327:286 pwritev2:328:287 open:2:- openat:257:56 openat2:437:437 creat:85:- close:3:57
  close_range:436:436 stat:4:- fstat:5:80 lstat:6:- newfstatat:262:79 statx:332:291 statfs:137:43 fstatfs:138:44
  poll:7:- ppoll:271:73 select:23:- pselect6:270:72 lseek:8:62 mmap:9:222 mprotect:10:226 munmap:11:215
  mremap:25:216 madvise:28:233 brk:12:214 msync:26:227 mincore:27:232 rt_sigaction:13:134 rt_sigprocmask:14:135
  rt_sigreturn:15:139 rt_sigpending:127:136 rt_sigtimedwait:128:137 rt_sigsuspend:130:133 sigaltstack:131:132
  restart_syscall:219:128 access:21:- faccessat:269:48 faccessat2:439:439 pipe:22:- pipe2:293:59 dup:32:23
  dup2:33:- dup3:292:24 sched_yield:24:124 sched_getaffinity:204:123 sched_setaffinity:203:122
  sched_getparam:143:121 sched_getscheduler:145:120 sched_get_priority_max:146:125 sched_get_priority_min:147:126
  nanosleep:35:101 clock_nanosleep:230:115 clock_gettime:228:113 clock_getres:229:114 gettimeofday:96:169
  time:201:- getitimer:36:102 setitimer:38:103 alarm:37:- pause:34:- times:100:153 getrusage:98:165 sysinfo:99:179
  uname:63:160 getcpu:309:168 getpid:39:172 getppid:110:173 gettid:186:178 getuid:102:174 geteuid:107:175
  getgid:104:176 getegid:108:177 getgroups:115:158 getresuid:118:148 getresgid:120:150 getpgrp:111:-
  getpgid:121:155 getsid:124:156 setsid:112:157 setpgid:109:154 getpriority:140:141 bind:49:200 listen:50:201
  accept:43:202 accept4:288:242 connect:42:203 sendto:44:206 recvfrom:45:207 shutdown:48:210 getsockname:51:204
  getpeername:52:205 setsockopt:54:208 getsockopt:55:209 fork:57:- vfork:58:- execve:59:221 exit:60:93
  exit_group:231:94 wait4:61:260 waitid:247:95 kill:62:129 tgkill:234:131 fcntl:72:25 flock:73:32 fsync:74:82
  fdatasync:75:83 truncate:76:45 ftruncate:77:46 fallocate:285:47 getdents:78:- getdents64:217:61 getcwd:79:17
  chdir:80:49 fchdir:81:50 rename:82:- renameat:264:38 renameat2:316:276 mkdir:83:- mkdirat:258:34 rmdir:84:-
  unlink:87:- unlinkat:263:35 link:86:- linkat:265:37 symlink:88:- symlinkat:266:36 readlink:89:-
  readlinkat:267:78 chmod:90:- fchmod:91:52 fchmodat:268:53 utime:132:- utimes:235:- utimensat:280:88
  futimesat:261:- umask:95:166 getrlimit:97:163 setrlimit:160:164 prlimit64:302:261 sendfile:40:71
  copy_file_range:326:285 arch_prctl:158:- set_tid_address:218:96 set_robust_list:273:99 get_robust_list:274:100
  rseq:334:293 futex:202:98 membarrier:324:283 getrandom:318:278 epoll_create:213:- epoll_create1:291:20
  epoll_ctl:233:21 epoll_wait:232:- epoll_pwait:281:22 epoll_pwait2:441:441 eventfd:284:- eventfd2:290:19
`;

export type Machine = 'x64' | 'arm64';

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64, linux/audit.h. */
const ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const CONDITIONAL = {
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  clone: { x64: 56, arm64: 220 },
  ioctl: { x64: 16, arm64: 29 },
  prctl: { x64: 157, arm64: 167 },
} as const;

const AF_UNIX = 1;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. clone3 hides its flags from filters and is not there. */
const NEW_NAMESPACES = 0x7e020000;
/** TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. */
const IOCTLS = [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451];
/** PDEATHSIG, GET_DUMPABLE, SET_NAME, GET_NAME, SET_VMA. */
const PRCTLS = [1, 3, 15, 16, 0x53564d41];

const [ENOSYS, EPERM, EINVAL, ENOTTY, EAFNOSUPPORT] = [38, 1, 22, 25, 97];
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refuse = (errno: number): number => 0x00050000 | errno;

/** Offsets in seccomp_data: the call's number, the machine, the lower halves of two arguments. */
const [NUMBER, MACHINE, FIRST, SECOND] = [0, 4, 16, 24];

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, k: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const ifEqual = (k: number, jumpTrue: number, jumpFalse: number): Instruction => [0x15, jumpTrue, jumpFalse, k];
const ifAnyBit = (k: number, jumpTrue: number, jumpFalse: number): Instruction => [0x45, jumpTrue, jumpFalse, k];
const answer = (action: number): Instruction => [0x06, 0, 0, action];

/** Allows a call if the argument there has one of the values. */
function onlyWith(number: number, offset: number, values: readonly number[], otherwise: number): Instruction[] {
  const body = [load(offset), ...values.flatMap((each) => [ifEqual(each, 0, 1), answer(ALLOW)]), answer(otherwise)];
  return [ifEqual(number, 0, body.length), ...body];
}

/** The filter of a machine, as `bwrap --seccomp` reads it. */
export function systemCallFilter(machine: Machine): Buffer {
  const free = ALLOWED.trim()
    .split(/\s+/)
    .map((each) => each.split(':')[machine === 'x64' ? 1 : 2]!)
    .filter((number) => number !== '-')
    .map(Number);
  const { socket, socketpair, clone, ioctl, prctl } = CONDITIONAL;
  const program: Instruction[] = [
    load(MACHINE),
    // Another machine's calls (32 bits on x86-64) have other numbers.
    ifEqual(ARCHITECTURE[machine], 1, 0),
    answer(KILL),
    load(NUMBER),
    ...free.flatMap((number) => [ifEqual(number, 0, 1), answer(ALLOW)]),
    ...onlyWith(socket[machine], FIRST, [AF_UNIX], refuse(EAFNOSUPPORT)),
    ...onlyWith(socketpair[machine], FIRST, [AF_UNIX], refuse(EAFNOSUPPORT)),
    ...onlyWith(ioctl[machine], SECOND, IOCTLS, refuse(ENOTTY)),
    ...onlyWith(prctl[machine], FIRST, PRCTLS, refuse(EINVAL)),
    ...[
      ifEqual(clone[machine], 0, 4),
      load(FIRST),
      ifAnyBit(NEW_NAMESPACES, 1, 0),
      answer(ALLOW),
      answer(refuse(EPERM)),
    ],
    answer(refuse(ENOSYS)),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, jumpTrue, jumpFalse, k], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(jumpTrue, i * 8 + 2);
    bytes.writeUInt8(jumpFalse, i * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, i * 8 + 4);
  });
  return bytes;
}
