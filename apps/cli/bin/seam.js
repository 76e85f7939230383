#!/usr/bin/env node
// The door of the command line: says clearly what is missing, then hands over to the compiled tree.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const main = new URL('../dist/main.js', import.meta.url);

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `seam: this needs Node ${OLDEST_NODE} or newer, this is ${process.versions.node}. Run it as "npx seam", which uses the Node that "npm install" brought.\n`,
  );
  process.exitCode = 70;
} else if (!existsSync(main)) {
  process.stderr.write(
    `seam: the tree is not compiled (${fileURLToPath(main)} is missing). Run "npm install" or "npm run build" in the repository.\n`,
  );
  process.exitCode = 70;
} else {
  const { runSeam } = await import(main.href);
  process.exitCode = await runSeam(process.argv.slice(2));
}
