/**
 * An HTTP proxy that passes requests on to a real server, except where it is set to disturb them. The Host header stays
 * as it came, so that signatures remain valid.
 */
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Fault =
  /** Answered here; the server never sees the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string; readonly fields?: string }
  /** Neither passed on nor answered. */
  | { readonly kind: 'silence' }
  /** The connection is reset at once. */
  | { readonly kind: 'reset' }
  /** The server gets half of the body, then both connections break. */
  | { readonly kind: 'half-upload' }
  /** The server does what is asked, and the connection breaks instead of the answer. */
  | { readonly kind: 'lost-answer' }
  /** The connection breaks half-way through the answer's body. */
  | { readonly kind: 'half-download' }
  /** Half of the answer's body, then silence. */
  | { readonly kind: 'stalled-download' }
  /** One bit of the body is turned over. */
  | { readonly kind: 'flipped-upload' }
  | { readonly kind: 'flipped-download' };

export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export class FaultProxy {
  /** Every request so far. */
  readonly seen: SeenRequest[] = [];
  private faultOf: (request: SeenRequest) => Fault | undefined = () => undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(target: string): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, new URL(target));
    server.on('connection', (socket) => {
      proxy.sockets.add(socket);
      socket.once('close', () => proxy.sockets.delete(socket));
    });
    server.on('request', (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', () => undefined); // the client gave up
      incoming.on('end', () => {
        const { method = '', url = '', headers } = incoming;
        proxy.handle({ method, url, headers }, Buffer.concat(chunks), response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on every request is asked about; undefined leaves it alone. Forgets what was seen. */
  disturb(faultOf: (request: SeenRequest) => Fault | undefined): void {
    this.seen.length = 0;
    this.faultOf = faultOf;
  }

  /** As {@link disturb}, for the first `times` requests of a method. */
  disturbFirst(times: number, method: string, fault: Fault): void {
    let left = times;
    this.disturb((request) => (request.method === method && left-- > 0 ? fault : undefined));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private handle(request: SeenRequest, body: Buffer, response: ServerResponse): void {
    this.seen.push(request);
    const fault = this.faultOf(request);
    switch (fault?.kind) {
      case 'silence':
        return;
      case 'reset':
        response.socket?.resetAndDestroy();
        return;
      case 'answer':
        response.writeHead(fault.status, { 'content-type': 'application/xml' });
        response.end(
          request.method === 'HEAD'
            ? undefined
            : `<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>planted</Message>${fault.fields ?? ''}</Error>`,
        );
        return;
      case 'half-upload':
        this.passHalf(request, body, response);
        return;
      default:
        this.pass(request, fault?.kind === 'flipped-upload' ? flipped(body) : body, response, fault);
    }
  }

  private passHalf(request: SeenRequest, body: Buffer, response: ServerResponse): void {
    const upstream = this.upstream(request);
    upstream.on('error', () => undefined);
    const breakOff = (): void => {
      upstream.destroy();
      response.socket?.resetAndDestroy();
    };
    upstream.write(body.subarray(0, body.length >> 1), breakOff);
  }

  private pass(request: SeenRequest, body: Buffer, response: ServerResponse, fault: Fault | undefined): void {
    const upstream = this.upstream(request);
    upstream.on('error', () => response.socket?.resetAndDestroy());
    upstream.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', () => response.socket?.resetAndDestroy());
      answer.on('end', () => {
        const content = Buffer.concat(chunks);
        if (fault?.kind === 'lost-answer') {
          response.socket?.resetAndDestroy();
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (fault?.kind !== 'half-download' && fault?.kind !== 'stalled-download') {
          response.end(fault?.kind === 'flipped-download' ? flipped(content) : content);
          return;
        }
        response.write(content.subarray(0, content.length >> 1), () => {
          if (fault.kind === 'half-download') response.socket?.resetAndDestroy();
        });
      });
    });
    // Who was asked to wait for the server's consent may be refused without sending the body, and must get that answer.
    if (request.headers.expect === undefined) upstream.end(body);
    else upstream.once('continue', () => upstream.end(body)).flushHeaders();
  }

  private upstream({ method, url, headers }: SeenRequest) {
    return httpRequest({ host: this.target.hostname, port: this.target.port, method, path: url, headers });
  }
}

function flipped(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  if (copy.length > 0) copy[copy.length >> 1]! ^= 1;
  return copy;
}
