import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';
import { silent } from '../broker-protocol.port.js';
import { ConnectionPool, Encoder } from './kafkajs-internals.js';
import './kafkajs-patches.js';
import { kafkajsLogger } from './kafkajs-logger.js';

/** One that needs no authentication. */
const API_VERSIONS = 18;
const REQUEST_TIMEOUT_MS = 400;

/** Takes Kafka's frames, size i32 | apiKey i16 | version i16 | correlationId i32 | …, and answers as its test says. */
class FrameServer {
  readonly sockets: Socket[] = [];
  /** What is sent back: a whole answer is size i32 | correlationId i32 | text. */
  answer: (socket: Socket, whole: Buffer) => void = (socket, whole) => void socket.write(whole);

  private constructor(private readonly listener: Server) {}

  static async start(): Promise<FrameServer> {
    const listener = createServer();
    const server = new FrameServer(listener);
    listener.on('connection', (socket) => {
      server.sockets.push(socket);
      let bytes = Buffer.alloc(0);
      socket.on('error', () => undefined); // seen as its end
      socket.on('data', (piece) => {
        bytes = Buffer.concat([bytes, piece]);
        while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
          const frame = bytes.subarray(4, 4 + bytes.readInt32BE(0));
          bytes = bytes.subarray(4 + frame.length);
          const text = Buffer.from(`socket ${server.sockets.indexOf(socket)}`);
          const whole = Buffer.alloc(8 + text.length);
          whole.writeInt32BE(4 + text.length, 0);
          whole.writeInt32BE(frame.readInt32BE(4), 4);
          text.copy(whole, 8);
          server.answer(socket, whole);
        }
      });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
  }
}

let server: FrameServer;
let pool: ConnectionPool;

beforeEach(async () => {
  server = await FrameServer.start();
  pool = new ConnectionPool({
    host: '127.0.0.1',
    port: server.port,
    logger: kafkajsLogger(silent),
    socketFactory: ({ host, port, onConnect }: Parameters<ISocketFactory>[0]) => connect({ host, port }, onConnect),
    connectionTimeout: 1000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
  });
});

afterEach(async () => {
  await server.stop();
  await pool.destroy();
});

const question = {
  request: { apiKey: API_VERSIONS, apiVersion: 0, apiName: 'ApiVersions', encode: async () => new Encoder() },
  response: {
    decode: async (payload: Buffer) => payload.toString(),
    parse: async (text: string) => text,
  },
};

function ask(): Promise<string> {
  return pool.send(question);
}

describe('connections of kafkajs', () => {
  it('forget what the last socket left of an answer', async () => {
    server.answer = (socket, whole) => {
      socket.write(whole.subarray(0, whole.length - 3), () => socket.resetAndDestroy());
    };
    await expect(ask()).rejects.toThrow(/Closed connection|ECONNRESET/);
    server.answer = (socket, whole) => void socket.write(whole);
    expect([await ask(), await ask()]).toEqual(['socket 1', 'socket 1']);
  });

  it('are opened once for all who ask while none is open, at first and after an end', async () => {
    const together = () => Promise.all([ask(), ask(), ask(), ask()]);
    expect(await together()).toEqual(Array(4).fill('socket 0'));
    server.sockets[0]!.resetAndDestroy();
    while (pool.pool[0]!.connectionStatus === 'connected') await new Promise((resolve) => setImmediate(resolve));
    expect(await together()).toEqual(Array(4).fill('socket 1'));
    expect(server.sockets).toHaveLength(2);
  });

  it('are opened while another is being closed, and survive its end', async () => {
    let answerOld: (() => void) | undefined;
    server.answer = (socket, whole) => {
      answerOld = () => void socket.end(whole);
    };
    const old = ask();
    const isAsked = (): boolean => answerOld !== undefined;
    while (!isAsked()) await new Promise((resolve) => setImmediate(resolve));
    const closed = pool.pool[0]!.disconnect();
    server.answer = (socket, whole) => void socket.write(whole);
    expect(await ask()).toBe('socket 1');
    answerOld!();
    expect(await old).toBe('socket 0');
    await closed;
    expect(await ask()).toBe('socket 1');
  });

  it('leave no request behind when they are closed', async () => {
    server.answer = () => undefined;
    const { requestQueue } = await pool.getConnection();
    const last = ask();
    await new Promise((resolve) => setImmediate(resolve));
    const late = new Promise((resolve, reject) => {
      // A request that is sent between the last answer and the end.
      requestQueue.once('requestQueueEmpty', () => {
        const entry = {
          apiKey: API_VERSIONS,
          apiVersion: 0,
          apiName: 'ApiVersions',
          correlationId: 99,
          resolve,
          reject,
        };
        requestQueue.push({ entry, expectResponse: true, sendRequest: () => undefined });
      });
    });
    const closed = pool.pool[0]!.disconnect();
    await expect(last).rejects.toMatchObject({ name: 'KafkaJSRequestTimeoutError' });
    await expect(late).rejects.toMatchObject({ name: 'KafkaJSConnectionError', message: 'Closed connection' });
    await closed;
  });

  it('that are closed while they are opened are not handed to those who wait', async () => {
    const asked = [ask(), ask()];
    await pool.pool[0]!.disconnect();
    for (const each of asked) await expect(each).rejects.toMatchObject({ name: 'KafkaJSConnectionError' });
    expect(await ask()).toMatch(/^socket/);
  });

  it('say to all who asked that there was none to open', async () => {
    await server.stop();
    const refusals = await Promise.allSettled([ask(), ask()]);
    expect(refusals).toMatchObject(Array(2).fill({ status: 'rejected', reason: { name: 'KafkaJSConnectionError' } }));
    server = await FrameServer.start();
  });
});
