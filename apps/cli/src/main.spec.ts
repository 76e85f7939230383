import { fakeWorld } from './command-runtime.fake.js';
import { runSeam } from './main.js';

describe('seam', () => {
  it('teaches: commands, exit codes, examples, environment', async () => {
    const world = await fakeWorld();
    expect(await world.seam('--help')).toBe(0);
    const help = world.takeOutput();
    for (const part of ['publish', 'tail', 'ledger', 'Exit codes:', 'Examples:', 'SEAM_DATA_FOLDER']) {
      expect(help).toContain(part);
    }
  });

  it('teaches a command of several words, and says which word it does not know', async () => {
    const world = await fakeWorld();
    expect(await world.seam('adapters', 'import', '--help')).toBe(0);
    const taught = world.takeOutput();
    expect(await world.seam('help', 'adapters', 'import')).toBe(0);
    expect(world.takeOutput()).toBe(taught);
    expect(await world.seam('help')).toBe(0);
    expect(world.takeOutput()).toContain('seam help adapters import');
    expect(await world.seam('help', 'adapters', 'imprt')).toBe(2);
    expect(world.takeErrors()).toContain('seam adapters has no command "imprt"');
  });

  it('shows no control characters of what it complains about', async () => {
    const world = await fakeWorld();
    expect(await world.seam('publish', 'x\u001b]0;title\u0007.jsonl')).not.toBe(0);
    const said = world.takeErrors();
    expect(said).toContain('x\\u001b]0;title\\u0007.jsonl');
    expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it('has an example in the help of every command', async () => {
    const world = await fakeWorld();
    await world.seam('--help');
    const section = world.takeOutput().split('Commands:\n')[1]?.split('\n\n')[0] ?? '';
    const names = section.split('\n').map((line) => /^ {2}([a-z-]+)/.exec(line)?.[1]);
    const commands = names.filter((name) => name !== undefined && name !== 'help') as string[];
    expect(commands).toEqual(expect.arrayContaining(['publish', 'tail', 'dead-letters', 'buffer']));
    for (const name of commands) {
      expect(await world.seam(name, '--help')).toBe(0);
      const help = world.takeOutput();
      expect(help).toContain('--data-dir');
      expect(help).toContain('Examples:');
    }
  });

  it('teaches each command alike, loaded alone or with all others', async () => {
    const world = await fakeWorld();
    const topics = async (...path: string[]): Promise<string[]> => {
      await world.seam(...path, '--help');
      const section = world.takeOutput().split('Commands:\n')[1]?.split('\n\n')[0] ?? '';
      return section.split('\n').flatMap((line) => /^ {2}(?!help\b)([a-z-]+)/.exec(line)?.[1] ?? []);
    };
    const names = await topics();
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      for (const path of [[name], ...(await topics(name)).map((child) => [name, child])]) {
        expect(await world.seam(...path, '--help')).toBe(0);
        const alone = world.takeOutput();
        expect(await world.seam('help', ...path)).toBe(0);
        expect([path, world.takeOutput()]).toEqual([path, alone]);
      }
    }
  });

  it('finds the command behind options that every command has, and takes no option’s value for one', async () => {
    const world = await fakeWorld();
    expect(await world.seam('--json', '--data-dir', 'publish', 'ledger')).toBe(0);
    expect(world.takeJson()).toHaveLength(1);
    expect(await world.seam('--jsn', 'ledger')).toBe(2);
    expect(world.takeErrors()).toContain('"seam" has the commands start, publish,');
  });

  it('says its version', async () => {
    const world = await fakeWorld();
    expect(await world.seam('--version')).toBe(0);
    expect(world.takeOutput()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('refuses unknown commands and options with what to try', async () => {
    const world = await fakeWorld();
    expect(await world.seam('ledgr')).toBe(2);
    expect(world.takeErrors()).toMatch(
      /unknown command 'ledgr'\n\(Did you mean ledger\?\)\n+"seam" has the commands start, .*Try "seam --help"\./,
    );
    for (const [command, names] of [
      ['adapters', 'list, tree, show, changes, use, promote, rollback, pin, unpin, verify, export, import, merge'],
      ['datasets', 'inspect'],
      ['replay', 'copy'],
      ['topics', 'diff, apply'],
    ] as const) {
      expect(await world.seam(command, 'nonsense')).toBe(2);
      const said = world.takeErrors();
      expect(said).toContain('nonsense');
      expect(said).toContain(`"seam ${command}" has the commands ${names}. Try "seam ${command} --help".`);
    }
    expect(await world.seam('tail', 'problems', '--folow')).toBe(2);
    expect(world.takeErrors()).toMatch(
      /unknown option '--folow'\n\(Did you mean --follow\?\)\n+Try "seam tail --help"\./,
    );
    expect(await world.seam('tail', 'problems', 'outcomes')).toBe(2);
    expect(world.takeErrors()).toContain('too many arguments');
  });

  it('gives an error as JSON on stdout and as text on stderr', async () => {
    const world = await fakeWorld();
    expect(await world.seam('tail', 'nowhere', '--json')).toBe(2);
    expect(world.takeJson()).toMatchObject([{ error: { code: 'UNKNOWN_TOPIC', details: { topic: 'nowhere' } } }]);
    expect(world.takeErrors()).toContain('seam: Cannot open topic "nowhere"');
  });

  it.each([
    [['ledgr'], "unknown command 'ledgr'"],
    [['tail', 'problems', '--folow'], "unknown option '--folow'"],
    [['adapters', 'show'], "missing required argument 'digest'"],
    [['tail', 'problems', '--limit', 'x'], 'expected a whole number from'],
    [['buffer', 'export'], "required option '--out <file>' not specified"],
    [['buffer', 'export', '--out', 'x', '--format', 'csv'], 'Allowed choices are parquet, jsonl'],
    [['dead-letters'], 'expected one of the commands'],
    [['help', 'nothing'], 'seam has no command "nothing"'],
  ])('gives a fault of the command line %j as JSON, too', async (args, message) => {
    const world = await fakeWorld();
    expect(await world.seam(...args, '--json')).toBe(2);
    expect(world.takeJson()).toEqual([
      {
        error: {
          code: 'INVALID_INPUT',
          message: expect.stringContaining(message),
          details: { usage: expect.stringContaining('commander.') },
        },
      },
    ]);
    expect(world.takeErrors()).not.toBe('');
  });

  it('says what the system refuses in a sentence, as a fault of what was named', async () => {
    let said = '';
    const refusal = Object.assign(new Error("EACCES: permission denied, open '/srv/x'"), {
      code: 'EACCES',
      syscall: 'open',
      path: '/srv/x',
    });
    const exitCode = await runSeam(['buffer'], {
      write: () => undefined,
      writeError: (text) => (said += text),
      withRuntime: () => Promise.reject(refusal),
      start: () => Promise.reject(refusal),
    });
    expect(exitCode).toBe(2);
    expect(said).toBe(
      'seam: Cannot open /srv/x: expected a place where that is allowed, got EACCES (this user may not do that there). Name another place, or change its rights.\n',
    );
  });

  it('ends with 70 for its own fault', async () => {
    let said = '';
    const exitCode = await runSeam(['buffer'], {
      write: () => undefined,
      writeError: (text) => (said += text),
      withRuntime: () => Promise.reject(new TypeError('boom')),
      start: () => Promise.reject(new TypeError('boom')),
    });
    expect(exitCode).toBe(70);
    expect(said).toContain('seam: boom');
  });
});
