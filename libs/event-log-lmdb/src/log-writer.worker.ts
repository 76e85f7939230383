/** The writer's thread: requests in, answers and news of memberships out. */
import { parentPort, workerData } from 'node:worker_threads';
import { openLogFiles, translated } from './log-files.js';
import { LogWriter } from './log-writer.js';
import type { PlainError, WriterMessage, WriterRequest, WriterStart } from './log-writer.protocol.js';

const port = parentPort!;
const { folder, mapSizeBytes } = workerData as WriterStart;
const files = openLogFiles(folder, { readOnly: false, mapSizeBytes });
const writer = new LogWriter(files, { folder, mapSizeBytes });

const send = (message: WriterMessage): void => port.postMessage(message);

function plain(error: unknown, operation: string): PlainError {
  const { code, message, details } = translated(error, operation);
  return { code, message, details };
}

async function answer(message: WriterRequest): Promise<unknown> {
  switch (message.kind) {
    case 'transact':
      return writer.transact(message.request);
    case 'createTopics':
      return writer.createTopics(message.topics);
    case 'join': {
      const { group, memberId, row } = message;
      return writer.join(
        group,
        memberId,
        row,
        (change) => send({ kind: 'membership', memberId, change }),
        (error) => send({ kind: 'memberFailed', memberId, error: plain(error, `coordinating group ${group}`) }),
      );
    }
    case 'handBack':
      return writer.handBack(message.memberId, message);
    case 'leave':
      return writer.leave(message.memberId);
    case 'close':
      writer.close();
      return files.root.close();
  }
}

port.on('message', ({ id, message }: { id: number; message: WriterRequest }) => {
  answer(message).then(
    (result) => {
      send({ kind: 'done', id, result });
      if (message.kind === 'close') port.close();
    },
    (error: unknown) => send({ kind: 'failed', id, error: plain(error, `${message.kind} in the event log's writer`) }),
  );
});
