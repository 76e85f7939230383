/**
 * Ports for servers on this machine. They are drawn below every system's range for outgoing connections (Linux from 32768,
 * macOS and Windows from 49152): a server that is killed and started again must find its port free.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { SeamError } from '@seamstream/kernel';

const LOWEST_PORT = 20_000;
const NUM_PORTS = 12_000;
const MAX_DRAWS = 1000;

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Ports already handed out by this process: two servers that start at once must not get the same. */
const handedOut = new Set<number>();

/** `count` different TCP ports that are free on 127.0.0.1 now. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let draw = 0; ports.length < count; draw++) {
    if (draw === MAX_DRAWS) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot look for ${count} free ports from ${LOWEST_PORT} on: found ${ports.length} in ${MAX_DRAWS} draws. Stop servers that are not needed.`,
      );
    }
    const port = LOWEST_PORT + randomInt(NUM_PORTS);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    ports.push(port);
  }
  return ports;
}
