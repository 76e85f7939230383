#!/usr/bin/env node
// The door of the command: says what is missing, then hands over to the compiled tree.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);

if (existsSync(main)) {
  const { runDevServers } = await import(main.href);
  process.exitCode = await runDevServers(process.argv.slice(2));
} else {
  process.stderr.write(
    'dev-servers: the tree is not compiled. Run "npm install" or "npm run build" in the repository.\n',
  );
  process.exitCode = 1;
}
