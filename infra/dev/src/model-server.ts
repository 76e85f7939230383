/** A server of models on this machine, under an address that stays. */
import { removeFolder, type ServerCommand, ServerProcess } from './server-process.js';

export interface ModelServer {
  /** Base address: `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  /** Kills it; resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
  /** Ends it and deletes what it made. */
  stop(): Promise<void>;
}

/** Starts it. Its folder is deleted when it is stopped, and where it does not start. */
export async function startModelServer(url: string, folder: string, command: ServerCommand): Promise<ModelServer> {
  const server = new ServerProcess(command);
  const stop = async (): Promise<void> => {
    await server.kill('SIGKILL');
    await removeFolder(folder);
  };
  try {
    await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, kill: () => server.kill('SIGKILL'), restart: () => server.start(), stop };
}
