// Ends servers whose owner died without stopping them (kill -9 of a test run): it reads lines from the owner until the pipe
// breaks, then kills and deletes what is still on its list. Lines: "+pid N", "-pid N", "+folder PATH", "-folder PATH".
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const lists = { pid: new Set(), folder: new Set() };

for await (const line of createInterface({ input: process.stdin })) {
  const [, sign, kind, value] = /^([+-])(pid|folder) (.+)$/.exec(line) ?? [];
  if (kind === undefined) continue;
  if (sign === '+') lists[kind].add(value);
  else lists[kind].delete(value);
}
for (const pid of lists.pid) {
  try {
    process.kill(-Number(pid), 'SIGKILL'); // with what it has started
  } catch {
    // It ended by itself.
  }
}
for (const folder of lists.folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
