/** Answers as responses: items of output in the order in which they began, and the events that tell them. Pure. */
import type { ChatAnswer, ChatChunk, ErrorBody, ResponsesRequest } from '@seamstream/gateway-contract';
import type { AnswerForm, StreamForm } from '../chat/answer-form.js';

/** What a response is called: its problem's id is behind it. */
export const RESPONSE = 'resp_';

type Fields = Readonly<Record<string, unknown>>;

/** @param createdAt in seconds since the Unix epoch */
export function responseForm(asked: ResponsesRequest, createdAt: number): AnswerForm {
  return {
    whole: (answer, problemId) => {
      const output = new Output(problemId);
      const { message, finish_reason: finish } = answer.choices[0]!;
      output.add('output_text', message.content ?? '');
      output.add('refusal', message.refusal ?? '');
      for (const [index, call] of (message.tool_calls ?? []).entries()) output.call(index, call);
      return responseOf({ asked, createdAt, problemId }, { ...endOf(finish), output, usage: answer.usage });
    },
    stream: (problemId) => new ResponseStream({ asked, createdAt, problemId }),
  };
}

interface Subject {
  readonly asked: ResponsesRequest;
  readonly createdAt: number;
  readonly problemId: string;
}

interface State {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly incomplete?: string;
  readonly error?: ErrorBody['error'];
  readonly output?: Output;
  readonly usage?: ChatAnswer['usage'];
}

/** Why it ended, in the words of this API. */
function endOf(finish: string | null | undefined): Pick<State, 'status' | 'incomplete'> {
  if (finish === 'length') return { status: 'incomplete', incomplete: 'max_output_tokens' };
  return finish === 'content_filter' ? { status: 'incomplete', incomplete: 'content_filter' } : { status: 'completed' };
}

/** The request is repeated, as clients expect it; nothing of it is stored. */
function responseOf(
  { asked, createdAt, problemId }: Subject,
  { status, incomplete, error, output, usage }: State,
): Fields {
  return {
    ...{ id: `${RESPONSE}${problemId}`, object: 'response', created_at: createdAt, status, model: asked.model },
    ...{ background: false, store: false, previous_response_id: null, truncation: 'disabled' },
    error: error === undefined ? null : { code: error.code ?? 'server_error', message: error.message },
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.max_output_tokens ?? null,
    metadata: asked.metadata ?? {},
    output:
      output?.items(status === 'in_progress' ? 'in_progress' : status === 'completed' ? 'completed' : 'incomplete') ??
      [],
    parallel_tool_calls: asked.parallel_tool_calls ?? true,
    reasoning: { effort: asked.reasoning?.effort ?? null, summary: null },
    ...{ temperature: asked.temperature ?? null, top_p: asked.top_p ?? null, user: asked.user ?? null },
    text: asked.text ?? { format: { type: 'text' } },
    tool_choice: asked.tool_choice ?? 'auto',
    tools: asked.tools ?? [],
    usage: usageOf(usage),
  };
}

/** What the executor did not say is null: unknown is never 0. */
function usageOf(usage: ChatAnswer['usage']): Fields | null {
  if (usage === null || usage === undefined) return null;
  const detail = (group: string, name: string): unknown => (usage[group] as Fields | null | undefined)?.[name] ?? null;
  return {
    input_tokens: usage.prompt_tokens ?? null,
    input_tokens_details: { cached_tokens: detail('prompt_tokens_details', 'cached_tokens') },
    output_tokens: usage.completion_tokens ?? null,
    output_tokens_details: { reasoning_tokens: detail('completion_tokens_details', 'reasoning_tokens') },
    total_tokens: usage.total_tokens ?? null,
  };
}

type PartKind = 'output_text' | 'refusal';

class TextPart {
  text = '';

  constructor(
    readonly kind: PartKind,
    readonly index: number,
  ) {}

  get value(): Fields {
    return this.kind === 'refusal'
      ? { type: 'refusal', refusal: this.text }
      : { type: 'output_text', text: this.text, annotations: [], logprobs: [] };
  }
}

/** A text of the assistant, or a call of a function. */
class Item {
  readonly parts: TextPart[] = [];
  callId = '';
  name = '';
  arguments = '';

  constructor(
    readonly kind: 'message' | 'function_call',
    readonly id: string,
    readonly index: number,
  ) {}

  value(status: string): Fields {
    return this.kind === 'message'
      ? { id: this.id, type: 'message', role: 'assistant', status, content: this.parts.map(({ value }) => value) }
      : {
          ...{ id: this.id, type: 'function_call', status },
          ...{ call_id: this.callId, name: this.name, arguments: this.arguments },
        };
  }
}

/** All that an answer says so far. */
class Output {
  readonly all: Item[] = [];
  private readonly calls = new Map<number, Item>();

  constructor(private readonly problemId: string) {}

  items(status: string): readonly Fields[] {
    return this.all.map((item) => item.value(status));
  }

  /** @returns the part that grew, with its item; undefined for no text */
  add(kind: PartKind, text: string): readonly [Item, TextPart] | undefined {
    if (text === '') return undefined;
    const item = this.all.find((each) => each.kind === 'message') ?? this.begin('message', `msg_${this.problemId}`);
    let part = item.parts.find((each) => each.kind === kind);
    if (part === undefined) {
      part = new TextPart(kind, item.parts.length);
      item.parts.push(part);
    }
    part.text += text;
    return [item, part];
  }

  /** @param call as chat answers say it, or a piece of it. @returns its item */
  call(index: number, call: Fields): Item {
    let item = this.calls.get(index);
    if (item === undefined) {
      item = this.begin('function_call', `fc_${this.problemId}_${index}`);
      this.calls.set(index, item);
    }
    const named = (call.function ?? {}) as { readonly name?: string | null; readonly arguments?: string | null };
    item.callId ||= typeof call.id === 'string' ? call.id : '';
    item.name ||= named.name ?? '';
    item.arguments += named.arguments ?? '';
    return item;
  }

  private begin(kind: Item['kind'], id: string): Item {
    const item = new Item(kind, id, this.all.length);
    this.all.push(item);
    return item;
  }
}

/** Items are all closed at the end, since only then it is known that nothing of them follows. */
class ResponseStream implements StreamForm {
  private readonly output: Output;
  private readonly told = new Set<Item | TextPart>();
  private sequence = 0;
  private finish: string | null = null;
  private usage: ChatAnswer['usage'] = null;

  constructor(private readonly subject: Subject) {
    this.output = new Output(subject.problemId);
  }

  part({ choices, usage }: ChatChunk): readonly string[] {
    const frames = this.begun();
    this.usage = usage ?? this.usage;
    const [choice] = choices ?? [];
    this.finish = choice?.finish_reason ?? this.finish;
    frames.push(...this.text('output_text', choice?.delta?.content ?? ''));
    frames.push(...this.text('refusal', choice?.delta?.refusal ?? ''));
    for (const call of choice?.delta?.tool_calls ?? []) frames.push(...this.call(call.index, call));
    return frames;
  }

  end(): readonly string[] {
    const frames = this.begun();
    for (const item of this.output.all) {
      const at = { item_id: item.id, output_index: item.index };
      for (const part of item.parts) {
        const inPart = { ...at, content_index: part.index };
        const { text } = part;
        frames.push(
          part.kind === 'refusal'
            ? this.frame('response.refusal.done', { ...inPart, refusal: text })
            : this.frame('response.output_text.done', { ...inPart, text, logprobs: [] }),
          this.frame('response.content_part.done', { ...inPart, part: part.value }),
        );
      }
      if (item.kind === 'function_call') {
        const { name, arguments: whole } = item;
        frames.push(this.frame('response.function_call_arguments.done', { ...at, name, arguments: whole }));
      }
      frames.push(this.frame('response.output_item.done', { output_index: item.index, item: item.value('completed') }));
    }
    const state = { ...endOf(this.finish), output: this.output, usage: this.usage };
    return [...frames, this.frame(`response.${state.status}`, { response: responseOf(this.subject, state) })];
  }

  failed(error: ErrorBody['error']): readonly string[] {
    const response = responseOf(this.subject, { status: 'failed', error, output: this.output, usage: this.usage });
    return [...this.begun(), this.frame('response.failed', { response })];
  }

  private begun(): string[] {
    if (this.sequence > 0) return [];
    const response = responseOf(this.subject, { status: 'in_progress' });
    return ['response.created', 'response.in_progress'].map((type) => this.frame(type, { response }));
  }

  private text(kind: PartKind, delta: string): readonly string[] {
    const grown = this.output.add(kind, delta);
    if (grown === undefined) return [];
    const [item, part] = grown;
    const at = { item_id: item.id, output_index: item.index, content_index: part.index };
    const event = kind === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta';
    return [
      ...this.once(item, () => this.added({ ...item.value('in_progress'), content: [] }, item)),
      ...this.once(part, () => {
        const empty = new TextPart(kind, part.index).value;
        return this.frame('response.content_part.added', { ...at, part: empty });
      }),
      this.frame(event, { ...at, delta, ...(kind === 'refusal' ? {} : { logprobs: [] }) }),
    ];
  }

  private call(index: number, piece: Fields): readonly string[] {
    const item = this.output.call(index, piece);
    const delta = (piece.function as { readonly arguments?: string | null } | undefined)?.arguments ?? '';
    const at = { item_id: item.id, output_index: item.index };
    return [
      ...this.once(item, () => this.added({ ...item.value('in_progress'), arguments: '' }, item)),
      ...(delta === '' ? [] : [this.frame('response.function_call_arguments.delta', { ...at, delta })]),
    ];
  }

  private added(value: Fields, { index }: Item): string {
    return this.frame('response.output_item.added', { output_index: index, item: value });
  }

  private once(what: Item | TextPart, frame: () => string): readonly string[] {
    if (this.told.has(what)) return [];
    this.told.add(what);
    return [frame()];
  }

  private frame(type: string, fields: Fields): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.sequence++, ...fields })}\n\n`;
  }
}
