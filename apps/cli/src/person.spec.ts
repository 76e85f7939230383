/** Who acts where a command does not say, and that every command that acts asks the same. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { loadCommands } from './commands.js';
import { personOfMachine } from './person.js';

describe('The person who acts', () => {
  it('is the configured one, else who is logged in on this machine', () => {
    expect(personOfMachine({ person: 'ada' })).toBe('ada');
    expect(personOfMachine({})).toBe(userInfo().username);
  });

  it('is asked for by the same option in every command that acts, and by no other', async () => {
    const nothing = () => Promise.resolve();
    const commands = await loadCommands([], { run: nothing, start: nothing, write: () => undefined });
    const asking = commands.flatMap((command) => withBy(command));
    expect(asking.map(({ name }) => name).toSorted()).toEqual([
      ...['adapters import', 'adapters pin', 'adapters promote', 'adapters rollback', 'adapters unpin'],
      ...['cost prices set', 'dead-letters redrive', 'eval', 'experts import', 'experts install', 'feedback'],
      ...['gateway keys issue', 'gateway keys revoke', 'gateway quotas remove', 'gateway quotas set'],
      ...['gateway users sign-out', 'library import', 'publish', 'release guard off', 'release guard on'],
      ...['release guard unmute', 'release override', 'release plan', 'restem start', 'restem stop', 'runs cancel'],
      ...['team prefer', 'train'],
    ]);
    for (const { name, flags, mandatory, description } of asking)
      expect([name, flags, mandatory, description]).toEqual([
        ...[name, '--by <name>', false, expect.stringMatching(/recorded \(default: SEAM_PERSON, else the user/)],
      ]);
  });
});

interface Asking {
  readonly name: string;
  readonly flags: string;
  readonly mandatory: boolean;
  readonly description: string;
}

/** Of a command and those within it; `seam audit --by` asks whose acts are shown. */
function withBy(command: Command, above: readonly string[] = []): readonly Asking[] {
  const path = [...above, command.name()];
  const name = path.join(' ');
  const own = command.options
    .filter(({ long }) => long === '--by' && name !== 'audit')
    .map(({ flags, mandatory, description }) => ({ name, flags, mandatory, description }));
  return [...own, ...command.commands.flatMap((each) => withBy(each, path))];
}
