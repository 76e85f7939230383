/**
 * A model whose replies are in the log. A recorded request is not sent again: a run that was killed resumes after its last reply, and
 * one that is repeated for comparison sends no request.
 */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import type { DistillationModel, ModelCall, ModelReply } from '@seamstream/experience-library';
import { type Clock, canonicalJson, derivedId, SeamError, sha256 } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import type { DistillationSource } from '@seamstream/model-clients';

export interface ReplyDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Undefined: no model can be asked, and only recorded replies are available. */
  readonly client: Omit<DistillationSource, 'close'> | undefined;
}

/** Settings of a run that decide what a model replies. */
export interface ReplySettings {
  readonly temperature: number;
  readonly maxTokens: number;
}

/** One for a process: what was spent is counted once. */
export class RecordedReplies {
  private known: Map<string, Promise<ModelReply>> | undefined;

  constructor(private readonly dependencies: ReplyDependencies) {}

  /**
   * @param mayAsk false: a reply that is not recorded is NOT_FOUND
   * @throws as the model's `prepare`, where it may be asked
   */
  async modelOf(
    runId: string,
    settings: ReplySettings,
    { mayAsk, signal }: { readonly mayAsk: boolean; readonly signal: AbortSignal },
  ): Promise<DistillationModel> {
    const replies = await this.read();
    const { client, log, clock } = this.dependencies;
    if (mayAsk) await client?.prepare(settings);
    const ask = async (call: ModelCall, callId: string): Promise<ModelReply> => {
      signal.throwIfAborted();
      if (!mayAsk || client === undefined)
        throw new SeamError(
          'NOT_FOUND',
          `Cannot bring a library on in run ${runId}: expected its reply ${callId.slice(0, 12)} in the log, got none${mayAsk ? ', and no model is configured (SEAM_TRAINER_DISTILLATION_URL or …_MODEL_FOLDER)' : ''}.`,
        );
      const { stage, prompt, form } = call;
      const asked = { stage, prompt, ...settings, seed: callId, ...(form === undefined ? {} : { form }) };
      const answer = await client.ask(asked, signal);
      const event: EventOf<'LibraryReplyRecorded'> = {
        type: 'LibraryReplyRecorded',
        meta: originMeta({
          ...{ messageId: derivedId(callId, 'reply'), correlationId: runId },
          ...{ source: 'seam/trainer', occurredAt: clock.now(), sourceClass: 'model' },
        }),
        ...{ runId, callId, stage, ...answer },
      };
      await log.append([encodeEvent(event)]);
      return replyOf(event);
    };
    return {
      ask: (call) => {
        const callId = callIdOf(runId, call, settings);
        const known = replies.get(callId);
        if (known !== undefined) return known;
        // Two equal questions under way are one.
        const asked = ask(call, callId);
        replies.set(callId, asked);
        asked.catch(() => replies.delete(callId));
        return asked;
      },
    };
  }

  private async read(): Promise<Map<string, Promise<ModelReply>>> {
    const { log, client } = this.dependencies;
    if (this.known !== undefined) return this.known;
    const known = new Map<string, Promise<ModelReply>>();
    for await (const { events } of readTopics(log, [TOPIC.training], { undecodable: 'skip' }))
      for (const { event } of events) {
        if (event.type !== 'LibraryReplyRecorded' || known.has(event.callId)) continue;
        known.set(event.callId, Promise.resolve(replyOf(event)));
        const { promptTokens, responseTokens } = event;
        client?.addSpent({ promptTokens, responseTokens });
      }
    this.known = known;
    return known;
  }
}

function callIdOf(runId: string, { stage, prompt, attempt }: ModelCall, settings: ReplySettings): string {
  return sha256(canonicalJson({ runId, stage, prompt, attempt, ...settings }));
}

function replyOf({ callId, content, isWhole }: EventOf<'LibraryReplyRecorded'>): ModelReply {
  return { callId, content, isWhole };
}
