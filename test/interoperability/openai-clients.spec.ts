/** Both official clients, unmodified, before the gateway as it is started: they see the same, and what a drop-in server would show. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Python, packageIndexAnswers, pythonWith } from '@seamstream/dev-servers';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { isSeamError, messageOf } from '@seamstream/kernel';
import { eventsOf } from '@seamstream/testing';
import { ModelServer } from '@seamstream/testing/model-server';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { OPENAI_CASES, upstreamFor } from './openai-cases.js';
import { npmActs } from './openai-npm-client.js';

const PACKAGES = ['openai==3.54.0'];
const SCRIPT = fileURLToPath(new URL('openai_clients.py', import.meta.url));
const python = await pythonOrNone();
const folder = mkdtempSync(join(tmpdir(), 'openai-clients-'));

let upstream: ModelServer;
let gateways: readonly GatewayProcess[] = [];
const seen: Record<'npm' | 'python', Map<string, unknown>> = { npm: new Map(), python: new Map() };

beforeAll(async () => runAll(), 300_000);
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.kill()));
  await upstream.stop();
});

describe.each(['npm', 'python'] as const)('the official client of %s', (language) => {
  const each = language === 'python' && python === undefined ? it.skip : it;

  each.each(OPENAI_CASES)('sees what it expects: $name', ({ name, expected, tries }) => {
    expect(seen[language].get(name)).toEqual(expected);
    if (tries === undefined) return;
    const words = `"${name} of ${language}"`;
    expect(upstream.seen.filter(({ body }) => JSON.stringify(body).includes(words))).toHaveLength(tries);
  });

  each('leaves a record of each answer, and of what it did not wait for', async () => {
    const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
    const answers = await eventsOf(log, 'AnswerRecorded');
    await log.close();
    const of = (name: string) => answers.filter(({ problem }) => problem.prompt === `${name} of ${language}`);
    expect(of('chat')).toMatchObject([{ response: 'Four.', cutBy: null }]);
    expect(of('chat_left')).toMatchObject([{ response: expect.stringMatching(/^Fo/), cutBy: 'client' }]);
    expect(answers.filter(({ problem }) => JSON.stringify(problem.prompt).includes('broken'))).toEqual([]);
    expect(
      answers.filter(({ problem }) => JSON.stringify(problem.prompt).includes(`responses of ${language}`)),
    ).toHaveLength(1);
  });
});

/** Every case once with either client. */
async function runAll(): Promise<void> {
  upstream = await ModelServer.start(upstreamFor());
  const environment = {
    ...{ SEAM_DATA_FOLDER: folder, SEAM_GATEWAY_EXPERIENCE_WITHIN_MS: '5', SEAM_GATEWAY_KEEP_ALIVE_MS: '20' },
    ...{ SEAM_GATEWAY_UPSTREAM_URL: upstream.url, SEAM_GATEWAY_UPSTREAM_MODEL: 'tiny' },
  };
  gateways = [await startGateway(environment), await startGateway({ ...environment, SEAM_GATEWAY_ACCESS: 'keys' })];
  const [open, closed] = gateways.map(({ url }) => `${url}/v1`) as [string, string];
  const acts = npmActs(open, closed);
  for (const { name, act = name } of OPENAI_CASES)
    seen.npm.set(name, await acts[act]!(name).catch((error: unknown) => ({ thrown: messageOf(error) })));
  if (python === undefined) return;
  const input = JSON.stringify(OPENAI_CASES.map(({ name, act = name }) => ({ case: name, act })));
  const { status, stdout, stderr } = await python.run(SCRIPT, [open, closed], { input, timeoutMs: 240_000 });
  if (status !== 0) throw new Error(`The Python client ended with ${String(status)}: ${stderr}`);
  for (const line of stdout.trim().split('\n')) {
    const { case: name, seen: what } = JSON.parse(line) as { case: string; seen: unknown };
    seen.python.set(name, what);
  }
}

/** The client from PyPI; undefined, said aloud, where no index answers. */
async function pythonOrNone(): Promise<Python | undefined> {
  try {
    return await pythonWith(PACKAGES);
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION') || (await packageIndexAnswers())) throw error;
    process.stderr.write(`SKIPPED: the Python client cannot be had. ${messageOf(error)}\n`);
    return undefined;
  }
}
