/**
 * Training-Free GRPO's way from attempts to proposals (arXiv 2510.08191, section 2): a model gives an account of each attempt, compares
 * those of a group, and looks over the proposals of the batch. A reply that cannot be read is asked for again, then counted: of it nothing
 * is used. Where the last stage cannot be read, the rules of consolidation decide between the proposals themselves.
 */
import type { JudgedAttempt } from './contrast.decide.js';
import {
  type DistillationTemplates,
  formWords,
  keepLine,
  listedItems,
  listedProposals,
  quoted,
  type RepliedOperation,
  repliedOperations,
  writtenOperations,
} from './distillation-prompts.js';
import type { ExperienceLibrary } from './library.js';
import type { Proposal } from './proposals.js';
import { tidy } from './says-nothing.js';

/** What a model reads of an attempt. */
interface AttemptTrace {
  readonly prompt: string;
  /** Null where there is none, and where none is to be shown. */
  readonly reference: string | null;
  readonly response: string;
}

export interface TracedAttempt extends JudgedAttempt {
  readonly trace: AttemptTrace;
}

export type DistillationStage = 'summary' | 'advantage' | 'consolidation';

export interface ModelCall {
  readonly stage: DistillationStage;
  readonly prompt: string;
  /** Which try it is, from 1: the same question again is another call. */
  readonly attempt: number;
  /** What the reply has to be, as JSON Schema; absent for text. For models that write under one: it is no part of the question. */
  readonly form?: Readonly<Record<string, unknown>>;
}

export interface ModelReply {
  readonly callId: string;
  /** Null where the model refused. */
  readonly content: string | null;
  /** False: cut off. */
  readonly isWhole: boolean;
}

/** Answers calls; equal ones with the same reply. */
export interface DistillationModel {
  ask(call: ModelCall): Promise<ModelReply>;
}

export interface DistillationSettings {
  /** Whether verdicts and references are shown; otherwise a model judges the attempts by itself. */
  readonly groundTruth: boolean;
  /** Attempts at a problem that are compared, single ones, or none: only what was asked. */
  readonly evidence: 'groups' | 'attempts' | 'problems';
  /** Of one group. */
  readonly maxOperations: number;
  /** Tries of a reply that cannot be read. */
  readonly attempts: number;
  readonly maxWords: number;
  readonly maxItems: number;
  /** What an operation of the last stage rests on that names no proposal; absent: `all` of them. */
  readonly ungrounded?: 'all' | 'least';
  /** Whether the last stage is offered `keep`; absent: not, as in runs of earlier releases. */
  readonly offersKeep?: boolean;
}

export interface Distilled {
  readonly proposals: readonly Proposal[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Most operations of one consolidation: a batch has some for each group. */
const MOST_DECIDED = 300;
const NO_ATTEMPTS = '(none)';

export async function distil(
  groups: readonly (readonly TracedAttempt[])[],
  library: Pick<ExperienceLibrary, 'items'>,
  model: DistillationModel,
  templates: DistillationTemplates,
  settings: DistillationSettings,
): Promise<Distilled> {
  const counts = { calls: 0, unreadReplies: 0, unsummarisedAttempts: 0 };
  const asking = new Asking(model, settings, counts);
  // 1. and 2. All groups at once: the endpoint's limits say how many requests are under way.
  const advised = await allOf(groups.map((group) => adviceOf(group, library, asking, templates, settings)));
  const proposals = advised.flat();
  if (proposals.length === 0) return { proposals, metrics: counts };
  // 3. The batch as a whole.
  const decided = await asking.operations(
    'consolidation',
    templates.consolidation.render({
      experiences: listedItems(library.items),
      proposals: listedProposals(proposals),
      keep: keepLine(settings.offersKeep ?? false),
      maxWords: String(settings.maxWords),
      maxItems: String(settings.maxItems),
    }),
    MOST_DECIDED,
  );
  if (decided === undefined) return { proposals, metrics: { ...counts, unconsolidatedBatches: 1 } };
  const grounded = decided.operations.map((each) => groundedIn(each, proposals, decided.callId, settings.ungrounded));
  return { proposals: grounded, metrics: counts };
}

/** All that a model is asked in a run, without any material: what of it comes back as a text is no experience. */
export function askedWords(templates: DistillationTemplates, settings: DistillationSettings): readonly string[] {
  const [maxWords, maxItems, maxOperations] = [settings.maxWords, settings.maxItems, settings.maxOperations].map(
    String,
  );
  const experiences = listedItems([]);
  const limits = { experiences, maxWords: maxWords! };
  return [
    templates.summary.render({ problem: '', entry: '', response: '', verdict: '' }),
    templates.advantage.render({
      ...{ ...limits, ...advantageWords(settings), maxOperations: maxOperations! },
      ...{ problem: '', attempts: NO_ATTEMPTS },
    }),
    templates.consolidation.render({
      ...{ ...limits, maxItems: maxItems!, proposals: '' },
      keep: keepLine(settings.offersKeep ?? false),
    }),
    ...formWords(),
  ];
}

/** Waits for all, also where one fails: what was paid is recorded before the run ends. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  const ended = await Promise.allSettled(work);
  return ended.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

async function adviceOf(
  group: readonly TracedAttempt[],
  library: Pick<ExperienceLibrary, 'items'>,
  asking: Asking,
  templates: DistillationTemplates,
  settings: DistillationSettings,
): Promise<readonly Proposal[]> {
  const [first] = group;
  const isShown = settings.evidence !== 'problems';
  const accounts = await allOf(
    (isShown ? group : []).map((attempt) =>
      asking.text('summary', templates.summary.render(summaryValues(attempt, settings))),
    ),
  );
  const attempts = group.flatMap(({ success }, at) => {
    const account = accounts[at];
    if (account === undefined) return [];
    const verdict = settings.groundTruth ? ` (${success ? 'right' : 'wrong'})` : '';
    return [`Attempt ${at + 1}${verdict}: ${quoted(account)}`];
  });
  if (isShown && attempts.length === 0) return [];
  const advised = await asking.operations(
    'advantage',
    templates.advantage.render({
      problem: quoted(first!.trace.prompt),
      ...advantageWords(settings),
      attempts: isShown ? attempts.join('\n') : NO_ATTEMPTS,
      experiences: listedItems(library.items),
      maxWords: String(settings.maxWords),
      maxOperations: String(settings.maxOperations),
    }),
    settings.maxOperations,
  );
  if (advised === undefined) return [];
  const grounds = { groups: [first!.groupId], calls: [advised.callId] };
  return advised.operations.map((each) => proposalOf(each, grounds));
}

/** What the second stage is about, and what it is to do. */
function advantageWords({ evidence, groundTruth }: DistillationSettings): Readonly<Record<'opening' | 'task', string>> {
  switch (evidence) {
    case 'groups': {
      const comparison = groundTruth
        ? 'that were right with those that were wrong'
        : 'with one another: decide yourself which of them are likely to be right';
      return {
        opening: 'Several attempts at one problem are described below.',
        task: `Compare the attempts ${comparison}.`,
      };
    }
    case 'attempts':
      return {
        opening: 'One attempt at a problem is described below.',
        task: groundTruth
          ? 'Find what made the attempt right or wrong.'
          : 'Decide yourself whether the attempt is likely to be right.',
      };
    case 'problems':
      return {
        opening: 'A problem is given below, and no attempt at it.',
        task: 'Think of how problems of this kind are solved.',
      };
  }
}

function summaryValues(
  { trace, entry, success }: TracedAttempt,
  { groundTruth }: DistillationSettings,
): Record<'problem' | 'entry' | 'response' | 'verdict', string> {
  const { prompt, reference, response } = trace;
  const right = reference === null ? '' : ` The right answer is between the markers:\n<<<\n${quoted(reference)}\n>>>`;
  return {
    problem: quoted(prompt),
    entry: quoted(entry),
    response: quoted(response),
    verdict: groundTruth ? `The answer was ${success ? 'right' : 'wrong'}.${right}` : 'The answer was not judged.',
  };
}

function proposalOf(
  operation: RepliedOperation,
  { groups, calls }: { readonly groups: readonly string[]; readonly calls: readonly string[] },
): Proposal {
  const grounds = { groups, calls, reason: operation.reason };
  switch (operation.operation) {
    case 'add':
      // For the general list: what a model writes is for all problems that it is retrieved for.
      return { operation: 'add', text: operation.text, domain: null, field: null, ...grounds };
    case 'modify':
      return { operation: 'modify', id: operation.id, text: operation.text, ...grounds };
    case 'merge':
      return { operation: 'merge', ids: operation.ids, text: operation.text, ...grounds };
    case 'delete':
    case 'keep':
      return { operation: operation.operation, id: operation.id, ...grounds };
  }
}

/** With the grounds of the proposals that it names. One that names none must not outweigh those that do. */
function groundedIn(
  operation: RepliedOperation,
  proposals: readonly Proposal[],
  callId: string,
  ungrounded: 'all' | 'least' = 'all',
): Proposal {
  const named = operation.from.flatMap((number) => proposals[number - 1] ?? []);
  const others = ungrounded === 'all' ? proposals : proposals.filter((each) => isOfSame(each, operation));
  const own = named.length === 0 ? others : named;
  return proposalOf(operation, {
    groups: [...new Set(own.flatMap(({ groups }) => groups))],
    calls: [...new Set([...own.flatMap(({ calls }) => calls), callId])],
  });
}

/** Whether both have one text, or act on one item. */
function isOfSame(proposal: Proposal, operation: RepliedOperation): boolean {
  const textOf = (each: Proposal | RepliedOperation): string | undefined =>
    'text' in each ? tidy(each.text) : undefined;
  const targetsOf = (each: Proposal | RepliedOperation): readonly string[] =>
    'ids' in each ? each.ids : 'id' in each ? [each.id] : [];
  const text = textOf(operation);
  const targets = targetsOf(operation);
  return (text !== undefined && textOf(proposal) === text) || targetsOf(proposal).some((id) => targets.includes(id));
}

/** An account may end in the middle, a list of operations may not. */
function usableContent(stage: DistillationStage, { content, isWhole }: Omit<ModelReply, 'callId'>): string | undefined {
  return content === null || (stage !== 'summary' && !isWhole) ? undefined : content;
}

const accountIn = (content: string): string | undefined => (content.trim() === '' ? undefined : content.trim());

/** Whether a reply could be used, by the rules of {@link distil}. @param maxOperations of one group, as its run was planned */
export function isReadable(
  stage: DistillationStage,
  reply: Omit<ModelReply, 'callId'>,
  maxOperations: number,
): boolean {
  const content = usableContent(stage, reply);
  if (content === undefined) return false;
  if (stage === 'summary') return accountIn(content) !== undefined;
  return repliedOperations(content, stage, stage === 'advantage' ? maxOperations : MOST_DECIDED) !== undefined;
}

class Asking {
  constructor(
    private readonly model: DistillationModel,
    private readonly settings: Pick<DistillationSettings, 'attempts' | 'maxWords' | 'offersKeep'>,
    private readonly counts: { calls: number; unreadReplies: number; unsummarisedAttempts: number },
  ) {}

  async text(stage: DistillationStage, prompt: string): Promise<string | undefined> {
    const read = await this.read({ stage, prompt }, accountIn);
    if (read === undefined) this.counts.unsummarisedAttempts++;
    return read?.value;
  }

  async operations(
    stage: 'advantage' | 'consolidation',
    prompt: string,
    most: number,
  ): Promise<{ readonly operations: readonly RepliedOperation[]; readonly callId: string } | undefined> {
    const { maxWords, offersKeep = false } = this.settings;
    const form = writtenOperations({ stage, most, maxWords, offersKeep });
    const read = await this.read({ stage, prompt, form }, (content) => repliedOperations(content, stage, most));
    return read === undefined ? undefined : { operations: read.value, callId: read.callId };
  }

  private async read<T>(
    question: Omit<ModelCall, 'attempt'>,
    parse: (content: string) => T | undefined,
  ): Promise<{ readonly value: T; readonly callId: string } | undefined> {
    for (let attempt = 1; attempt <= this.settings.attempts; attempt++) {
      this.counts.calls++;
      const reply = await this.model.ask({ ...question, attempt });
      const { callId } = reply;
      const content = usableContent(question.stage, reply);
      const value = content === undefined ? undefined : parse(content);
      if (value !== undefined) return { value, callId };
      this.counts.unreadReplies++;
    }
    return undefined;
  }
}
