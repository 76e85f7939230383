// What the cache of edits saves, and how much memory a data set takes. Prints:
//   cache   time of a run by the shipped generator, of the same run again, and the share of the time that the cache saves
//   memory  the most memory of a run over 1,000 and over 10,000 passages, by a teacher that answers at once (memory is what is measured, and
//           not a model), of the same again from the cache, and of a run that resumes at the end
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const MODEL = fileURLToPath(new URL('../../models/generator-base', import.meta.url));
const { values } = parseArgs({
  options: { passages: { type: 'string', default: '200' }, sizes: { type: 'string', default: '1000,10000' } },
});
const PASSAGES = Number(values.passages);
const SIZES = values.sizes.split(',').map(Number);
const folder = await mkdtemp(join(tmpdir(), 'edits-bench-'));

/** Words of a passage's own, as many as a paragraph of SQuAD has. */
function words(row, count) {
  let state = row + 1;
  return Array.from({ length: count }, () => {
    state = Math.imul(state, 48271) % 0x7fffffff;
    return Math.abs(state).toString(36);
  }).join(' ');
}

async function passages(name, count, length) {
  const rows = Array.from({ length: count }, (_, row) =>
    JSON.stringify({
      title: `Title ${row}`,
      passage: words(row, length),
      questions: [{ question: 'Q?', reference: 'r' }],
    }),
  );
  await writeFile(join(folder, name), `${rows.join('\n')}\n`);
}

/** Runs `seam edits generate`. @returns seconds, and the most memory in MiB where the system says (Linux) */
async function generate(args, { killAfterMs } = {}) {
  const started = performance.now();
  const child = spawn(process.execPath, [SEAM, 'edits', 'generate', ...args, '--json'], {
    cwd: folder,
    stdio: 'ignore',
  });
  let peak = Number.NaN;
  const watch = setInterval(() => {
    try {
      const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      if (kib !== undefined) peak = Number(kib) / 1024;
    } catch {
      clearInterval(watch);
    }
  }, 20);
  const killing = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  clearTimeout(killing);
  if (code !== 0 && killAfterMs === undefined) throw new Error(`seam edits generate ended with ${code}`);
  return { seconds: (performance.now() - started) / 1000, peak };
}

const teacher = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { messages } = JSON.parse(Buffer.concat(chunks).toString());
    // Lines that quote words of the passage, so that the filters keep them.
    const said = messages[0].content
      .match(/[0-9a-z]{4,}/g)
      .slice(-100)
      .join(' ');
    response.end(
      JSON.stringify({
        choices: [{ finish_reason: 'stop', message: { content: said } }],
        usage: { prompt_tokens: 200, completion_tokens: 200 },
      }),
    );
  });
});
await new Promise((resolve) => teacher.listen(0, '127.0.0.1', resolve));

try {
  await passages('small.jsonl', PASSAGES, 8); // few words: the shipped model holds 512 tokens
  const model = ['small.jsonl', '--model', MODEL, '--max-tokens', '100', '--cache', 'cache-model'];
  const first = await generate([...model, '--out', 'a.jsonl']);
  const again = await generate([...model, '--out', 'b.jsonl']);
  const saved = 1 - again.seconds / first.seconds;
  const same = readFileSync(join(folder, 'a.jsonl')).equals(readFileSync(join(folder, 'b.jsonl')));
  console.log(
    `cache   ${PASSAGES} passages: ${first.seconds.toFixed(1)} s, again ${again.seconds.toFixed(1)} s, saved ${(saved * 100).toFixed(0)} % (bar: 50 %), ${same ? 'the same file' : 'ANOTHER FILE'}`,
  );

  const { port } = teacher.address();
  for (const size of SIZES) {
    await passages('p.jsonl', size, 120);
    const args = ['p.jsonl', '--endpoint', `http://127.0.0.1:${port}/v1`, '--endpoint-model', 'fast'];
    const cache = ['--cache', `cache-${size}`];
    const written = await generate([...args, ...cache, '--out', 'w.jsonl', '--force']);
    const cached = await generate([...args, ...cache, '--out', 'c.jsonl', '--force'], {
      killAfterMs: written.seconds * 600,
    });
    const resumed = await generate([...args, ...cache, '--out', 'c.jsonl', '--force']);
    const equal = readFileSync(join(folder, 'w.jsonl')).equals(readFileSync(join(folder, 'c.jsonl')));
    console.log(
      `memory  ${size} passages: written ${written.peak.toFixed(0)} MiB in ${written.seconds.toFixed(1)} s, from the cache until killed ${cached.peak.toFixed(0)} MiB, resumed ${resumed.peak.toFixed(0)} MiB in ${resumed.seconds.toFixed(1)} s, ${equal ? 'the same file' : 'ANOTHER FILE'}`,
    );
  }
} finally {
  teacher.close();
  teacher.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
}
