/** What has come of an answer so far: a fold over the parts of a stream, or the whole answer at once. Pure. */
import type { ChatAnswer, ChatChunk } from '@seamstream/gateway-contract';
import { canonicalJson } from '@seamstream/kernel';
import type { ReportedUsage } from '../quotas/reported-tokens.js';

export interface Answered {
  readonly text: string;
  /** In the server's word; null while it has not ended. */
  readonly finishReason: string | null;
  readonly usage: ReportedUsage;
}

/** An answer that grows. */
export class GrowingAnswer {
  private readonly texts: string[] = [];
  private readonly calls: { name: string; arguments: string[] }[] = [];
  private finishReason: string | null = null;
  private usage: ReportedUsage = null;

  add({ choices, usage }: ChatChunk): void {
    this.usage = usage ?? this.usage;
    const [choice] = choices ?? [];
    if (choice === undefined) return;
    this.finishReason = choice.finish_reason ?? this.finishReason;
    this.texts.push(choice.delta?.content ?? choice.delta?.refusal ?? '');
    for (const { index, function: called } of choice.delta?.tool_calls ?? []) {
      const call = (this.calls[index] ??= { name: '', arguments: [] });
      call.name ||= called?.name ?? '';
      call.arguments.push(called?.arguments ?? '');
    }
  }

  /** The server said why it ended. */
  get isEnded(): boolean {
    return this.finishReason !== null;
  }

  get answered(): Answered {
    // A server may number calls with gaps.
    const calls = Object.values(this.calls).map(({ name, arguments: parts }) => ({ name, arguments: parts.join('') }));
    return {
      text: recordedText(this.texts.join(''), calls),
      finishReason: this.finishReason,
      usage: this.usage,
    };
  }
}

export function answeredOf({ choices, usage }: ChatAnswer): Answered {
  const { message, finish_reason: finishReason } = choices[0]!;
  const calls = (message.tool_calls ?? []).map((call) => call.function ?? call);
  return {
    text: recordedText(message.content ?? message.refusal ?? '', calls),
    finishReason: finishReason ?? null,
    usage: usage ?? null,
  };
}

/** Calls of tools are part of what was answered, behind the text. */
function recordedText(text: string, calls: readonly unknown[]): string {
  return calls.length === 0
    ? text
    : [text, canonicalJson({ tool_calls: calls })].filter((each) => each !== '').join('\n');
}
