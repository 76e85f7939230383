import { readArguments } from './main.js';

describe('the command', () => {
  it('starts everything on one broker of the current version when nothing is asked for', () => {
    expect(readArguments(['up'])).toEqual({
      command: 'up',
      options: { kinds: new Set(['kafka', 's3', 'registry']), brokers: 1, version: '4.2.0' },
    });
  });

  it('starts only what is asked for', () => {
    expect(readArguments(['up', '--kafka', '--brokers', '3', '--version', '3.9.2', '--registry'])).toEqual({
      command: 'up',
      options: { kinds: new Set(['kafka', 'registry']), brokers: 3, version: '3.9.2' },
    });
    expect(readArguments(['down'])).toEqual({ command: 'down' });
  });

  it('refuses what it does not know, and prints the usage', () => {
    expect(() => readArguments(['up', '--brokers', '2'])).toThrow(
      /--brokers is "2": expected 1 or 3\.[^]*Usage: dev-servers up/,
    );
    expect(() => readArguments(['restart'])).toThrow(/"restart" is not a command[^]*Usage/);
    expect(() => readArguments(['up', '--zookeeper'])).toThrow(/Unknown option '--zookeeper'[^]*Usage/);
  });
});
