/** An honest double of the generator: real tokens, a real grammar and real sampling, with a simple head. */
import { Random, sha256 } from '@seamstream/kernel';
import {
  type Adapter,
  createAdapter,
  type GeneratedSequence,
  type GenerationRequest,
  type GenerationResult,
  type GrammarOf,
  Grammars,
  type SpelledText,
  sampleToken,
  spelledText,
} from '@seamstream/language-model';
import { type JsonSchema } from '@seamstream/token-grammar';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import type { GeneratorModel } from './generator-model.port.js';

/** What a trained generator knows: the entry to write for a prompt. */
export type Knowledge = (promptText: string) => string;

/**
 * A generator without weights: all legal tokens are equally likely, unless an adapter was taught. A taught adapter prefers the
 * tokens of the entry it knows for the prompt.
 */
export class FakeGenerator implements GeneratorModel {
  readonly digest = sha256('fake generator');
  readonly config = { maxPositions: 512 };
  readonly requests: GenerationRequest[] = [];
  private readonly taught = new Map<string, Knowledge>();
  private readonly grammars: Grammars;

  constructor(readonly tokenizer: Tokenizer) {
    this.grammars = new Grammars(tokenizer);
  }

  teach(name: string, knowledge: Knowledge): Adapter {
    const tensors = new Map([[name, { shape: [1], data: Float32Array.of(1) }]]);
    const adapter = createAdapter({ kind: 'full', settings: { kind: 'full' }, baseModelDigest: this.digest, tensors });
    this.taught.set(adapter.digest, knowledge);
    return adapter;
  }

  assertWrites(schemas: readonly JsonSchema[], maxTokens: number): Promise<void> {
    return this.grammars.assertWithin(schemas, maxTokens);
  }

  spell(text: string, schema?: JsonSchema): Promise<SpelledText | undefined> {
    const { tokenizer, grammars } = this;
    return spelledText(text, { tokenizer, grammars, schema, endTokenIds: [] });
  }

  async generate(
    requests: readonly GenerationRequest[],
    options: { readonly adapter?: Adapter } = {},
  ): Promise<readonly GenerationResult[]> {
    this.requests.push(...requests);
    const knowledge = options.adapter === undefined ? undefined : this.taught.get(options.adapter.digest);
    const grammarOf = await this.grammars.prepare(requests.map(({ schema }) => schema));
    return requests.map((request) => request.seeds.map((seed) => this.candidate(request, grammarOf, seed, knowledge)));
  }

  private candidate(
    { promptTokenIds, sampling, schema }: GenerationRequest,
    grammarOf: GrammarOf,
    seed: string,
    knowledge: Knowledge | undefined,
  ): GeneratedSequence {
    if (schema === undefined) throw new TypeError('the fake generator writes under a schema only');
    const grammar = grammarOf(schema);
    const wanted =
      knowledge === undefined ? [] : this.tokenizer.encode(knowledge(this.tokenizer.decode(promptTokenIds)));
    const random = Random.of(seed);
    const drawn: { id: number; logProb: number; legalMass: number; forced: boolean }[] = [];
    let state = grammar.start();
    while (!grammar.isComplete(state)) {
      const legal = grammar.allowedWithin(state, sampling.maxTokens - drawn.length).ids;
      const logits = new Float32Array(this.tokenizer.vocabularySize);
      const next = wanted[drawn.length];
      if (next !== undefined) logits[next] = 50;
      drawn.push({ ...sampleToken(logits, legal, sampling, random), forced: legal.length === 1 });
      state = grammar.advance(state, drawn.at(-1)!.id);
    }
    return {
      tokenIds: drawn.map(({ id }) => id),
      logProbs: drawn.map(({ logProb }) => logProb),
      legalMass: drawn.map(({ legalMass }) => legalMass),
      forced: drawn.map(({ forced }) => forced),
      finishReason: 'completed',
    };
  }
}

/** A small tokenizer that has seen the texts. */
export function fakeTokenizer(texts: readonly string[]): Tokenizer {
  return Tokenizer.fromJson(trainByteLevelBpe(texts, 300, ['<|endoftext|>']));
}
