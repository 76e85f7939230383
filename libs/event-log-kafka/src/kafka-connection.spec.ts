import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { SeamError } from '@seamstream/kernel';
import { KafkaConnection } from './kafka-connection.js';

/** A broker that hangs, or a port that is not Kafka's: it takes connections and never says a word. */
class TarPit {
  private readonly held = new Set<Socket>();
  accepted = 0;

  private constructor(private readonly listener: Server) {}

  static async start(): Promise<TarPit> {
    const listener = createServer();
    const pit = new TarPit(listener);
    listener.on('connection', (socket) => {
      pit.accepted++;
      pit.held.add(socket);
      socket.on('close', () => pit.held.delete(socket));
      socket.on('error', () => socket.destroy());
      socket.resume();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return pit;
  }

  get address(): string {
    return `127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.held) socket.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
  }
}

describe('brokers that take connections and do not answer', () => {
  let pits: TarPit[];
  beforeEach(async () => {
    pits = [await TarPit.start(), await TarPit.start()];
  });
  afterEach(() => Promise.all(pits.map((pit) => pit.stop())));

  it('are each asked in turn, broken off with, named, and waited for aloud', async () => {
    const brokers = pits.map(({ address }) => address);
    const lines: string[] = [];
    const connection = new KafkaConnection({
      brokers,
      clientId: 'spec',
      security: {},
      connectTimeoutMs: 250,
      requestTimeoutMs: 30_000,
      operationTimeoutMs: 3000,
      log: ({ message, isOwn }) => {
        if (isOwn) lines.push(message);
      },
    });
    try {
      const begun = performance.now();
      const refusal = await connection
        .attempt('open', () => connection.refresh())
        .then(
          () => undefined,
          (error: unknown) => error as SeamError,
        );
      // Not the 30 s of a request: what a broker can do is answered at once or not at all.
      expect(performance.now() - begun).toBeLessThan(15_000);
      expect(refusal).toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });
      for (const address of brokers) expect(refusal!.message).toContain(address);
      expect(refusal!.message).toContain('Check that the brokers run');
      for (const { accepted } of pits) expect(accepted).toBeGreaterThan(1);
      expect(lines).toEqual([`waiting for brokers: none of ${brokers.join(', ')} has answered yet`]);
    } finally {
      await connection.close();
    }
  });
});
