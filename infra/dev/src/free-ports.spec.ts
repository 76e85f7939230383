import { createServer } from 'node:net';
import { freePorts } from './free-ports.js';

it('free ports differ, can be listened on, and lie below the range that outgoing connections take', async () => {
  const drawn = await Promise.all([freePorts(20), freePorts(20)]);
  const ports = drawn.flat();
  expect(new Set(ports).size).toBe(40);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...ports)).toBeLessThan(32_768);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(ports[0], '127.0.0.1', resolve));
  await new Promise((resolve) => server.close(resolve));
});
