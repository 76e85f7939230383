import { ProgramTransport } from './program-transport.js';

/** Sends without an end, and ends neither with its input nor by a polite signal. */
const FLOOD = `
  process.on('SIGTERM', () => undefined);
  process.stdout.on('error', () => undefined);
  process.stdin.resume();
  const part = 'x'.repeat(60_000);
  setInterval(() => process.stdout.write(part), 0);
`;

describe('a program that speaks MCP', () => {
  it('that sends more than a message may have is closed once, however much it still sends', async () => {
    const warnings: string[] = [];
    const warned = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', warned);
    const errors: string[] = [];
    const program = { command: process.execPath, args: ['-e', FLOOD], variables: {}, maxMessageBytes: 100_000 };
    const transport = new ProgramTransport(program);
    transport.onerror = ({ message }) => errors.push(message);
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await closed;
    await Promise.all([transport.close(), transport.close()]);
    process.off('warning', warned);
    expect(errors).toEqual([expect.stringMatching(/100000|exceed/)]);
    expect(warnings).toEqual([]);
  });
});
