/** A server of MLflow on this machine, from PyPI (some 700 MB with what it needs), with a database in a folder that goes with it. */
import { join } from 'node:path';
import { freePorts } from './free-ports.js';
import { type ModelServer, startModelServer } from './model-server.js';
import { pythonWith } from './python.js';
import { temporaryFolder } from './server-process.js';

const PACKAGES = ['mlflow==3.17.2'];

/** Throws INVALID_CONFIGURATION when Python, pip or the network is missing, INTERNAL when it does not start. */
export async function startMlflowServer(): Promise<ModelServer> {
  const { environment } = await pythonWith(PACKAGES);
  const folder = await temporaryFolder('mlflow');
  const [port] = (await freePorts(1)) as [number];
  const url = `http://127.0.0.1:${port}`;
  const store = ['--backend-store-uri', `sqlite:///${join(folder, 'runs.db')}`, '--artifacts-destination', folder];
  return startModelServer(url, folder, {
    name: "MLflow's server",
    command: 'python3',
    args: ['-m', 'mlflow', 'server', '--host', '127.0.0.1', '--port', String(port), '--workers', '1', ...store],
    env: { ...environment, MLFLOW_DISABLE_TELEMETRY: 'true', DO_NOT_TRACK: 'true' },
    logFile: join(folder, 'server.log'),
    isReady: (logged) => logged().includes('Application startup complete'),
  });
}
