/** How long a text is in tokens: by a tokenizer where one is known, otherwise estimated. */
import { SeamError, sha256 } from '@seamstream/kernel';
import { Tokenizer } from '@seamstream/tokenizer';

interface ReadingDoor {
  readInput(path: string): Promise<Uint8Array>;
}

export interface TokenCounter {
  readonly countTokens: (text: string) => number;
  /** Digest of the tokenizer's file, the writer of an edit, or {@link ESTIMATED}. */
  readonly countedBy: string;
}

export const ESTIMATED = 'estimated';
/** Bytes of text that a token has on average: an estimate for English. */
const BYTES_PER_TOKEN = 4;

/**
 * @param path of a tokenizer.json
 * @param writers how the writer of edits counts, where no file is named
 * @throws INVALID_INPUT for a file that is not JSON; otherwise as `Tokenizer.fromJson`
 */
export async function tokenCounter(
  door: ReadingDoor,
  path: string | undefined,
  writers?: (text: string) => number,
): Promise<TokenCounter> {
  if (path !== undefined) {
    const text = Buffer.from(await door.readInput(path)).toString('utf8');
    const tokenizer = tokenizerOf(path, text);
    return { countTokens: (each) => tokenizer.encode(each).length, countedBy: sha256(text) };
  }
  if (writers !== undefined) return { countTokens: writers, countedBy: 'writer' };
  return { countTokens: (each) => Math.ceil(Buffer.byteLength(each) / BYTES_PER_TOKEN), countedBy: ESTIMATED };
}

function tokenizerOf(path: string, text: string): Tokenizer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const expected = 'a tokenizer.json, got no JSON. Name the file of the model that would be trained.';
    throw new SeamError('INVALID_INPUT', `Cannot read the tokenizer ${path}: expected ${expected}`, { cause });
  }
  return Tokenizer.fromJson(value);
}
