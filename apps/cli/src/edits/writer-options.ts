/** Options that say who writes edits, how, and within which time. */
import { datasetForms } from '@seamstream/datasets';
import { SeamError } from '@seamstream/kernel';
import type { CacheChoice, EditWriterChoice, GenerateRequest, SimilarityChoice } from '@seamstream/operations/edits';
import { SELF_EDIT_KINDS, WRITING_LIMITS } from '@seamstream/self-edits';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '../command-options.js';

/** Edits that a model of this machine writes side by side: few enough that each is there in time. */
const BATCH = 4;
const MOST_EDITS = 64;
/** Where embeddings usually place texts about different things; models differ, so it is to be set by a look at the figures. */
const LEAST_SIMILARITY = 0.3;

export interface WriterOptions {
  readonly kind: string;
  readonly template?: string;
  readonly dataset?: string;
  readonly limit?: number;
  readonly edits: number;
  readonly model?: string;
  readonly adapter: string;
  readonly batch: number;
  readonly endpoint?: string;
  readonly endpointModel?: string;
  readonly keyVariable?: string;
  readonly concurrency?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly budgetTokens?: number;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly seed: string;
  readonly timeout: number;
  readonly tries: number;
  readonly tokenizer?: string;
  readonly similarityEndpoint?: string;
  readonly similarityModel?: string;
  readonly similarityKeyVariable?: string;
  readonly leastSimilarity: number;
  /** False: without one. */
  readonly cache: string | boolean;
  readonly cacheSize?: number;
}

/** A number within a range, both ends included but for a `least` that is said to be above. */
function numberIn(option: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Cannot read ${option}: expected a number from ${least} to ${most}, got "${text}".`);
  };
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, B: 1, KB: 1000, MB: 1000 ** 2, GB: 1000 ** 3, TB: 1000 ** 4 },
  ...{ KIB: 1024, MIB: 1024 ** 2, GIB: 1024 ** 3, TIB: 1024 ** 4 },
};

/** Reader of a size: 5GB, 500MiB, or bytes. */
export function sizeIn(option: string): (text: string) => number {
  return (text) => {
    const [, figure, unit] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text.trim()) ?? [];
    const factor = UNITS[unit?.toUpperCase() ?? '-'];
    if (figure !== undefined && factor !== undefined) return Math.floor(Number(figure) * factor);
    throw new InvalidArgumentError(`Cannot read ${option}: expected a size as 5GB or 500MiB, got "${text}".`);
  };
}

/** Adds all of them. */
export function withWriterOptions(command: Command): Command {
  withCacheFolder(withTeacherOptions(withKindOptions(command)))
    .option('--no-cache', 'ask for each edit, and keep none for later runs')
    .addOption(
      new Option('--cache-size <size>', 'edits that were not used for the longest time make room beyond it')
        .argParser(sizeIn('--cache-size'))
        .default(undefined, '10GB'),
    );
  return command
    .option('--temperature <t>', '0 takes the most probable', numberIn('--temperature', 0, 2), 1)
    .option('--top-p <p>', 'mass of the most probable tokens to draw from', numberIn('--top-p', 0.01, 1), 1)
    .option('--max-tokens <n>', 'most tokens of an edit', wholeNumber('--max-tokens', 1), 256)
    .option('--seed <text>', 'decides what is drawn', 'seam')
    .option(
      '--timeout <seconds>',
      'longest time for a try of an edit',
      numberIn('--timeout', 0.1, 86_400),
      WRITING_LIMITS.timeoutMs / 1000,
    )
    .option(
      '--tries <n>',
      'tries of an edit; then its passage has none',
      wholeNumber('--tries', 1),
      WRITING_LIMITS.tries,
    )
    .option('--tokenizer <file>', 'tokenizer.json of the model that is trained, by which the filters count tokens')
    .option(
      '--similarity-endpoint <url>',
      'a server of embeddings: edits of another meaning than their passage are refused',
    )
    .option('--similarity-model <name>', 'its model, as its server calls it')
    .option('--similarity-key-variable <name>', 'environment variable that holds its key')
    .option(
      '--least-similarity <cosine>',
      'between the embeddings of an edit and of its passage',
      numberIn('--least-similarity', -1, 1),
      LEAST_SIMILARITY,
    );
}

/** Where edits are kept. */
export function withCacheFolder(command: Command): Command {
  return command.option(
    '--cache <folder>',
    'where edits are kept for later runs (default: edit-cache in the data folder)',
  );
}

function withKindOptions(command: Command): Command {
  return command
    .option('--kind <name>', `kind of self-edit: ${SELF_EDIT_KINDS.join(', ')}`, 'implications')
    .addOption(new Option('--template <path>', 'a JSON file or folder with a kind of your own').conflicts('kind'))
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .option('--limit <n>', 'the first n passages only', wholeNumber('--limit', 1))
    .option('--edits <n>', 'edits of each passage', wholeNumber('--edits', 1, MOST_EDITS), 1)
    .option('--model <folder>', 'the model that writes (default: the configured generator)')
    .option('--adapter <digest>', 'of that model: base, served, or the first digits of a digest', 'base')
    .option('--batch <n>', 'edits that it writes side by side', wholeNumber('--batch', 1), BATCH);
}

function withTeacherOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--endpoint <url>', 'a teacher writes: base address of an OpenAI-compatible server').conflicts(
        'model',
      ),
    )
    .option('--endpoint-model <name>', "the teacher's model, as its server calls it")
    .option('--key-variable <name>', 'environment variable that holds the key of the endpoint')
    .option('--concurrency <n>', 'requests under way at a time (default: 8)', wholeNumber('--concurrency', 1))
    .option('--requests-per-minute <n>', 'limit of the endpoint', wholeNumber('--requests-per-minute', 1))
    .option('--tokens-per-minute <n>', 'limit of the endpoint', wholeNumber('--tokens-per-minute', 1))
    .option('--budget-tokens <n>', 'stop before more tokens are used', wholeNumber('--budget-tokens', 1));
}

/** What the options ask for. @throws INVALID_INPUT for an endpoint without a model, and what belongs to an endpoint without one */
export function generateRequest(options: WriterOptions): Omit<GenerateRequest, 'out' | 'force'> {
  const { kind, template, dataset, limit, edits, temperature, topP, maxTokens, seed, tries, tokenizer } = options;
  const timeoutMs = Math.round(options.timeout * 1000);
  return {
    ...{ kind, template, dataset, limit, editsPerPassage: edits, seed, tries, tokenizer, timeoutMs },
    writer: writerChoice(options, timeoutMs),
    sampling: { temperature, topP, maxTokens },
    similarity: similarityChoice(options),
    cache: cacheChoice(options),
  };
}

function writerChoice(options: WriterOptions, timeoutMs: number): EditWriterChoice {
  const { model, adapter, batch, endpoint: url, endpointModel, ...rest } = options;
  if (url === undefined) {
    if (endpointModel === undefined) return { by: 'generator', modelFolder: model, adapter, batch };
    throw refused('the address of the endpoint (--endpoint) with its model', 'a model alone');
  }
  if (endpointModel === undefined) throw refused("the endpoint's model (--endpoint-model)", 'an address alone');
  checkAddress('--endpoint', url);
  const { keyVariable, concurrency, requestsPerMinute, tokensPerMinute, budgetTokens } = rest;
  return {
    ...{ by: 'teacher', url, model: endpointModel, keyVariable, concurrency, requestsPerMinute, tokensPerMinute },
    ...{ budgetTokens, timeoutMs },
  };
}

function similarityChoice(options: WriterOptions): SimilarityChoice | null {
  const { similarityEndpoint: url, similarityModel: model, similarityKeyVariable: keyVariable } = options;
  if (url === undefined && model === undefined) return null;
  if (url === undefined || model === undefined)
    throw refused('an endpoint of embeddings (--similarity-endpoint) with its model (--similarity-model)', 'one alone');
  checkAddress('--similarity-endpoint', url);
  return { url, model, keyVariable, least: options.leastSimilarity };
}

function checkAddress(option: string, url: string): void {
  const { protocol, username, password } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', username: '', password: '' };
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw refused(`${option} https://host/v1, without a user and a password`, 'another address');
}

function cacheChoice({ cache, cacheSize: maxBytes }: WriterOptions): CacheChoice | null {
  if (cache === false) return null;
  return { folder: typeof cache === 'string' ? cache : undefined, maxBytes };
}

function refused(expected: string, got: string): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot choose a writer of edits: expected ${expected}, got ${got}. Name both.`,
  );
}
