/** A version of the buffer in the store that is the default, read by DuckDB and pyarrow as apps/buffer/README.md says. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '@seamstream/dev-servers';
import { FsObjectStore } from '@seamstream/object-store-fs';
import { type BufferRow, encodeVersion } from '@seamstream/success-buffer';
import { bufferRow } from '@seamstream/testing/buffer-rows';

const SCRIPT = fileURLToPath(new URL('./read-buffer-folder.py', import.meta.url));
const PACKAGES = ['pyarrow==26.0.1', 'duckdb==2.0.0'];

const row = (index: number): BufferRow => {
  const domain = index % 2 === 0 ? 'sums' : 'words';
  return bufferRow(`o-${index}`, { domain, stratum: `${domain}/${index < 3 ? 'easy' : 'hard'}` });
};

describe('the buffer in a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'buffer-folder-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is read by DuckDB and pyarrow by the names of its files', async () => {
    const rows = [0, 1, 2, 3, 4, 5].map(row);
    const store = await FsObjectStore.open({ folder });
    for (const { path, body } of encodeVersion(rows, ['parquet', 'jsonl'])) await store.put(`buffer/1-x/${path}`, body);
    await store.put('buffer/1-x/manifest.json', Buffer.from('{}'));
    await store.close();
    const python = await pythonWith(PACKAGES);
    const { status, stdout, stderr } = await python.run(SCRIPT, [join(folder, 'files', 'buffer', '1-x')]);
    expect([status, stderr]).toEqual([0, '']);
    const expected = rows.map(({ stratum, outcomeId }) => [...stratum.split('/'), outcomeId]);
    expect(JSON.parse(stdout)).toEqual({ duckdb: expected, arrow: expected });
  }, 300_000);
});
