import { createServer } from 'node:net';

/** A port that no program listens on now: for a server whose address others have to know before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port));
  });
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
