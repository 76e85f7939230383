/** The writer's thread: requests in, answers and news of memberships out. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { MembershipChange } from './group-membership.js';
import { openLogFiles, translated } from './log-files.js';
import { LogWriter } from './log-writer.js';
import type { PlainError, WriterMessage, WriterRequest, WriterStart } from './log-writer.protocol.js';

const port = parentPort!;
const { folder, mapSizeBytes } = workerData as WriterStart;
const files = openLogFiles(folder, { readOnly: false, mapSizeBytes });
const writer = new LogWriter(files, { folder, mapSizeBytes });

const send = (message: WriterMessage, transfer: readonly ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer);

function plain(error: unknown, operation: string): PlainError {
  const { code, message, details } = translated(error, operation);
  return { code, message, details };
}

async function answer(message: WriterRequest): Promise<unknown> {
  switch (message.kind) {
    case 'transact':
      return writer.transact(message.request);
    case 'createTopics':
      writer.createTopics(message.topics);
      return undefined;
    case 'claim':
      return writer.claim(message.name, message.memberId);
    case 'release':
      writer.release(message.name, message);
      return undefined;
    case 'join': {
      const { group, memberId, row } = message;
      const onChange = (change: MembershipChange): void => send({ kind: 'membership', memberId, change });
      const onError = (error: unknown): void =>
        send({ kind: 'memberFailed', memberId, error: plain(error, `coordinate group ${group}`) });
      writer.join(group, memberId, row, onChange, onError);
      return undefined;
    }
    case 'handBack':
      writer.handBack(message.memberId, message);
      return undefined;
    case 'leave':
      writer.leave(message.memberId);
      return undefined;
    case 'close':
      writer.close();
      await files.root.close();
  }
  return undefined;
}

interface Envelope {
  readonly id: number;
  readonly message: WriterRequest;
}

function receive({ id, message }: Envelope): void {
  if (message.kind !== 'transact') writer.commitWaiting(); // requests take effect in the order they were made
  const returned = message.kind === 'transact' ? message.lent : [];
  answer(message).then(
    (result) => {
      send({ kind: 'done', id, result, returned }, returned);
      if (message.kind === 'close') port.close();
    },
    (error: unknown) =>
      send(
        { kind: 'failed', id, error: plain(error, `${message.kind} in the event log's writer`), returned },
        returned,
      ),
  );
}

port.on('message', (first: Envelope) => {
  receive(first);
  // What arrived while the last commit waited for the disk shares the next one.
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    receive(next.message as Envelope);
  writer.commitWaiting();
});
