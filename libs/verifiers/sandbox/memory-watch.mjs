// Ends sandboxes that hold more memory than they may. A limit per process is not one for all of them together, and where no control
// group can be had this is what bounds the sum: a thread, since the service's own may be busy, that adds up what is theirs and kills.
//
// In   {"watch": pid, "bytes": limit}   a sandbox's first process on this side
//      {"forget": pid}
// Out  {"exceeded": pid, "bytes": held} after which it is dead
import { readdirSync, readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

const INTERVAL_MS = 10;
const sandboxes = new Map();
let timer = null;

const read = (path) => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // ended meanwhile
  }
};

/** Bytes of anonymous and shared pages of a process and all below it; pages of files (interpreter, libraries) are everybody's. */
function held(pid) {
  const status = read(`/proc/${pid}/status`);
  const kilobytes = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  let bytes = (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
  // A child is listed with the thread that made it.
  for (const thread of threads(pid))
    for (const child of read(`/proc/${pid}/task/${thread}/children`).split(' ')) if (child !== '') bytes += held(child);
  return bytes;
}

function threads(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function look() {
  for (const [pid, limit] of sandboxes) {
    const bytes = held(pid);
    if (bytes <= limit) continue;
    sandboxes.delete(pid);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue; // ended meanwhile
    }
    parentPort.postMessage({ exceeded: pid, bytes });
  }
}

parentPort.on('message', ({ watch, forget, bytes }) => {
  if (watch !== undefined) sandboxes.set(watch, bytes);
  if (forget !== undefined) sandboxes.delete(forget);
  if (sandboxes.size > 0) timer ??= setInterval(look, INTERVAL_MS);
  else if (timer !== null) {
    clearInterval(timer);
    timer = null;
  }
});
