/** An endpoint that brings libraries on: equal requests get equal replies, and it keeps account of what it was paid for. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventOf } from '@seamstream/events';
import type { DistillationStage } from '@seamstream/experience-library';
import { Random, sha256 } from '@seamstream/kernel';
import { type Behaviour, chatCompletion, ModelServer, type SeenRequest } from '@seamstream/testing/model-server';

/** A call that reached the endpoint: a provider takes money for it, whether or not its reply arrives. */
export interface PaidCall {
  readonly stage: DistillationStage;
  /** What the request names its call by. */
  readonly seed: number;
}

/** So long is a reply on its way: a kill finds some of them there. */
const ANSWERS_AFTER_MS = 15;

/** What the request of a recorded reply names its call by. */
export function seedOf({ callId }: Pick<EventOf<'LibraryReplyRecorded'>, 'callId'>): number {
  return Number.parseInt(sha256(callId).slice(0, 8), 16) >>> 1;
}

export class DistillingEndpoint {
  readonly paid: PaidCall[] = [];
  /** Learns of each call before it is answered. */
  onCall: (call: PaidCall) => void = () => undefined;

  private constructor(private readonly server: ModelServer) {}

  static async start(): Promise<DistillingEndpoint> {
    const server = await ModelServer.start(() => ({ kind: 'hang' }));
    const endpoint = new DistillingEndpoint(server);
    server.behave = (request) => endpoint.answer(request);
    return endpoint;
  }

  get url(): string {
    return this.server.url;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private async answer({ body }: SeenRequest): Promise<Behaviour> {
    const prompt = (body!.messages as readonly { readonly content: string }[])[0]!.content;
    const call = { stage: stageOf(prompt), seed: body!.seed as number };
    this.paid.push(call);
    this.onCall(call);
    await pause(ANSWERS_AFTER_MS);
    const content = replyTo(call.stage, prompt);
    const counts = { promptTokens: Math.ceil(prompt.length / 4), responseTokens: Math.ceil(content.length / 4) };
    return { kind: 'answer', body: chatCompletion(content, counts) };
  }
}

function stageOf(prompt: string): DistillationStage {
  if (prompt.startsWith('You review')) return 'summary';
  return prompt.startsWith('Several attempts') ? 'advantage' : 'consolidation';
}

/** Follows from every letter of the prompt, so that a library which was brought on differently is another one. */
function replyTo(stage: DistillationStage, prompt: string): string {
  const words = wordsOf(prompt);
  switch (stage) {
    case 'summary':
      return `It tried ${words}.`;
    case 'advantage':
      return JSON.stringify({
        operations: [{ operation: 'add', text: `When asked, ${words}.`, reason: 'it was right' }],
      });
    case 'consolidation':
      return JSON.stringify({
        operations: [{ operation: 'add', text: `When unsure, ${words}.`, from: [1], reason: 'all say it' }],
      });
  }
}

/** Words of no two prompts are near duplicates. */
function wordsOf(prompt: string): string {
  const random = Random.of(prompt);
  return Array.from({ length: 6 }, () => `w${random.int(100_000)}`).join(' ');
}
