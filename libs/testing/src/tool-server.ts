/** A real MCP server in a process, and a site that it navigates. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('tool-server.child.mjs', import.meta.url));

/** How an executor starts it. @param options `--other-words`: it describes a tool in other words at each start */
export function toolServerProgram(...options: string[]): { readonly command: string; readonly args: string[] } {
  return { command: process.execPath, args: [PROGRAM, ...options] };
}

/** The same server over streamable HTTP. @param key that it wants */
export async function startToolServer(
  key: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [PROGRAM, '--http'], {
    env: { TOOL_SERVER_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url, stop };
}

/** Pages by their paths, as HTML. */
export async function startSite(pages: Readonly<Record<string, string>>): Promise<{
  readonly url: string;
  readonly host: string;
  readonly seen: string[];
  readonly stop: () => Promise<void>;
}> {
  const seen: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    seen.push(url);
    const page = pages[url];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page ?? 'not found');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://${host}/`, host, seen, stop };
}
