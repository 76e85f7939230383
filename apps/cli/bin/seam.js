#!/usr/bin/env node
// The door of the command line: says clearly what is missing, then hands over to the compiled tree.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);

if (existsSync(main)) {
  const { keepFilesPrivate, onSupportedNode } = await import('@seamstream/kernel');
  keepFilesPrivate(process);
  await onSupportedNode(process, { name: 'seam', exitCode: 70 }, async () => {
    const { runSeam } = await import(main.href);
    process.exitCode = await runSeam(process.argv.slice(2));
  });
} else {
  process.stderr.write(
    `seam: the tree is not compiled (${fileURLToPath(main)} is missing). Run "npm install" or "npm run build" in the repository.\n`,
  );
  process.exitCode = 70;
}
