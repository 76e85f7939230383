/** The gateway as an operator starts it: a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '@seamstream/service-kit';

export interface GatewayProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything that it said so far. */
  said(): string;
  /** kill -9. */
  kill(): Promise<void>;
}

/** Resolves when it listens. @param environment besides the path and free ports */
export async function startGateway(environment: Environment): Promise<GatewayProcess> {
  const { PATH, TMPDIR } = process.env;
  const child = spawn(process.execPath, ['apps/gateway/dist/main.js'], {
    env: { PATH, TMPDIR, SEAM_GATEWAY_PORT: '0', SEAM_HTTP_PORT: '0', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`Cannot start the gateway: it ended with ${String(code)}: ${text}`)));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const found = /"url":"([^"]+)","msg":"gateway listens"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    ...{ url, child, said: () => text },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
