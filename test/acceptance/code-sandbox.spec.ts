/** Unit tests in sandboxes, and what answers try in order to get out of them. The sandboxes are real. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrap } from '@seamstream/dev-servers';
import { Verifiers } from '@seamstream/verifiers';

// As root, sandboxes run as an unprivileged user, who may not look into our cache.
const folder = await mkdtemp(join(tmpdir(), 'code-sandbox-'));
const bwrap = join(folder, 'bwrap');
await chmod(folder, 0o755);
await copyFile(await bubblewrap(), bwrap);

const verifiers = new Verifiers({ sandbox: { bwrap } });
afterAll(async () => {
  await verifiers.close();
  await rm(folder, { recursive: true });
});

const judge = (language: 'python' | 'javascript', code: string, tests: string, options: Record<string, string> = {}) =>
  verifiers.verify(
    { kind: 'code', version: '1', options: { language, timeLimitMs: '4000', ...options } },
    { text: `Like this:\n\`\`\`${language}\n${code}\n\`\`\`\n`, finished: true },
    tests,
  );

beforeAll(() => verifiers.proveSandbox(['python', 'javascript']));

describe('answers in Python', () => {
  it.each<[string, string, string, boolean]>([
    ['a right function', 'def add(a, b):\n    print("noise")\n    return a + b', 'assert add(1, 2) == 3', true],
    ['a wrong function', 'def add(a, b):\n    return a - b', 'assert add(1, 2) == 3', false],
    ['code that does not compile', 'def add(a, b:', 'assert add(1, 2) == 3', false],
    ['a missing function', 'x = 1', 'assert add(1, 2) == 3', false],
    [
      'HumanEval style',
      'def f(x):\n    return x * 2',
      'def check(candidate):\n    assert candidate(2) == 4\n\ncheck(f)',
      true,
    ],
    [
      'unittest style',
      'def f(x):\n    return x * 2',
      'import unittest\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(2), 4)\n    def test_g(self):\n        self.assertEqual(f(3), 6)',
      true,
    ],
    ['pytest style', 'def f(x):\n    return x * 2', 'def test_f():\n    assert f(2) == 5', false],
    [
      'classes and errors',
      'class P:\n    def __init__(self, x):\n        self.x = x\n    def get(self):\n        return self.x\ndef no():\n    raise ValueError("no")',
      'p = P(3)\nassert p.get() == 3 and p.x == 3 and isinstance(p, P)\ntry:\n    no()\n    raise AssertionError("no error")\nexcept ValueError:\n    pass',
      true,
    ],
    [
      'work in place',
      'def order(items):\n    items.sort()',
      'items = [3, 1, 2]\norder(items)\nassert items == [1, 2, 3]',
      true,
    ],
    ['callbacks', 'def twice(f, x):\n    return f(f(x))', 'assert twice(lambda x: x + 1, 2) == 4', true],
    [
      'rich values',
      'def f():\n    return {"a": (1, 2.5), "b": {1, 2}, 3: [None, True, b"x", "é"]}',
      'assert f() == {"a": (1, 2.5), "b": {1, 2}, 3: [None, True, b"x", "é"]}',
      true,
    ],
    ['generators', 'def f():\n    yield from range(3)', 'assert list(f()) == [0, 1, 2]', true],
  ])('%s', async (_, code, tests, success) => {
    expect((await judge('python', code, tests)).success).toBe(success);
  });
});

describe('answers in JavaScript', () => {
  it.each<[string, string, string, boolean]>([
    [
      'a right function',
      'function add(a, b) { console.log("noise"); return a + b; }',
      'assert.strictEqual(add(1, 2), 3)',
      true,
    ],
    ['a wrong function', 'const add = (a, b) => a - b;', 'assert.strictEqual(add(1, 2), 3)', false],
    ['code that does not compile', 'function (', 'assert.strictEqual(add(1, 2), 3)', false],
    ['exports', 'module.exports = { f: (x) => x * 2 };', 'assert.strictEqual(f(2), 4)', true],
    ['named tests', 'const f = (x) => x * 2;', "test('doubles', () => { assert.strictEqual(f(2), 5); });", false],
    [
      'classes, errors and promises',
      'class P { constructor(x) { this.x = x; } get() { return this.x; } }\nconst later = async (x) => x + 1;\nfunction no() { throw new TypeError("no"); }\nfunction* count() { yield 1; yield 2; }',
      'const p = new P(4);\nassert.strictEqual(p.get(), 4);\nassert(p instanceof P);\nassert.strictEqual(await later(1), 2);\nassert.throws(() => no(), TypeError);\nassert.deepStrictEqual([...count()], [1, 2]);',
      true,
    ],
    [
      'work in place',
      'const order = (items) => { items.sort(); };',
      'const items = [3, 1];\norder(items);\nassert.deepStrictEqual(items, [1, 3]);',
      true,
    ],
    [
      'rich values',
      'const f = () => ({ a: [1, null, "é"], m: new Map([[1, 2]]), s: new Set([1]), n: 5n });',
      'assert.deepStrictEqual(f(), { a: [1, null, "é"], m: new Map([[1, 2]]), s: new Set([1]), n: 5n });',
      true,
    ],
  ])('%s', async (_, code, tests, success) => {
    expect((await judge('javascript', code, tests)).success).toBe(success);
  });
});

describe('what says nothing of the answer', () => {
  it.each<['python' | 'javascript', string, string]>([
    ['python', 'tests that do not compile', 'assert f( =='],
    ['python', 'tests that need what is not there', 'import numpy'],
    ['javascript', 'tests that do not compile', 'assert.strictEqual(f(, 1)'],
    ['javascript', 'tests that need what is not there', "require('lodash')"],
  ])('%s: %s is VERIFIER_FAILED', async (language, _, tests) => {
    const code = language === 'python' ? 'def f():\n    return 1' : 'const f = () => 1;';
    await expect(judge(language, code, tests)).rejects.toMatchObject({ code: 'VERIFIER_FAILED' });
  });

  it('is not to be had by an answer: errors that it raises are its failures', async () => {
    const raising = 'def f():\n    raise ImportError("numpy")';
    expect(await judge('python', raising, 'assert f() == 1')).toMatchObject({ success: false });
    const throwing = 'function f() { throw new SyntaxError("tests.js"); }';
    expect(await judge('javascript', throwing, 'assert.strictEqual(f(), 1)')).toMatchObject({ success: false });
  });
});

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};
/** All processes below one. */
function descendants(pid: number): number[] {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const children = threads.flatMap((each) => textOf(`/proc/${pid}/task/${each}/children`).split(' ').filter(Boolean));
  return children.map(Number).flatMap((child) => [child, ...descendants(child)]);
}
const kilobytesIn = (text: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
const heldBytes = (pid: number): number => {
  const status = textOf(`/proc/${pid}/status`);
  return (kilobytesIn(status, 'RssAnon') + kilobytesIn(status, 'RssShmem')) * 1024;
};
const meminfo = (field: string): number => kilobytesIn(textOf('/proc/meminfo'), field) * 1024;

describe('attempts to escape', () => {
  let server: Server;
  let port = 0;
  let connections = 0;
  beforeAll(async () => {
    server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    port = (server.address() as { port: number }).port;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const python = (body: string): string =>
    `import os, sys, ctypes, socket, signal, time\ndef f():\n${body.replaceAll(/^/gm, '    ')}`;
  /** The body answers a list of what it achieved. */
  it.each<[string, string]>([
    [
      'reading files of the machine',
      'got = []\nfor p in ("/etc/passwd", "/etc/shadow", "/root", "/home", "REPOSITORY", "/var/log", "/usr/bin/env", "/sys/kernel"):\n    if os.path.exists(p): got.append(p)\nreturn got',
    ],
    [
      'symbolic links out of the scratch folder',
      'got = []\nfor i, root in enumerate(("", os.path.join("/proc", "1", "root"), os.path.join("/proc", "self", "root/../.."), "../../../..")):\n    os.symlink(root + "/etc/passwd", f"/tmp/l{i}")\n    try:\n        got.append(open(f"/tmp/l{i}").read())\n    except OSError: pass\nreturn got',
    ],
    [
      'writing outside of the scratch folder',
      'got = []\nfor p in ("/x", "/usr/lib/x", "/dev/shm/x", "/dev/x", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):\n    try:\n        open(p, "w").write("x")\n        got.append(p)\n    except OSError: pass\nreturn got',
    ],
    [
      'a socket to the machine',
      'got = []\nfor host in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "1.1.1.1"):\n    try:\n        socket.create_connection((host, PORT), 0.3)\n        got.append(host)\n    except OSError: pass\ntry:\n    got.append(socket.gethostbyname("example.org"))\nexcept OSError: pass\nreturn got',
    ],
    [
      '10 GB of memory',
      'try:\n    x = bytearray(10 * 2**30)\n    return ["10 GB"]\nexcept MemoryError:\n    return []',
    ],
    [
      'a huge file',
      'try:\n    with open("/tmp/x", "wb") as h:\n        for _ in range(2000): h.write(bytes(2**20))\n    return ["2 GB"]\nexcept OSError:\n    return []',
    ],
    [
      'many files',
      'try:\n    for i in range(200):\n        with open(f"/tmp/{i}", "wb") as h: h.write(bytes(2**20))\n    return ["200 MB"]\nexcept OSError:\n    return []',
    ],
    [
      'a separate namespace',
      'libc = ctypes.CDLL(None)\nreturn [hex(flag) for flag in (0x10000000, 0x40000000, 0x20000, 0x20000000) if libc.unshare(flag) == 0]',
    ],
    [
      'privileges',
      'got = []\nfor rule in (lambda: os.setuid(0), lambda: os.chroot("/tmp"), lambda: os.nice(-5)):\n    try:\n        rule()\n        got.append("done")\n    except OSError: pass\nif os.getuid() == 0: got.append("root")\nif "CapEff:\\t0000000000000000" not in open("/proc/self/status").read(): got.append("capabilities")\nreturn got',
    ],
    [
      'signals to other processes',
      'got = []\nfor p in [int(p) for p in os.listdir("/proc") if p.isdigit()]:\n    if p not in (1, os.getpid()): got.append(p)\ntry:\n    os.kill(1, 9)\nexcept OSError: pass\nreturn got',
    ],
    [
      'ptrace of what is not its own',
      'libc = ctypes.CDLL(None)\nreturn [p for p in range(3, 5000) if libc.ptrace(16, p, 0, 0) == 0]',
    ],
    [
      'the tests in memory or on command lines',
      // eslint-disable-next-line house/plain-words -- the text of an attack
      'got = []\nneedle = bytes(c - 1 for c in b"FYQFDUFE`5822")\nfor p in [p for p in os.listdir("/proc") if p.isdigit()]:\n    for name in ("cmdline", "environ"):\n        try:\n            if needle in open(f"/proc/{p}/{name}", "rb").read(): got.append(p)\n        except OSError: pass\nlooked = 0\nfor line in open("/proc/self/maps"):\n    low, high = (int(x, 16) for x in line.split()[0].split("-"))\n    if "rw" not in line or high - low > 2**26: continue\n    try:\n        with open("/proc/self/mem", "rb") as mem:\n            mem.seek(low)\n            found = mem.read(high - low)\n    except (OSError, ValueError, OverflowError): continue\n    looked += 1\n    at = found.find(needle)\n    while at >= 0:\n        # The needle itself is somewhere; the tests go on after it.\n        if found[at + 13:at + 17] == b" = 1": got.append(line)\n        at = found.find(needle, at + 1)\n    del found\nif looked == 0: got.append("looked nowhere")\nreturn got',
    ],
    ['the environment', 'return [k for k in os.environ if k not in ("LANG", "PWD", "LC_CTYPE")]'],
  ])('%s gets nowhere', async (_, body) => {
    const code = python(body).replace('PORT', String(port)).replace('REPOSITORY', process.cwd());
    const verdict = await judge('python', code, 'EXPECTED_4711 = 1\ngot = f()\nassert got == [], str(got)', {
      memoryMb: '512',
    });
    expect(verdict).toMatchObject({ success: true, detail: 'all tests passed' });
    expect(connections).toBe(0);
  });

  it.each<[string, string]>([
    ['leaving with status 0', 'import os\nos._exit(0)'],
    ['leaving with status 0 when called', 'import os\ndef f(): os._exit(0)'],
    [
      'writing a verdict wherever it can',
      'import os\nfor fd in range(64):\n    try: os.write(fd, b\'{"nonce":"","status":"passed","detail":""}\\n\')\n    except OSError: pass\ndef f(): return 0',
    ],
    ['printing a verdict', 'print(\'{"status":"passed"}\')\ndef f(): return 0'],
    [
      'a value that equals everything',
      'class E:\n    def __eq__(self, other): return True\n    def __sub__(self, other): return 0\n    def __lt__(self, other): return True\ndef f(): return E()',
    ],
    [
      'a number that equals everything',
      'class E(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\ndef f(): return E(0)',
    ],
    [
      'names of the tests',
      'class AssertionError(Exception): pass\ndef assertEqual(*a): pass\nresult = status = "passed"\ndef f(): return 0',
    ],
    ['an exit that looks like success', 'def f(): raise SystemExit(0)'],
    ['an endless loop', 'while True: pass'],
    ['an endless sleep', 'import time\ntime.sleep(10**6)'],
    ['a fork bomb', 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass'],
    ['a flood of output', 'import os\nwhile True: os.write(1, b"x" * 65536)'],
    [
      'a flood in the channel',
      'import os\nfor fd in range(3, 16):\n    try:\n        while True: os.write(fd, b"x" * 65536)\n    except OSError: pass',
    ],
    [
      'memory in many processes',
      'import os\nwhile True:\n    try:\n        if os.fork() == 0: x = bytearray(2**27)\n    except (OSError, MemoryError): pass',
    ],
  ])('%s is a failure', async (_, code) => {
    const startedAt = performance.now();
    expect(await judge('python', code, 'assert f() == 42', { timeLimitMs: '1500' })).toMatchObject({ success: false });
    // Beyond its time: the start of two sandboxes on a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(1500 + 10_000);
  });

  it.each<[string, string]>([
    ['leaving with status 0', 'process.exit(0)'],
    [
      'a changed prototype',
      'Object.prototype.equals = () => true; Array.prototype.toJSON = () => ["f", "42"]; function f() { return 0; }',
    ],
    [
      'a value with a say in its comparison',
      'function f() { return { valueOf: () => 42, toString: () => "42", [Symbol.toPrimitive]: () => 42 }; }',
    ],
    ['an endless loop', 'for (;;);'],
    [
      '10 GB of memory',
      'const all = []; for (let i = 0; i < 10240; i++) all.push(Buffer.alloc(2 ** 20, 1)); function f() { return 42; }',
    ],
    ['a heap without end', 'const all = []; for (;;) all.push(new Array(1e5).fill({}));'],
    [
      'processes without end',
      'for (;;) { try { require("child_process").spawn(process.execPath, ["-e", "for(;;);"]); } catch {} }',
    ],
    ['files of the machine', 'const f = () => (require("fs").existsSync("/etc/passwd") ? 42 : 0);'],
  ])('in JavaScript, %s is a failure', async (_, code) => {
    expect(await judge('javascript', code, 'assert.strictEqual(f(), 42)', { timeLimitMs: '2500' })).toMatchObject({
      success: false,
    });
  });

  it('the kernel has only what code needs: no memory outside of processes, no keyrings, no other sockets, no tracing', async () => {
    const calls = `import platform
libc = ctypes.CDLL(None, use_errno=True)
x64 = platform.machine() == "x86_64"
got = []
for name, number, args in (
    ("memfd_create", 319 if x64 else 279, (b"x", 0)), ("memfd_secret", 447, (0,)), ("userfaultfd", 323 if x64 else 282, (0,)),
    ("io_uring_setup", 425, (8, ctypes.create_string_buffer(256))), ("add_key", 248 if x64 else 217, (b"user", b"a", b"b", 1, -2)),
    ("keyctl", 250 if x64 else 219, (0, -3, 1)), ("shmget", 29 if x64 else 194, (0, 4096, 0o1600)), ("msgget", 68 if x64 else 186, (0, 0o1600)),
    ("ptrace", 101 if x64 else 117, (0, 0, 0, 0)), ("bpf", 321 if x64 else 280, (0, 0, 0)), ("perf_event_open", 298 if x64 else 241, (0, 0, 0, 0, 0)),
    ("unshare", 272 if x64 else 97, (0x10000000,)), ("clone with a user namespace", 56 if x64 else 220, (0x10000011, 0, 0, 0, 0)),
):
    number = libc.syscall(number, *args)
    if number == 0 and name.startswith("clone"): os._exit(0)
    if number >= 0: got.append(name)
for family in (2, 10, 16, 17, 38, 40):
    try:
        socket.socket(family, 3 if family in (16, 17) else 1)
        got.append(f"sockets of family {family}")
    except OSError: pass
if "Seccomp:\t2" not in open("/proc/self/status").read(): got.append("no filter")
return got`;
    expect(await judge('python', python(calls), 'got = f()\nassert got == [], str(got)')).toMatchObject({
      success: true,
      detail: 'all tests passed',
    });
  });

  it.each<[string, 'python' | 'javascript', string]>([
    [
      '50 files in memory',
      'python',
      'import os\ndef f():\n    kept = []\n    for _ in range(50):\n        d = os.memfd_create("x")\n        for _ in range(16): os.write(d, b"x" * 2**20)\n        kept.append(d)\n    return len(kept)',
    ],
    [
      'six processes',
      'python',
      'import os, time\ndef f():\n    for _ in range(6):\n        if os.fork() == 0:\n            x = bytearray(os.urandom(1) * (100 * 2**20))\n            time.sleep(60)\n    time.sleep(60)\n    return 50',
    ],
    [
      'shared pages without a file',
      'python',
      'import mmap, os, time\ndef f():\n    for _ in range(6):\n        if os.fork() == 0:\n            m = mmap.mmap(-1, 110 * 2**20)\n            for i in range(0, len(m), 4096): m[i] = 1\n            time.sleep(60)\n    time.sleep(60)\n    return 50',
    ],
    [
      'children of threads',
      'python',
      'import os, threading, time\ndef hold():\n    for _ in range(5):\n        if os.fork() == 0:\n            x = bytearray(b"x") * (36 * 2**20)\n            time.sleep(60)\n    time.sleep(60)\ndef f():\n    threading.Thread(target=hold).start()\n    time.sleep(60)\n    return 50',
    ],
    [
      'buffers outside of the heap, in eight processes',
      'javascript',
      'const { spawn } = require("child_process");\nfunction f() { for (let i = 0; i < 8; i++) spawn(process.execPath, ["-e", "const a = []; setInterval(() => a.push(Buffer.alloc(2 ** 24, 1)), 1)"]); const a = []; for (;;) a.push(Buffer.alloc(2 ** 20, 1)); }',
    ],
  ])('%s cost the machine little more than the memory of one answer', async (_, language, code) => {
    const before = descendants(process.pid);
    const sharedBefore = meminfo('Shmem');
    let most = 0;
    let mostShared = 0;
    const sampling = setInterval(() => {
      const own = descendants(process.pid).filter((pid) => !before.includes(pid));
      most = Math.max(
        most,
        own.map(heldBytes).reduce((sum, each) => sum + each, 0),
      );
      mostShared = Math.max(mostShared, meminfo('Shmem') - sharedBefore);
    }, 20);
    const verdict = await judge(language, code, language === 'python' ? 'assert f() == 50' : 'assert(f() === 50)', {
      memoryMb: '128',
      timeLimitMs: '6000',
    });
    clearInterval(sampling);
    expect(verdict.success).toBe(false);
    // The answer's 128 MB, Node's own 96 MB, the tests' process, and what is taken between two looks.
    const MB = 2 ** 20;
    expect(most).toBeGreaterThan(4 * MB);
    expect(most).toBeLessThan(500 * MB);
    expect(mostShared).toBeLessThan(500 * MB);
    // They would sleep until the time is over, were they not seen.
    if (code.includes('threading')) expect(verdict.detail).toMatch(/ held \d+ MB/);
  });

  it('nothing of a run is left for the next, neither files nor processes', async () => {
    const code = python(
      'pid = os.fork()\nif pid == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(98765)\n    os._exit(0)\nopen("/tmp/left", "w").write("x")\nreturn os.listdir("/tmp")',
    );
    for (let run = 0; run < 2; run++) {
      expect(await judge('python', code, 'assert f() == ["left"]')).toMatchObject({ success: true });
    }
    const leftovers = (): string[] =>
      readdirSync('/proc')
        .filter((each) => /^\d+$/.test(each))
        .filter((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('# Runs an answer');
          } catch {
            return false;
          }
        });
    for (let tries = 0; tries < 100 && leftovers().length > 0; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(leftovers()).toEqual([]);
  });

  it('block nothing: the event loop continues and the service holds no more memory than before', async () => {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    const before = process.memoryUsage.rss();
    const startedAt = performance.now();
    await judge('python', 'import os\nwhile True: os.write(1, b"x" * 65536)', 'assert f()', { timeLimitMs: '1500' });
    const tookMs = performance.now() - startedAt;
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(tookMs / 20 / 4);
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 2 ** 20);
  });
});
