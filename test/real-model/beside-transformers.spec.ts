/**
 * SmolLM2-135M-Instruct next to transformers, which reads the same file by itself: tensors, tokenizer, chat template and greedy
 * tokens. With PYTHON=path/to/python3 (torch, transformers, gguf, accelerate) that one is asked; otherwise its packages are fetched,
 * which are gigabytes. With SEAM_TEST_QUESTIONS=test.jsonl the questions of a dataset are the prompts (a field `question` per line).
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { pythonWithTransformers, smolLm2 } from '@seamstream/dev-servers';
import { LanguageModel } from '@seamstream/language-model';
import { Tokenizer } from '@seamstream/tokenizer';
import { fetched } from './fetched.js';
import { oddIds, oddTexts, realPrompts } from './prompts.js';

// Minutes on two quiet cores, and gigabytes the first time; what hangs ends nevertheless.
jest.setTimeout(3_600_000);

const PROMPTS = 50;
const NEW_TOKENS = 24;
const TEXTS = 3_000;
/**
 * In logits: where the best token leads by less, rounding decides, and a processor with other instructions may decide otherwise.
 * Ours and theirs differ by 1e-4 at most on models of this size (agreement.spec.ts).
 */
const TIE = 1e-3;

interface Reference {
  readonly same_tensors: boolean;
  readonly same_tokenizer: boolean;
  readonly written: readonly {
    /** Of the folder's tokenizer and of the file's. */
    readonly prompt: number[];
    readonly expected: number[];
    readonly tokens: number[];
    /** By how much the best token led, per token. */
    readonly leads: number[];
  }[];
  readonly ids: number[][];
  readonly plain: number[][];
  readonly decoded: string[];
  readonly decoded_ids: string[];
  /** Of each text the characters that the reference's Unicode does not know yet. */
  readonly unassigned: string[];
}

const needed = await fetched('SmolLM2 or transformers', async () => ({
  model: await smolLm2(),
  python: await pythonWithTransformers(),
}));

async function readPrompts(): Promise<string[]> {
  const file = process.env.SEAM_TEST_QUESTIONS;
  if (file === undefined) return realPrompts(PROMPTS, 'next to transformers');
  const lines = (await readFile(file, 'utf8')).split('\n', PROMPTS);
  return lines.map((line) => (JSON.parse(line) as { readonly question: string }).question);
}

(needed === undefined ? describe.skip : describe)('SmolLM2, next to transformers', () => {
  const texts = oddTexts(TEXTS, 'next to transformers');
  let prompts: string[];
  let randomIds: number[][];
  let tokenizer: Tokenizer;
  let reference: Reference;

  beforeAll(async () => {
    const { model, python } = needed!;
    tokenizer = await Tokenizer.load(model.folder);
    prompts = await readPrompts();
    randomIds = oddIds(TEXTS, tokenizer.vocabularySize, 'next to transformers');
    const folder = await mkdtemp(join(tmpdir(), 'seam-real-model-'));
    try {
      const request = join(folder, 'request.json');
      await writeFile(request, JSON.stringify({ ...model, prompts, newTokens: NEW_TOKENS, texts, ids: randomIds }));
      const script = fileURLToPath(new URL('transformers_reference.py', import.meta.url));
      // Threads that wait for each other without spinning: on a busy machine that is several times as fast.
      const env = { OMP_WAIT_POLICY: 'PASSIVE' };
      const { status, stdout, stderr } = await python.run(script, [request], { env });
      if (status !== 0) throw new Error(`transformers ended with ${String(status)}: ${stderr}`);
      reference = JSON.parse(stdout.trim().split('\n').at(-1)!) as Reference;
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is the very model that transformers makes of the same file', () => {
    expect(reference.same_tensors).toBe(true);
    expect(reference.same_tokenizer).toBe(true);
  });

  it('gives any text the ids that transformers gives it, and any ids their text', () => {
    // The reference does not know letters that are newer than its Unicode (docs/how-to/checkpoints.md).
    const compared = [...texts.keys()].filter((at) => !/[\p{L}\p{N}]/u.test(reference.unassigned[at]!));
    expect(compared.length).toBeGreaterThan(0.95 * TEXTS);
    compared.forEach((at) => {
      const text = texts[at]!;
      expect({ text, ids: tokenizer.encode(text) }).toEqual({ text, ids: reference.plain[at] });
      expect({ text, ids: tokenizer.encode(text, { specialTokens: true }) }).toEqual({ text, ids: reference.ids[at] });
      expect({ text, decoded: tokenizer.decode(reference.plain[at]!) }).toEqual({
        text,
        decoded: reference.decoded[at],
      });
    });
    randomIds.forEach((ids, at) => {
      expect({ ids, decoded: tokenizer.decode(ids) }).toEqual({ ids, decoded: reference.decoded_ids[at] });
    });
  });

  it('writes the tokens that transformers writes greedily after fifty real prompts', async () => {
    const encoded = prompts.map((prompt) => tokenizer.encodePrompt(prompt));
    expect(reference.written.map(({ prompt }) => prompt)).toEqual(encoded);
    expect(reference.written.map(({ expected }) => expected)).toEqual(encoded);

    const ours = await LanguageModel.load(needed!.model.folder, { threads: 2 });
    try {
      const sampling = { temperature: 0, topK: 0, topP: 1, maxTokens: NEW_TOKENS };
      const written = await ours.generate(
        encoded.map((promptTokenIds) => ({ promptTokenIds, seeds: ['greedy'], sampling })),
      );
      let ties = 0;
      written.forEach(([candidate], at) => {
        const { tokens, leads } = reference.written[at]!;
        const forked = tokens.findIndex((token, place) => token !== candidate!.tokenIds[place]);
        const isTie = forked >= 0 && leads[forked]! < TIE;
        if (isTie) ties += 1;
        const compared = isTie ? forked : Math.max(tokens.length, candidate!.tokenIds.length);
        expect({ at, tokens: [...candidate!.tokenIds].slice(0, compared) }).toEqual({
          at,
          tokens: tokens.slice(0, compared),
        });
      });
      process.stderr.write(`greedy tokens equal after ${PROMPTS - ties} of ${PROMPTS} prompts, ${ties} up to a tie\n`);
      expect(ties).toBeLessThanOrEqual(1);
    } finally {
      await ours.close();
    }
  });
});
