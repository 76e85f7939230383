import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import { loadPrompts } from '@seamstream/experience';
import type { GenerationRequest, GenerationResult } from '@seamstream/language-model';
import {
  conceptOf,
  entryOf,
  FakeGenerator,
  PROBLEMS,
  rightEntry,
  rule,
  schemaFor,
  tokenizer,
} from '@seamstream/rollout/testing';
import { fillerFor } from './control-entries.js';
import { measurePiece, type Piece, type PieceSettings } from './measure-piece.js';

const WOOD = PROBLEMS.filter(({ domain }) => domain === 'wood');
const CHEATSHEET = entryOf('yew', 'add');
const numberOf = (prompt: string): string => /Number \d+ /.exec(prompt)![0];

describe('a piece of held-out problems', () => {
  it('is measured in every row with the entries that the row is about', async () => {
    const { piece, entries } = await asked();
    for (const { prompt } of WOOD) {
      const own = entries.get(numberOf(prompt))!;
      expect(own).toContain(CHEATSHEET);
      expect(own).toContain(rightEntry(prompt));
      expect(own).toContain(fillerFor(rightEntry(prompt)).trim());
      expect(own.some((entry) => entry.includes('subtract'))).toBe(true);
    }
    const { rows } = piece;
    expect(rateOf(rows.trained)).toBe(1);
    expect(rateOf(rows.retrievedCase)).toBe(1);
    expect([rows.shuffledRewards, rows.filler, rows.noExperience, rows.wrapperOnly].map(rateOf)).toEqual([0, 0, 0, 0]);
    // A constant is right where it happens to be.
    expect(rows.cheatsheet).toEqual(WOOD.map(({ prompt }) => conceptOf(prompt) === 'yew'));
    // An exchanged entry is right for a problem with the same word alone.
    expect(rateOf(rows.shuffledEntries)).toBeLessThan(1);
    expect(piece.entries).toEqual(WOOD.map(({ prompt }) => rightEntry(prompt)));
  });

  it('leaves out rows for which there is nothing to ask with', async () => {
    const { piece } = await asked({ shuffledAdapter: null, cases: [] });
    expect(piece.rows).not.toHaveProperty('shuffledRewards');
    expect(piece.rows).not.toHaveProperty('retrievedCase');
    expect(rateOf(piece.rows.trained)).toBe(1);
  });
});

/** Where it solves by itself it is asked without a schema, and knows nothing. */
class AnsweringGenerator extends FakeGenerator {
  override generate(
    requests: readonly GenerationRequest[],
    options: Parameters<FakeGenerator['generate']>[1] = {},
  ): Promise<readonly GenerationResult[]> {
    if (requests.some(({ schema }) => schema !== undefined)) return super.generate(requests, options);
    const tokenIds = tokenizer.encode('Answer: unknown');
    const answer = { tokenIds, logProbs: [], legalMass: [], forced: [], finishReason: 'completed' } as const;
    return Promise.resolve(requests.map(({ seeds }) => seeds.map(() => answer)));
  }
}

/** What the executor was asked with: by problem every entry, in the order of the rows. */
interface Asked {
  readonly piece: Piece;
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

async function asked(changes: Partial<PieceSettings> = {}): Promise<Asked> {
  const prompts = await loadPrompts();
  const entries = new Map<string, string[]>();
  const generator = new AnsweringGenerator(tokenizer);
  const executor = new FakeExecutor((prompt) => {
    const entry = /Experience:\n(.*)\nSolution:/.exec(prompt)?.[1];
    if (entry !== undefined) entries.set(numberOf(prompt), [...(entries.get(numberOf(prompt)) ?? []), entry]);
    return rule(prompt);
  });
  const piece = await measurePiece(WOOD, {
    models: { generator, environment: new PromptInjection(executor, prompts), prompts, schemaFor, entryMaxTokens: 64 },
    adapter: generator.teach('right', rightEntry),
    shuffledAdapter: generator.teach('wrong', (text) => entryOf(conceptOf(text) === 'oak' ? 'ash' : 'oak', 'subtract')),
    cheatsheet: CHEATSHEET,
    cases: WOOD.map(({ prompt }) => ({ prompt, entry: rightEntry(prompt) })),
    maxAloneTokens: 96,
    onProgress: () => undefined,
    ...changes,
  });
  return { piece, entries };
}

function rateOf(solved: readonly (boolean | null)[] | undefined): number {
  return (solved ?? []).filter(Boolean).length / WOOD.length;
}
