/** Secrets that were planted in every place of the configuration come out nowhere. */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { builtInVerifiers, Verifiers } from '@seamstream/verifiers';

const CANARY = 'CANARYhunter2';
const root = fileURLToPath(new URL('../..', import.meta.url));
const service = (name: string): string => `${root}/apps/${name}/dist/main.js`;

function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ORT_DISABLE_TELEMETRY: '1', ...env },
  });
  return { status, said: `${stdout}${stderr}` };
}

/** Settings that are accepted with a secret in them. */
const ACCEPTED = {
  SEAM_EVENT_LOG_KAFKA_SASL_USERNAME: 'u',
  SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD: CANARY,
  SEAM_EVENT_LOG_KAFKA_TLS_KEY_PASSPHRASE: CANARY,
  SEAM_SCHEMA_REGISTRY_URL: `https://registry/?token=${CANARY}`,
  SEAM_SCHEMA_REGISTRY_USERNAME: 'u',
  SEAM_SCHEMA_REGISTRY_PASSWORD: CANARY,
  SEAM_OBJECT_STORE_S3_ENDPOINT: `https://s3/?token=${CANARY}`,
  SEAM_EXECUTOR_DRIVER: 'endpoint',
  SEAM_EXECUTOR_ENDPOINT_MODEL: 'm',
  SEAM_EXECUTOR_ENDPOINT_URL: `http://host/v1?token=${CANARY}`,
  SEAM_EXECUTOR_ENDPOINT_EXTRA_BODY: JSON.stringify({ user: CANARY }),
  SEAM_EXECUTOR_VERIFIER_ENDPOINTS: JSON.stringify({
    mine: { url: `http://host/?k=${CANARY}`, headers: { authorization: CANARY } },
  }),
};

/** Settings that are refused for the secret in them. */
const REFUSED: readonly (readonly [name: string, value: string])[] = [
  ['SEAM_OBJECT_STORE_S3_ENDPOINT', `http://u:${CANARY}@s3`],
  ['SEAM_SCHEMA_REGISTRY_URL', `http://u:${CANARY}@registry`],
  ['SEAM_EXECUTOR_ENDPOINT_URL', `http://u:${CANARY}@host/v1`],
  ['SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE', `sk-${CANARY}`],
  ['SEAM_EXECUTOR_VERIFIER_ENDPOINTS', JSON.stringify({ mine: { url: `http://u:${CANARY}@host` } })],
];

describe('A secret of the configuration', () => {
  it('is not printed with it', () => {
    const { status, said } = run(service('executor'), ['--print-config'], ACCEPTED);
    expect(said).toContain('"https://s3/?…"');
    expect(said).not.toContain(CANARY);
    expect(status).toBe(0);
  });

  it('is not repeated by the message that refuses it', () => {
    for (const [name, value] of REFUSED) {
      const { status, said } = run(service('executor'), ['--print-config'], { [name]: value });
      expect(said).toContain(name);
      expect(said).not.toContain(CANARY);
      expect(status).toBe(78);
    }
  });

  it('is not repeated where a key is given in place of its variable', () => {
    const key = `hf_${CANARY}`;
    const { said } = run(service('executor'), [], {
      SEAM_EVENT_LOG_DRIVER: 'memory',
      SEAM_OBJECT_STORE_DRIVER: 'memory',
      SEAM_EXECUTOR_DRIVER: 'endpoint',
      SEAM_EXECUTOR_ENDPOINT_URL: 'http://127.0.0.1:9/v1',
      SEAM_EXECUTOR_ENDPOINT_MODEL: 'm',
      SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE: key,
    });
    expect(said).toContain('SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE');
    expect(said).not.toContain(CANARY);
  });
});

describe("A secret in a verifier's address", () => {
  const spec = { kind: 'http', version: '1', options: { endpoint: 'mine' } };
  const response = { text: 'a', finished: true };

  it('does not reach the reason that is recorded when it cannot be asked', async () => {
    for (const url of [`http://u:${CANARY}@127.0.0.1:9/`, `http://127.0.0.1:9/?token=${CANARY}`]) {
      const verifiers = new Verifiers({ endpoints: { mine: { url } } });
      const error: unknown = await verifiers.verify(spec, response, 'r').catch((fault: unknown) => fault);
      await verifiers.close();
      expect(String(error)).toContain('http@1');
      expect(`${String(error)}${JSON.stringify(error)}`).not.toContain(CANARY);
    }
  });

  it('and what a verifier says holds no control characters', async () => {
    const server = createServer((_, answer) =>
      answer.end(JSON.stringify({ success: true, extractedAnswer: 'a\u001b]0;x\u0007\nb', detail: '\u001b[2Jfine\n' })),
    );
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const verifiers = new Verifiers({ endpoints: { mine: { url: `http://127.0.0.1:${port}/` } } });
    try {
      expect(await verifiers.verify(spec, response, 'r')).toEqual({
        success: true,
        extractedAnswer: 'a\\u001b]0;x\\u0007\nb',
        detail: '\\u001b[2Jfine\\n',
      });
    } finally {
      await verifiers.close();
      await builtInVerifiers.close();
      server.close();
    }
  });
});
