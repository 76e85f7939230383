/**
 * A model whose replies are in the log. A recorded request is not sent again: a run that was killed resumes after its last reply, also in
 * another process, and one that is repeated for comparison sends no request. Of two replies to one request, which a worker and the one
 * that took its run over may both have paid, the first in the log counts for both.
 */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import type { DistillationModel, ModelCall, ModelReply } from '@seamstream/experience-library';
import { type Clock, canonicalJson, derivedId, newId, SeamError, sha256 } from '@seamstream/kernel';
import { NewEvents } from '@seamstream/log-reader';
import type { DistillationAnswer, DistillationSource } from '@seamstream/model-clients';

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

/** Of a content as JSON. A record holds a million bytes, and no list of operations that is read needs so many. */
const MOST_BYTES = 900_000;
/** Of a content that is longer: in JSON a character takes 6 bytes at most. */
const CUT_CHARACTERS = 50_000;

/** One for a process: what was spent is counted once. */
export class RecordedReplies {
  private readonly training: NewEvents;
  /** By request. */
  private readonly known = new Map<string, ModelReply>();
  /** Requests whose reply this process paid and has not read in the log yet. */
  private readonly paid = new Set<string>();
  private reading: Promise<void> = Promise.resolve();

  constructor(private readonly dependencies: ReplyDependencies) {
    this.training = new NewEvents(dependencies.log, [TOPIC.training]);
  }

  /**
   * @param mayAsk false: a reply that is not recorded is NOT_FOUND
   * @throws as the model's `prepare`, where it may be asked
   */
  async modelOf(
    runId: string,
    settings: ReplySettings,
    { mayAsk, signal }: { readonly mayAsk: boolean; readonly signal: AbortSignal },
  ): Promise<DistillationModel> {
    await this.catchUp();
    const { client } = this.dependencies;
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
      const { clock } = this.dependencies;
      const askedAt = clock.now();
      const unread: DistillationAnswer[] = [];
      let answer: DistillationAnswer;
      try {
        answer = recordable(await client.ask(asked, signal, (each) => unread.push(each)));
      } finally {
        // They answer nothing: the question stays open, and what they cost is known after a restart.
        for (const each of unread) await this.recordPaid({ runId, callId: sha256(newId()), stage, ...each });
      }
      await this.recordPaid({ runId, callId, stage, ...answer, latencyMs: clock.now() - askedAt });
      await this.catchUp();
      return this.known.get(callId) ?? { callId, content: answer.content, isWhole: answer.isWhole };
    };
    const underWay = new Map<string, Promise<ModelReply>>();
    return {
      ask: async (call) => {
        const callId = callIdOf(runId, call, settings);
        const known = this.known.get(callId);
        if (known !== undefined) return known;
        // Two equal questions under way are one.
        const asked = underWay.get(callId) ?? ask(call, callId);
        underWay.set(callId, asked);
        return asked.finally(() => underWay.delete(callId));
      },
    };
  }

  /** The client has counted it. */
  private async recordPaid(reply: Omit<EventOf<'LibraryReplyRecorded'>, 'type' | 'meta'>): Promise<void> {
    const { log, clock } = this.dependencies;
    const { runId, callId } = reply;
    this.paid.add(callId);
    const event: EventOf<'LibraryReplyRecorded'> = {
      type: 'LibraryReplyRecorded',
      meta: originMeta({
        ...{ messageId: derivedId(callId, 'reply'), correlationId: runId },
        ...{ source: 'seam/trainer', occurredAt: clock.now(), sourceClass: 'model' },
      }),
      ...reply,
    };
    await log.append([encodeEvent(event)]);
  }

  /** Reads what the log has since the last time; one reading after the other, so that each begins after what its caller appended. */
  private catchUp(): Promise<void> {
    const next = this.reading.then(() => this.readNew());
    this.reading = next.catch(() => undefined);
    return next;
  }

  private async readNew(): Promise<void> {
    for (const { event } of await this.training.read()) {
      if (event.type !== 'LibraryReplyRecorded') continue;
      const { callId, content, isWhole, promptTokens, responseTokens } = event;
      // The client counted its own; others' are of the same budget.
      if (!this.paid.delete(callId)) this.dependencies.client?.addSpent({ promptTokens, responseTokens });
      if (!this.known.has(callId)) this.known.set(callId, { callId, content, isWhole });
    }
  }
}

/** As it is recorded: one that no record holds is cut, so that it is paid once and counts as cut off. */
function recordable(answer: DistillationAnswer): DistillationAnswer {
  const { content } = answer;
  if (content === null || Buffer.byteLength(JSON.stringify(content)) <= MOST_BYTES) return answer;
  // Not between the halves of a character.
  return { ...answer, content: content.slice(0, CUT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, ''), isWhole: false };
}

function callIdOf(runId: string, { stage, prompt, attempt }: ModelCall, settings: ReplySettings): string {
  return sha256(canonicalJson({ runId, stage, prompt, attempt, ...settings }));
}
