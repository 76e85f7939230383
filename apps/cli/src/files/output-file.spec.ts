import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandRuntime } from '../command-runtime.js';
import { EXIT } from '../exit-codes.js';
import { processShell } from '../process-runtime.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'output-file-'));
  path = join(folder, 'out.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const shell = processShell();
/** Does something as one command. */
async function command<T>(act: (runtime: CommandRuntime) => Promise<T>): Promise<T> {
  let result: T | undefined;
  await shell.withRuntime({}, async (runtime) => {
    result = await act(runtime);
    return EXIT.ok;
  });
  return result as T;
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;
const text = (file: string): string => readFileSync(file, 'utf8');
const parts = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.part'));
/** Each way to a file, as commands have them. */
const WAYS = {
  check: (runtime: CommandRuntime, replace: boolean) => runtime.checkOutput(path, { replace }),
  write: (runtime: CommandRuntime, replace: boolean) => runtime.writeOutput(path, Buffer.from('new\n'), { replace }),
  async grow(runtime: CommandRuntime, replace: boolean) {
    const output = await runtime.growOutput(path, { replace });
    await output.append('new\n');
    await output.finish();
  },
};
const ways = Object.keys(WAYS) as (keyof typeof WAYS)[];

describe.each(ways)('an output (%s)', (way) => {
  const refused = (replace: boolean): Promise<unknown> =>
    command((runtime) => WAYS[way](runtime, replace)).then(
      () => 'written',
      (error: unknown) => error,
    );

  it('takes no file’s place unless that is asked for', async () => {
    await writeFile(path, 'mine');
    expect(await refused(false)).toMatchObject({
      code: 'CONFLICT',
      message: `Cannot write ${path}: expected no file of that name, got one. Choose another name, or replace it (--force).`,
    });
    expect(text(path)).toBe('mine');
    expect(await refused(true)).toBe('written');
    expect(text(path)).toBe(way === 'check' ? 'mine' : 'new\n');
    expect(parts()).toEqual([]);
  });

  it('takes the place of nothing but a plain file, with any options', async () => {
    await mkdir(path);
    for (const replace of [false, true])
      expect(await refused(replace)).toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('expected a plain file or none, got a folder.'),
      });
    await rm(path, { recursive: true });
    await writeFile(join(folder, 'elsewhere'), 'mine');
    for (const target of ['elsewhere', 'nowhere']) {
      await symlink(join(folder, target), path);
      for (const replace of [false, true])
        expect(await refused(replace)).toMatchObject({
          code: 'INVALID_INPUT',
          message: expect.stringContaining('expected a plain file or none, got a link.'),
        });
      await rm(path);
    }
    expect(text(join(folder, 'elsewhere'))).toBe('mine');
    expect(readdirSync(folder)).toEqual(['elsewhere']);
  });

  it('is never a file that the command reads, under any name', async () => {
    const input = join(folder, 'in.jsonl');
    await writeFile(input, 'questions');
    for (const name of [(): Promise<void> => link(input, path), (): Promise<void> => symlink(input, path)]) {
      await name();
      for (const replace of [false, true]) {
        const act = command(async (runtime) => {
          await runtime.openInput(input);
          await WAYS[way](runtime, replace);
        });
        await expect(act).rejects.toMatchObject({
          code: 'INVALID_INPUT',
          message: `Cannot write ${path}: expected a file that the command does not read, got its own input. Choose another name.`,
        });
      }
      await rm(path);
    }
    expect(text(input)).toBe('questions');
  });

  it('needs a folder that is there', async () => {
    path = join(folder, 'missing', 'out.jsonl');
    expect(await refused(false)).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^Cannot write .*missing.out\.jsonl: expected a writable place, got: /),
    });
  });

  it('may be a device that holds nothing', async () => {
    path = '/dev/null';
    expect(await refused(false)).toBe('written');
    expect(await refused(true)).toBe('written');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});

describe.each(['write', 'grow'] as const)('a file that is written (%s)', (way) => {
  it('is its owner’s alone when it is new, and keeps its permissions when it is replaced', async () => {
    const before = process.umask(0o022);
    try {
      await command((runtime) => WAYS[way](runtime, false));
      expect(modeOf(path)).toBe(0o600);
      for (const mode of [0o640, 0o400, 0o755]) {
        await chmod(path, mode);
        await command((runtime) => WAYS[way](runtime, true));
        expect(modeOf(path)).toBe(mode);
      }
    } finally {
      process.umask(before);
    }
  });

  it('reaches a reader of a pipe', async () => {
    execFileSync('mkfifo', [path]);
    const reader = open(path, 'r').then(async (file) => {
      const read = await file.readFile('utf8');
      await file.close();
      return read;
    });
    await command((runtime) => WAYS[way](runtime, false));
    expect(await reader).toBe('new\n');
    expect(statSync(path).isFIFO()).toBe(true);
  });
});

describe('a name that is free', () => {
  it('goes to the first of those who want it', async () => {
    const raced = await command((runtime) =>
      Promise.all(
        Array.from({ length: 8 }, (_, writer) =>
          runtime.writeOutput(path, Buffer.from(`${writer}`)).then(
            () => 'written',
            (error: unknown) => (error as { code: string }).code,
          ),
        ),
      ),
    );
    expect(raced.sort()).toEqual([...Array<string>(7).fill('CONFLICT'), 'written']);
    expect(readdirSync(folder)).toEqual(['out.jsonl']);
  });
});

/** The number of lines before "no". */
async function untilNo(lines: AsyncIterable<string>): Promise<number> {
  let kept = 0;
  for await (const line of lines) {
    if (line === 'no') break;
    kept++;
  }
  return kept;
}

describe('a file that grows', () => {
  const begin = (runtime: CommandRuntime, work = 'w0'): ReturnType<CommandRuntime['growOutput']> =>
    runtime.growOutput(path, { work });

  it('has its lines on the disk as they come, and its name when all are there', async () => {
    await command(async (runtime) => {
      const output = await begin(runtime);
      await output.append('a\n');
      await output.append('b\nc\n');
      expect(text(`${path}.w0.part`)).toBe('a\nb\nc\n');
      expect(readdirSync(folder)).toEqual(['out.jsonl.w0.part']);
      await output.finish();
    });
    expect(readdirSync(folder)).toEqual(['out.jsonl']);
    expect(text(path)).toBe('a\nb\nc\n');
  });

  it('resumes with the whole lines of the same work that hold, and with no other’s', async () => {
    await writeFile(`${path}.w0.part`, 'a\nbé\nno\nlost\ncut sho');
    await writeFile(`${path}.w1.part`, 'z\n');
    await command(async (runtime) => {
      const output = await runtime.growOutput(path, { work: 'w0', keep: untilNo });
      expect(output.kept).toBe(2);
      await output.append('c\n');
      await output.finish();
    });
    expect(text(path)).toBe('a\nbé\nc\n');
    expect(parts()).toEqual(['out.jsonl.w1.part']);
  });

  it('keeps what it has when it is left, and nothing where it has nothing', async () => {
    await command(async (runtime) => {
      await begin(runtime, 'empty');
      await (await begin(runtime)).append('a\n');
    });
    expect(readdirSync(folder)).toEqual(['out.jsonl.w0.part']);
  });

  it('is not mixed with the lines of another process', async () => {
    await command(async (runtime) => {
      const output = await begin(runtime);
      await output.append('a\n');
      appendFileSync(`${path}.w0.part`, 'x\n');
      const mixed = { code: 'CONFLICT', message: expect.stringContaining('another process writes there') };
      await expect(output.append('b\n')).rejects.toMatchObject(mixed);
      await expect(output.finish()).rejects.toMatchObject(mixed);
    });
    expect(readdirSync(folder)).toEqual(['out.jsonl.w0.part']);
  });

  it('does not write through a link that has the name of its part', async () => {
    await writeFile(join(folder, 'other'), 'mine\n');
    await symlink(join(folder, 'other'), `${path}.w0.part`);
    await expect(command((runtime) => begin(runtime))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(text(join(folder, 'other'))).toBe('mine\n');
  });

  it('does not take the place of a file that came meanwhile', async () => {
    const act = command(async (runtime) => {
      const output = await begin(runtime);
      await output.append('a\n');
      await writeFile(path, 'mine');
      await output.finish();
    });
    await expect(act).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(text(path)).toBe('mine');
    expect(text(`${path}.w0.part`)).toBe('a\n');
  });
});
