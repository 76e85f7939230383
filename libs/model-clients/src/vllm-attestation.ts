/**
 * Whether what a server computes with is the adapter that was promoted. The promotion's fingerprint has the logits of some tokens behind
 * fixed prompts; a server that draws one token among these says their log-probabilities, which differ from the logits by a constant.
 */
import { SeamError } from '@seamstream/kernel';
import { fingerprintFigures } from '@seamstream/language-model';

/** The log-probabilities of these tokens behind a prompt, where only they are legal. */
export type AskAmong = (prompt: readonly number[], tokens: readonly number[]) => Promise<ReadonlyMap<number, number>>;

/** vLLM returns at most 20 log-probabilities of a place, unless --max-logprobs says otherwise. */
const TOKENS_AT_A_TIME = 16;

/**
 * How far the answers are from a fingerprint: the largest difference of a log-probability, as a share of the largest logit.
 * @throws ADAPTER_INVALID for a fingerprint of another form
 */
export async function distanceFrom(fingerprint: string, vocabularySize: number, ask: AskAmong): Promise<number> {
  const figures = fingerprintFigures(fingerprint, vocabularySize);
  if (figures === undefined) {
    throw new SeamError(
      'ADAPTER_INVALID',
      `Cannot attest an adapter: expected a fingerprint of logits, got "${fingerprint.slice(0, 20)}". Promote it again by this version.`,
    );
  }
  const largest = Math.max(...figures.flatMap(({ logits }) => [...logits.values()].map(Math.abs)));
  const questions = figures.flatMap(({ prompt, logits }) => {
    const all = [...logits];
    const parts = Array.from({ length: Math.ceil(all.length / TOKENS_AT_A_TIME) }, (_, part) =>
      all.slice(part * TOKENS_AT_A_TIME, (part + 1) * TOKENS_AT_A_TIME),
    );
    return parts.map((part) => ({ prompt, part }));
  });
  const distances = await Promise.all(
    questions.map(async ({ prompt, part }) => {
      const told = await ask(
        prompt,
        part.map(([id]) => id),
      );
      const mass = Math.log(part.reduce((sum, [, logit]) => sum + Math.exp(logit - largest), 0)) + largest;
      return part.map(([id, logit]) => Math.abs((told.get(id) ?? -Infinity) - (logit - mass)));
    }),
  );
  return Math.max(...distances.flat()) / largest;
}
