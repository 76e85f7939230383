/**
 * Adapters in a vLLM server: written to a folder that both see, loaded on first use, the least recently used unloaded.
 *
 * An adapter that vLLM lists is read again from its folder whenever others have taken its place in the engine; where the folder is gone
 * then, the engine ends. And it keeps what it has computed of prompts under an adapter's name and folder. So a name has one content for
 * ever, an adapter is unloaded when no request is under way with it, and its folder is deleted later than that.
 */
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

/** What is asked of the server about what it has loaded. */
export interface VllmProbes {
  /** @throws ADAPTER_INVALID where what is loaded under the name does not answer as the fingerprint says */
  readonly attest: (name: string, fingerprint: string) => Promise<void>;
  /** Whether the base model answers. */
  readonly isServing: () => Promise<boolean>;
}

/** How many adapters stay loaded: the one that serves and the one before, which work in flight may still use. */
const LOADED_ADAPTERS = 2;
/** After this an adapter is asked for its fingerprint again: another client of the server may have put other weights in its place. */
const ATTESTED_FOR_MS = 300_000;

interface Loaded {
  readonly name: Promise<string>;
  /** By the process's clock. */
  readonly sinceMs: number;
}

/** The adapters that the server has, of which the last used stay loaded. */
export class VllmAdapters {
  /** By digest, oldest use first. */
  private readonly loading = new Map<string, Loaded>();
  /** By digest: what a promotion says that an adapter answers. */
  private readonly fingerprints = new Map<string, string>();
  /** By digest: what the server answered otherwise than its fingerprint, twice. */
  private readonly quarantined = new Map<string, SeamError>();
  /** Names that are loaded. */
  private readonly held = new Set<string>();
  /** Requests under way by name. */
  private readonly users = new Map<string, Set<Promise<unknown>>>();
  /** Unloaded, and its folder is still there. */
  private lastUnloaded: string | undefined;
  /** Adapters are loaded and unloaded one after the other: a folder is not taken away while it is written or read. */
  private administration: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: EndpointClient,
    private readonly settings: ServedFolders,
    private readonly config: ModelConfig,
    private readonly probes: VllmProbes,
  ) {}

  /** From now on the adapter is used only where it answers as its fingerprint says. */
  expect(digest: string, fingerprint: string): void {
    if (this.fingerprints.get(digest) === fingerprint) return;
    this.fingerprints.set(digest, fingerprint);
    this.quarantined.delete(digest);
    this.loading.delete(digest);
  }

  /** Under which name it is loaded; the same promise for all who ask, until it is forgotten. */
  loaded(adapter: Adapter): Promise<string> {
    const { digest } = adapter;
    const now = performance.now();
    const there = this.loading.get(digest);
    const isFresh = there !== undefined && now - there.sinceMs < ATTESTED_FOR_MS;
    const loaded = isFresh ? there : { name: this.administered(() => this.load(adapter)), sinceMs: now };
    // Set again, so that the order is that of use.
    this.loading.delete(digest);
    this.loading.set(digest, loaded);
    loaded.name.catch(() => this.forget(digest, loaded.name));
    this.unloadUnused();
    return loaded.name;
  }

  /** Has the adapter loaded again when it is asked for next, unless that is already under way. */
  forget(digest: string, name: Promise<string>): void {
    if (this.loading.get(digest)?.name === name) this.loading.delete(digest);
  }

  /** Work with what is loaded under a name, which is not unloaded before its end. */
  async using<T>(name: string, work: () => Promise<T>): Promise<T> {
    const under = this.users.get(name) ?? new Set();
    this.users.set(name, under);
    const done = work();
    under.add(done);
    try {
      return await done;
    } finally {
      under.delete(done);
      if (under.size === 0) this.users.delete(name);
    }
  }

  private administered<T>(work: () => Promise<T>): Promise<T> {
    const done = this.administration.then(work);
    this.administration = done.catch(() => undefined);
    return done;
  }

  private async load(adapter: Adapter): Promise<string> {
    const { digest } = adapter;
    const quarantined = this.quarantined.get(digest);
    if (quarantined !== undefined) throw quarantined;
    const fingerprint = this.fingerprints.get(digest);
    let refusal: unknown;
    // A second name, since under the first one the server has kept prompts that it computed with the weights that it has there.
    for (const name of [`seam-${digest}`, `seam-${digest}-anew`]) {
      await this.loadAs(name, adapter);
      if (fingerprint === undefined) return name;
      try {
        await this.probes.attest(name, fingerprint);
        return name;
      } catch (error) {
        if (!(error instanceof SeamError) || error.code !== 'ADAPTER_INVALID') throw error;
        refusal = error;
        await this.unload(name);
      }
    }
    const error = new SeamError('ADAPTER_INVALID', messageOf(refusal), { cause: refusal, details: { halts: true } });
    this.quarantined.set(digest, error);
    throw error;
  }

  private async loadAs(name: string, adapter: Adapter): Promise<void> {
    const { adaptersFolder, serverAdaptersFolder, model } = this.settings;
    let files: ReturnType<typeof encodePeft>;
    try {
      files = encodePeft(adapter, this.config, model);
    } catch (cause) {
      throw new SeamError('ADAPTER_INVALID', `Cannot serve by vLLM: ${messageOf(cause)}`, { cause });
    }
    await writeFolder(adaptersFolder, name, {
      [PEFT_FILE.config]: files.config,
      [PEFT_FILE.tensors]: files.tensors,
    });
    const result = await this.administer('load_lora_adapter', {
      lora_name: name,
      lora_path: `${serverAdaptersFolder.replace(/\/$/, '')}/${name}`,
    });
    // Under this name there is only one content, so one that is there already is this one.
    if (result.kind === 'answer' || /already/i.test(result.reason)) {
      this.held.add(name);
      return;
    }
    // vLLM answers 500 both to an adapter that it cannot take (of too much rank) and when its engine has ended.
    const isAdaptersFault =
      !result.retryable || (result.reason.includes('status 500') && (await this.probes.isServing()));
    if (!isAdaptersFault) throw errorOf(result);
    throw new SeamError(
      'ADAPTER_INVALID',
      `Cannot load adapter ${adapter.digest} into vLLM: ${result.reason} It needs --enable-lora, a --max-lora-rank that suffices, VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, and to see the folder of adapters.`,
    );
  }

  /** Begins to unload the adapter that was not used for longest. The caller does not wait for it. */
  private unloadUnused(): void {
    while (this.loading.size > LOADED_ADAPTERS) {
      const [digest, { name }] = [...this.loading][0]!;
      this.loading.delete(digest);
      // What cannot be unloaded takes room, no more: the server ends with it, or says that it is full.
      void this.administered(async () => this.unload(await name)).catch(() => undefined);
    }
  }

  /** When no request is under way with it. Its folder stays until the next one is unloaded, for what another client has under way. */
  private async unload(name: string): Promise<void> {
    await Promise.allSettled([...(this.users.get(name) ?? [])]);
    this.held.delete(name);
    await this.administer('unload_lora_adapter', { lora_name: name });
    const before = this.lastUnloaded;
    this.lastUnloaded = name;
    if (before === undefined || before === name || this.held.has(before)) return;
    await rm(join(this.settings.adaptersFolder, before), { recursive: true, force: true });
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
