import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSeamError, type SeamError } from '@seamstream/kernel';
import { ConfluentSchemaRegistry, type ConfluentSchemaRegistryOptions } from './confluent-schema-registry.js';

/** Answers that a real registry gives only on bad days; its good ones are checked against a real one in test/interoperability. */
type Answering = (request: IncomingMessage, response: ServerResponse) => void;

let answering: Answering;
const server = createServer((request, response) => answering(request, response));
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (status: number, body: unknown): Answering =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

const failureOf = async (
  action: (registry: ConfluentSchemaRegistry) => Promise<unknown>,
  options: Partial<ConfluentSchemaRegistryOptions> = {},
): Promise<SeamError> => {
  try {
    await action(new ConfluentSchemaRegistry({ url, ...options }));
  } catch (error) {
    if (isSeamError(error)) return error;
    throw error;
  }
  throw new Error('expected an error');
};

describe('a registry on a bad day', () => {
  const outages: readonly [string, Answering, string][] = [
    ['an error of the server', json(500, { error_code: 50001, message: 'store' }), 'it answered 500'],
    ['a page of a proxy', (_, response) => response.end('<html>'), 'it answered 200: "<html>"'],
    ['404 from a server that does not know the API', json(404, { error: 'no' }), 'it answered 404'],
    ['a 404 without a body', (_, response) => response.writeHead(404).end(), 'Is there a path missing'],
    ['credentials refused', json(401, {}), 'SEAM_SCHEMA_REGISTRY_PASSWORD'],
    ['another shape', json(200, { schema: 7 }), 'it answered 200: {"schema":7}'],
    ['a broken connection', (request) => request.socket.destroy(), 'got: '],
  ];
  it.each(outages)('is unavailable, and never a registry without that schema: %s', async (_, answer, message) => {
    answering = answer;
    const error = await failureOf((registry) => registry.schemaOf(7));
    expect(error.code).toBe('SCHEMA_REGISTRY_UNAVAILABLE');
    expect(error.retryable).toBe(true);
    expect(error.message).toContain('/base/schemas/ids/7');
    expect(error.message).toContain(message);
  });

  it('is unavailable when it is silent for too long', async () => {
    answering = () => undefined;
    const error = await failureOf((registry) => registry.schemaOf(7), { timeoutMs: 50 });
    expect(error.code).toBe('SCHEMA_REGISTRY_UNAVAILABLE');
    expect(error.message).toContain('within 50 ms');
  });

  it('is not asked where it sends us to: its address is the configured one', async () => {
    let asked = 0;
    answering = (_, response) => {
      asked++;
      response.writeHead(302, { location: `${url}elsewhere?secret=1` }).end();
    };
    const error = await failureOf((registry) => registry.schemaOf(7));
    expect(error.code).toBe('SCHEMA_REGISTRY_UNAVAILABLE');
    expect(error.message).toContain('it answered 302');
    expect(error.message).toContain('Redirects are not followed');
    expect([asked, error.message.includes('secret')]).toEqual([1, false]);
  });

  it('is read to four megabytes and no further', async () => {
    const part = Buffer.alloc(1024 ** 2, ' ');
    let parts = 0;
    answering = (_, response) => {
      const more = (): void => {
        parts++;
        if (!response.destroyed) response.write(part, more);
      };
      more();
    };
    const error = await failureOf((registry) => registry.schemaOf(7), { timeoutMs: 20_000 });
    expect([error.code, error.retryable]).toEqual(['SCHEMA_REGISTRY_UNAVAILABLE', true]);
    expect(error.message).toContain('an answer of more than 4194304 bytes');
    expect(parts).toBeLessThan(40); // what sockets hold by themselves
  });

  it('is quoted in a short piece, without what a terminal would obey', async () => {
    answering = (_, response) => response.end(`\u001b]0;title\u0007\u009b2J\u202e${'x'.repeat(1000)}`);
    const error = await failureOf((registry) => registry.schemaOf(7));
    expect(error.message).toContain('·]0;title··2J·xxx');
    expect(error.message.length).toBeLessThan(500);
    answering = json(409, { error_code: 409, message: `\u001b[2J${'x'.repeat(100_000)}` });
    const refusal = await failureOf((registry) => registry.register('s', '"string"'));
    expect(refusal.message).toContain('refuses it: ·[2Jxxx');
    // A refusal lists the fields at fault: a longer piece.
    expect(refusal.message.length).toBeLessThan(1300);
  });

  it.each([[['../../secrets']], [[1.5]], [Array.from({ length: 10_001 }, (_, index) => index + 1)]])(
    'names no versions but whole numbers, and not more than ten thousand',
    async (versions) => {
      const paths: (string | undefined)[] = [];
      answering = (request, response) => {
        paths.push(request.url);
        json(200, versions)(request, response);
      };
      const error = await failureOf((registry) => registry.versions('s'));
      expect([error.code, paths]).toEqual(['SCHEMA_REGISTRY_UNAVAILABLE', ['/base/subjects/s/versions']]);
    },
  );

  it('is unavailable when no server listens', async () => {
    const error = await failureOf((registry) => registry.versions('s'), { url: 'http://127.0.0.1:1' });
    expect(error.code).toBe('SCHEMA_REGISTRY_UNAVAILABLE');
    expect(error.message).toMatch(/127\.0\.0\.1:1|bad port/);
  });
});

describe('a registry that does not have what was asked for', () => {
  it('has no schema of that id, and no version of that subject', async () => {
    answering = json(404, { error_code: 40403, message: 'no' });
    const registry = new ConfluentSchemaRegistry({ url });
    expect(await registry.schemaOf(7)).toBeUndefined();
    expect(await registry.versions('s')).toEqual([]);
  });

  it('has no Avro schema where it has one in another language, or one that refers to others', async () => {
    const registry = new ConfluentSchemaRegistry({ url });
    answering = json(200, { schema: '{}', schemaType: 'JSON' });
    expect(await registry.schemaOf(7)).toBeUndefined();
    answering = json(200, { schema: '{}', references: [{ name: 'a', subject: 'b', version: 1 }] });
    expect(await registry.schemaOf(7)).toBeUndefined();
    answering = json(200, { schema: '"string"', schemaType: 'AVRO', references: [] });
    expect(await registry.schemaOf(7)).toBe('"string"');
  });
});

describe('a registry that refuses a schema', () => {
  it.each([
    [409, 'reader field missing'],
    [422, 'invalid schema'],
  ])('says so with its own words, and which subject: %s', async (status, message) => {
    answering = json(status, { error_code: status, message });
    const error = await failureOf((registry) => registry.register('seam.problems-seamstream.X', '"string"'));
    expect(error.code).toBe('INCOMPATIBLE_SCHEMA');
    expect(error.message).toContain(`subject seam.problems-seamstream.X`);
    expect(error.message).toContain(`the registry refuses it: ${message}`);
  });
});

it('shows its credentials to the registry and to no other server', async () => {
  let seen: string | undefined;
  answering = (request, response) => {
    seen = request.headers.authorization;
    json(503, { message: 'later' })(request, response);
  };
  const error = await failureOf((registry) => registry.schemaOf(1), { username: 'reader', password: 'hunter2:é' });
  expect(seen).toBe(`Basic ${Buffer.from('reader:hunter2:é').toString('base64')}`);
  expect(JSON.stringify([error.message, error.details])).not.toContain('hunter2');
});
