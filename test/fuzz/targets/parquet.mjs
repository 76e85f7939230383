// Datasets as Parquet: rows come out, or the file is refused by its name. The corpus has files of several writers and compressions.
import { bytesInMemory, isParquet, rowsOf } from '@seamstream/datasets';

export const name = 'parquet';
export const seeds = [];

/** The first bytes stay, or it would be read as JSON Lines. */
export async function run(bytes) {
  const whole = Buffer.concat([Buffer.from('PAR1'), bytes.subarray(4)]);
  const file = { ...bytesInMemory(whole), name: 'fuzzed.parquet' };
  if (!(await isParquet(file))) throw new Error('the magic is there');
  let row = 0;
  for await (const each of rowsOf(file))
    if (each.row !== ++row) throw new Error(`row ${each.row} follows row ${row - 1}`);
}
