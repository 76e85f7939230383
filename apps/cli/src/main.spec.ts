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

  it('says its version', async () => {
    const world = await fakeWorld();
    expect(await world.seam('--version')).toBe(0);
    expect(world.takeOutput()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('refuses unknown commands and options with what to try', async () => {
    const world = await fakeWorld();
    expect(await world.seam('ledgr')).toBe(2);
    expect(world.takeErrors()).toMatch(
      /unknown command 'ledgr'\n\(Did you mean ledger\?\)\n+"seam" has the commands publish, .*Try "seam --help"\./,
    );
    for (const [command, names] of [
      ['adapters', 'tree, show, promote, rollback, pin, unpin, verify, export, import, merge'],
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
    expect(world.takeErrors()).toContain('seam: Opening topic "nowhere"');
  });

  it('ends with 70 for a fault of its own', async () => {
    let said = '';
    const exitCode = await runSeam(['buffer'], {
      write: () => undefined,
      writeError: (text) => (said += text),
      withRuntime: () => Promise.reject(new TypeError('boom')),
    });
    expect(exitCode).toBe(70);
    expect(said).toContain('seam: boom');
  });
});
