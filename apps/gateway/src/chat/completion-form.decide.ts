/** Answers as chat completions: the executor's own words, under an id that names the problem. Pure. */
import type { ChatChunk, ChatRequest } from '@seamstream/gateway-contract';
import type { AnswerForm } from './answer-form.js';

/** What an answer is called: feedback may name it, and its problem is in it. */
export const COMPLETION = 'chatcmpl-';

const DONE = 'data: [DONE]\n\n';
const frameOf = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

export function completionForm({ stream_options: options }: Pick<ChatRequest, 'stream_options'>): AnswerForm {
  const wantsUsage = options?.include_usage === true;
  return {
    whole: (answer, problemId) => ({ ...answer, id: `${COMPLETION}${problemId}` }),
    stream: (problemId) => ({
      part: (part) => {
        const shown = shownPart(part, `${COMPLETION}${problemId}`, wantsUsage);
        return shown === null ? [] : [frameOf(shown)];
      },
      end: () => [DONE],
      failed: (error) => [frameOf({ error })],
    }),
  };
}

/** A part as the client asked for it; null where it shows only what was not asked for. */
function shownPart(part: ChatChunk, id: string, wantsUsage: boolean): ChatChunk | null {
  if (wantsUsage || part.usage === undefined) return { ...part, id };
  if (part.usage !== null && (part.choices ?? []).length === 0) return null;
  const { usage: _, ...shown } = part;
  return { ...shown, id };
}
