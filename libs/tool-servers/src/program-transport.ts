/**
 * A program that speaks MCP over its input and output. It leads a separate process group, so that what it has started there ends with it: it
 * would outlive a service for ever. What leads a separate group, as a browser that Playwright starts, is the program's to end: it has time for
 * that when its input ends, and none when it is killed. The SDK's own transport ends the program alone.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { signalGroup } from '@seamstream/kernel';

/** Longest wait for a program to end by itself, and then by a signal, as in the SDK. */
const GRACE_MS = 2000;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** It gets no other variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Of one message; a larger one ends the connection. */
  readonly maxMessageBytes: number;
}

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly received: ReadBuffer;
  private child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  private closing: Promise<void> | undefined;

  constructor(private readonly program: Program) {
    this.received = new ReadBuffer({ maxBufferSize: program.maxMessageBytes });
  }

  /** @throws Error where the program cannot be started */
  async start(): Promise<void> {
    const { command, args, variables } = this.program;
    const child = spawn(command, args, {
      ...{ env: variables, cwd: '/', detached: true, windowsHide: true },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.child = child;
    const report = (error: Error): void => this.onerror?.(error);
    child.stdin.on('error', report);
    child.stdout.on('error', report).on('data', (part: Buffer) => this.receive(part));
    // What it leaves running would hold its output open, and nothing else would end it.
    child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));
    child.once('close', () => this.onclose?.());
    await once(child, 'spawn');
    child.on('error', report);
  }

  /** @throws Error where the program does not take it */
  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child?.stdin.write(serializeMessage(message), (error) => (error == null ? resolve() : reject(error)));
    });
  }

  /** By the end of its input, then by signals to its group. Begins once, however often it is asked for. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit').then(() => true);
    const inTime = (): Promise<boolean> =>
      Promise.race([ended, new Promise<false>((resolve) => setTimeout(resolve, GRACE_MS, false).unref())]);
    child.stdin.end();
    if (!(await inTime())) signalGroup(child.pid, 'SIGTERM');
    if (!(await inTime())) signalGroup(child.pid, 'SIGKILL');
    await ended;
    child.stdout.destroy();
  }

  private receive(part: Buffer): void {
    try {
      this.received.append(part);
    } catch (error) {
      // More than a message may have. What still comes is of no use, and the program learns by a broken pipe that no one reads it.
      this.child?.stdout.destroy();
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (let isMore = true; isMore; ) {
      try {
        const message = this.received.readMessage();
        if (message !== null) this.onmessage?.(message);
        isMore = message !== null;
      } catch (error) {
        // A line that is no message: the next one may be.
        this.onerror?.(error as Error);
      }
    }
  }
}
