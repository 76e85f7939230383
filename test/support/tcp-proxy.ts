/** A TCP proxy before a local server: it delays, throttles, stalls and cuts what passes. Clients reach it by detours.mjs. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
}

/** More than this on its way stops the sender, as a network would. */
const MAX_WAITING_BYTES = 256 * 1024;
const LOOK_EVERY_MS = 5;
/** For a proxy in a process that has detours itself. */
const BY_NO_DETOUR = { isDirect: true };

export class TcpProxy {
  /** Of each direction. */
  latencyMs = 0;
  bytesPerSecond = Number.POSITIVE_INFINITY;
  /** Nothing passes, and neither side gets an error. */
  isStalled = false;
  /** Asked about each piece that a client sends; it is held back until the promise resolves, and all behind it. */
  holdBack: (piece: Buffer, client: Socket) => Promise<void> | undefined = () => undefined;
  /** What a client had sent before its connection broke is on its way, and arrives. */
  deliversLate = false;
  private isCut = false;
  private readonly connections = new Set<Connection>();

  private constructor(
    private readonly listener: Server,
    /** Port of the server. */
    readonly target: number,
  ) {}

  static async start(target: number): Promise<TcpProxy> {
    const listener = createServer({ pauseOnConnect: true });
    const proxy = new TcpProxy(listener, target);
    listener.on('connection', (client) => proxy.accept(client));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** For {@link detours}. */
  get detour(): string {
    return `${this.target}=${this.port}`;
  }

  /** Resets all connections, and new ones as well until {@link mend}. */
  cut(): void {
    this.isCut = true;
    for (const { client, server } of this.connections) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  mend(): void {
    this.isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.listener.close(resolve));
  }

  private accept(client: Socket): void {
    client.on('error', () => undefined); // seen by the other side as its end
    if (this.isCut) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port: this.target, ...BY_NO_DETOUR });
    const connection = { client, server };
    this.connections.add(connection);
    const end = (): void => {
      this.connections.delete(connection);
      client.destroy();
      server.destroy();
    };
    server.on('error', end);
    server.on('close', end);
    const passed = this.pass(client, server, (piece) => this.holdBack(piece, client));
    client.on('close', () => {
      if (this.deliversLate) void passed().then(() => server.end());
      else end();
    });
    this.pass(server, client, () => undefined);
    client.resume();
  }

  /** Returns what resolves when all pieces that came so far have been passed on. */
  private pass(from: Socket, to: Socket, holdBack: (piece: Buffer) => Promise<void> | undefined): () => Promise<void> {
    let last: Promise<void> = Promise.resolve();
    let dueMs = 0;
    let waiting = 0;
    from.on('data', (piece: Buffer) => {
      waiting += piece.length;
      if (waiting > MAX_WAITING_BYTES) from.pause();
      dueMs = Math.max(performance.now() + this.latencyMs, dueMs) + (piece.length / this.bytesPerSecond) * 1000;
      const due = dueMs;
      const held = holdBack(piece);
      last = last.then(async () => {
        await held;
        while (this.isStalled && !to.destroyed) await pause(LOOK_EVERY_MS);
        const waitMs = due - performance.now();
        if (waitMs > 1) await pause(waitMs);
        if (!to.destroyed) to.write(piece);
        waiting -= piece.length;
        if (from.isPaused()) from.resume();
      });
    });
    return () => last;
  }
}
