// All checks but the tests, on two cores: the longest by itself, the others one after the other. Each says what it has to say when it ends,
// and each runs, so that one look shows all that is wrong.
//
//   npm run check
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const AT_ONCE = [
  ['check:lint'],
  [
    'check:format',
    'check:types',
    'check:layers',
    'check:mutants',
    'check:dead',
    'schemas:check',
    'check:reference',
    'check:docs',
  ],
];
/** It plants violations in the tree, which the others would find. */
const AFTERWARDS = 'check:rules';

const failed = [];
await Promise.all(
  AT_ONCE.map(async (steps) => {
    for (const step of steps) await check(step);
  }),
);
await check(AFTERWARDS);
if (failed.length > 0) {
  console.error(`FAILED: ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** Runs a script of package.json to its end, and prints what it said. */
async function check(step) {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', step], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const parts = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (status !== 0) failed.push(step);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`${status === 0 ? '✓' : '✗'} ${step} (${seconds} s)\n${Buffer.concat(parts)}`);
}
