/** Adapters in a vLLM server: written to a folder that both see, loaded on first use, the least recently used unloaded. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, SeamError } from '@seamstream/kernel';
import { type Adapter, encodePeft, type ModelConfig, PEFT_FILE } from '@seamstream/language-model';
import type { EndpointClient, EndpointResult } from '@seamstream/openai-endpoint';
import { z } from 'zod';
import { writeFolder } from './adapter-folder.js';
import { errorOf, NO_TOKENS } from './vllm-completions.js';

/** Where adapters are written, and what the server calls that folder and the base model. */
interface ServedFolders {
  readonly model: string;
  readonly adaptersFolder: string;
  readonly serverAdaptersFolder: string;
}
/** How many adapters stay loaded: the one that serves and the one before, which work in flight may still use. */
const LOADED_ADAPTERS = 2;

/** The adapters that the server has, of which the last used stay loaded. */
export class VllmAdapters {
  /** Names of loaded adapters by digest, oldest use first. */
  private readonly loading = new Map<string, Promise<string>>();
  /** Adapters are loaded and unloaded one after the other: a folder is not taken away while it is written or read. */
  private administration: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: EndpointClient,
    private readonly settings: ServedFolders,
    private readonly config: ModelConfig,
  ) {}

  /** Under which name it is loaded; the same promise for all who ask, until it is forgotten. */
  loaded(adapter: Adapter): Promise<string> {
    const { digest } = adapter;
    const loading = this.loading.get(digest) ?? this.administered(() => this.load(adapter));
    // Set again, so that the order is that of use.
    this.loading.delete(digest);
    this.loading.set(digest, loading);
    loading.catch(() => this.forget(digest, loading));
    this.unloadUnused();
    return loading;
  }

  /** Has the adapter loaded again when it is asked for next, unless that is already under way. */
  forget(digest: string, loading: Promise<string>): void {
    if (this.loading.get(digest) === loading) this.loading.delete(digest);
  }

  private administered<T>(work: () => Promise<T>): Promise<T> {
    const done = this.administration.then(work);
    this.administration = done.catch(() => undefined);
    return done;
  }

  private async load(adapter: Adapter): Promise<string> {
    const { adaptersFolder, serverAdaptersFolder, model } = this.settings;
    let files: ReturnType<typeof encodePeft>;
    try {
      files = encodePeft(adapter, this.config, model);
    } catch (cause) {
      throw new SeamError('ADAPTER_INVALID', `Serving by vLLM: ${messageOf(cause)}`, { cause });
    }
    const name = `seam-${adapter.digest}`;
    await writeFolder(adaptersFolder, name, {
      [PEFT_FILE.config]: files.config,
      [PEFT_FILE.tensors]: files.tensors,
    });
    const result = await this.administer('load_lora_adapter', {
      lora_name: name,
      lora_path: `${serverAdaptersFolder.replace(/\/$/, '')}/${name}`,
    });
    // Under this name there is only one content, so one that is there already is this one.
    if (result.kind === 'failed' && !/already/i.test(result.reason)) {
      if (result.retryable) throw errorOf(result);
      throw new SeamError(
        'ADAPTER_INVALID',
        `Loading adapter ${adapter.digest} into vLLM: ${result.reason} It needs --enable-lora, a --max-lora-rank that suffices, VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, and to see the folder of adapters.`,
      );
    }
    return name;
  }

  /** Begins to unload the adapter that was not used for longest. The caller does not wait for it. */
  private unloadUnused(): void {
    while (this.loading.size > LOADED_ADAPTERS) {
      const [digest] = this.loading.keys();
      this.loading.delete(digest!);
      const name = `seam-${digest!}`;
      void this.administered(async () => {
        // What cannot be unloaded takes room, no more: the server ends with it, or says that it is full.
        await this.administer('unload_lora_adapter', { lora_name: name });
        await rm(join(this.settings.adaptersFolder, name), { recursive: true, force: true });
      }).catch(() => undefined);
    }
  }

  private administer(path: string, body: Record<string, string>): Promise<EndpointResult<string>> {
    return this.client.ask({
      method: 'POST',
      path,
      body,
      format: 'text',
      schema: z.string(),
      worst: NO_TOKENS,
      isOptional: true,
      usage: () => NO_TOKENS,
    });
  }
}
