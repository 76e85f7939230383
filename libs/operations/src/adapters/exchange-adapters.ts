/** Adapters to and from other programs: PEFT's files, and whole checkpoints. */
import { SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, createAdapter, decodePeft, encodePeft, mergeAdapter } from '@seamstream/language-model';
import { type ReadingOptions, readLineage } from '../read-models/index.js';
import type { AdapterWorld } from './adapter-world.js';
import { findAdapter } from './find-adapter.js';
import { type Origin, openAdapter, publishImported } from './published-adapter.js';

/** PEFT's two files. */
export interface PeftFiles {
  readonly config: Uint8Array;
  readonly tensors: Uint8Array;
}

export interface ExportedAdapter {
  readonly adapter: Adapter;
  readonly files: PeftFiles;
  /** Of the base model. */
  readonly modelFolder: string;
}

/** A LoRA adapter as PEFT's files. @param digits of its digest. @throws NOT_FOUND, INVALID_INPUT, and as {@link openAdapter} */
export async function exportAdapter(
  world: AdapterWorld,
  digits: string,
  options: ReadingOptions,
): Promise<ExportedAdapter> {
  const { adapter, base } = await opened(world, digits, options);
  const { config, folder } = base.checkpoint;
  return { adapter, files: encodePeft(adapter, config, folder), modelFolder: folder };
}

export interface ImportedFiles {
  readonly files: PeftFiles;
  /** Where they come from; recorded with the adapter. */
  readonly folder: string;
  /** The person who imports them; recorded. */
  readonly by: string;
  /** The digest that the adapter is said to have. */
  readonly expected?: string;
  /** The expert that they belong to; recorded with the adapter. */
  readonly expert?: Origin['expert'];
}

/**
 * Publishes the adapter of PEFT's files, unless the log has it. What serves stays as it is.
 * @throws ADAPTER_INVALID where they do not fit the generators' base model, and for another adapter than the expected one
 */
export async function importAdapter(
  world: AdapterWorld,
  { files, folder, by, expected, expert }: ImportedFiles,
  options: ReadingOptions,
): Promise<{ readonly adapter: Adapter; readonly isNew: boolean }> {
  const base = await world.openBaseModel();
  const adapter = createAdapter(decodePeft(files, base.checkpoint));
  if (expected !== undefined && expected !== adapter.digest)
    throw new SeamError(
      'ADAPTER_INVALID',
      `Cannot import ${folder}: expected the adapter ${expected}, got the tensors of ${adapter.digest}. Have it exported again.`,
    );
  // Of a log that may not be there yet.
  await world.openLog('create');
  const { versions } = (await readLineage(await world.openKeptLog(), options)).answer;
  const isNew = !versions.some(({ adapterDigest }) => adapterDigest === adapter.digest);
  if (isNew)
    await publishImported(world, adapter, base, {
      ...{ by, format: 'peft', folder },
      sha256: sha256(files.tensors),
      config: JSON.parse(Buffer.from(files.config).toString()) as unknown,
      ...(expert === undefined ? {} : { expert }),
    });
  return { adapter, isNew };
}

/** Writes the base model with an adapter merged into it. @param into a new folder, or an empty one */
export async function mergeIntoFolder(
  world: AdapterWorld,
  { digits, into }: { readonly digits: string; readonly into: string },
  options: ReadingOptions,
): Promise<{ readonly adapter: Adapter } & Awaited<ReturnType<typeof mergeAdapter>>> {
  const { adapter, base } = await opened(world, digits, options);
  return { adapter, ...(await mergeAdapter(base.checkpoint, adapter, into)) };
}

async function opened(world: AdapterWorld, digits: string, options: ReadingOptions): ReturnType<typeof openAdapter> {
  const { answer } = await readLineage(await world.openKeptLog(), options);
  return openAdapter(world, findAdapter(answer, digits));
}
