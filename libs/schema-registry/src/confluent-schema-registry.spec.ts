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
    ['an error of its own', json(500, { error_code: 50001, message: 'store' }), 'it answered 500'],
    ['a page of a proxy', (_, response) => response.end('<html>'), 'it answered 200: "<html>"'],
    ['nothing there, by nobody who knows the API', json(404, { error: 'no' }), 'it answered 404'],
    ['a 404 without a body', (_, response) => response.writeHead(404).end(), 'Is there a path missing'],
    ['credentials refused', json(401, {}), 'SEAM_SCHEMA_REGISTRY_PASSWORD'],
    ['another shape', json(200, { schema: 7 }), 'it answered 200: {"schema":7}'],
    ['a broken connection', (request) => request.socket.destroy(), 'came: '],
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

  it('is unavailable when nobody listens', async () => {
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

it('shows its credentials to the registry and to nobody else', async () => {
  let seen: string | undefined;
  answering = (request, response) => {
    seen = request.headers.authorization;
    json(503, { message: 'later' })(request, response);
  };
  const error = await failureOf((registry) => registry.schemaOf(1), { username: 'reader', password: 'hunter2:é' });
  expect(seen).toBe(`Basic ${Buffer.from('reader:hunter2:é').toString('base64')}`);
  expect(JSON.stringify([error.message, error.details])).not.toContain('hunter2');
});
