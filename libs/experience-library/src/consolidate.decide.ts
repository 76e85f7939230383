/**
 * Proposals of a whole batch to one library. What comes out depends on the set of proposals alone. The rules, in their order:
 *
 *   1. Equal proposals are one, with the grounds of all. More groups weigh more; of equal weight the smaller text goes first.
 *   2. What names an item that is not there, or a text that shows nothing or is too long, is refused. So is a text of a model that has no
 *      letter or digit, gives back what the model was asked, or talks of nothing else.
 *   3. delete wins over merge and modify of the same item; merge wins over modify.
 *   4. Of merges that share an item, and of modifies of one item, the weightiest wins.
 *   5. A new text that is nearly one that stays is refused, unless their numbers or signs differ. Texts are placed in this order: merge,
 *      modify, add.
 *   6. Beyond the cap nothing is added.
 *   7. keep changes nothing and is recorded, unless the item is changed.
 *
 * Nothing is applied in part: a refused proposal leaves its item as it was.
 */
import { compareText } from '@seamstream/kernel';
import { jaccard, shingleSet } from '@seamstream/near-duplicates';
import { type Change, type ExperienceLibrary, type LibraryItem, libraryOf, mostCharactersOf } from './library.js';
import { type Proposal, unitedProposals } from './proposals.js';
import {
  emptyReply,
  haveEqualFigures,
  lacksContent,
  saysNothing,
  showsNothing,
  type TextNeeds,
  tidy,
} from './says-nothing.js';

export interface LibraryLimits {
  readonly maxItems: number;
  /** Of one text. */
  readonly maxWords: number;
  /** Jaccard similarity of pairs of words from which on two texts of one domain and field are nearly the same. */
  readonly nearDuplicate: number;
  /** Whether texts of the same words are nearly the same also where a number or a sign differs, as in runs of earlier releases. */
  readonly wordsAlone?: boolean;
}

/** The cap and the threshold are ours; the words are those of the paper's prompts (arXiv 2510.08191). */
export const DEFAULT_LIMITS: LibraryLimits = { maxItems: 100, maxWords: 32, nearDuplicate: 0.8 };

export interface RefusedProposal {
  readonly proposal: Proposal;
  readonly reason: string;
  /** Whether it is refused for a text that says nothing. */
  readonly isEmpty: boolean;
}

export interface Consolidation {
  /** The library after the changes, which follow those that it had. */
  readonly library: ExperienceLibrary;
  readonly changes: readonly Change[];
  readonly refused: readonly RefusedProposal[];
}

type Of<O extends Proposal['operation']> = Extract<Proposal, { readonly operation: O }>;

const SHINGLE_WORDS = 2;
const wordsOf = (text: string): number => text.trim().split(/\s+/u).length;

/**
 * @param asked what a model was asked, without any material of a problem; empty where no model was asked; null: only blank texts are refused,
 *   as the first release did
 * @param needs of a text of a model: `letter` and `content` as runs of earlier releases were planned
 */
export function consolidate(
  library: ExperienceLibrary,
  proposals: readonly Proposal[],
  limits: LibraryLimits,
  asked: readonly string[] | null = [],
  needs: TextNeeds = 'meaning',
): Consolidation {
  const state = new Consolidating(library, limits, { asked, needs });
  // 1. and 2.
  const sound = unitedProposals(proposals.map(tidied)).filter((each) => state.isSound(each));
  const of = <O extends Proposal['operation']>(operation: O): readonly Of<O>[] =>
    sound.filter((each): each is Of<O> => each.operation === operation);
  // 3. and 4.
  for (const each of of('delete')) state.delete(each);
  const merges = of('merge').filter((each) => state.claims(each, each.ids));
  const modifies = of('modify').filter((each) => state.claims(each, [each.id]));
  // 5. and 6.
  for (const each of merges) state.merge(each);
  for (const each of modifies) state.modify(each);
  for (const each of of('add')) state.add(each);
  // 7.
  for (const each of of('keep')) state.keep(each);
  return state.result();
}

function tidied<P extends Proposal>(proposal: P): P {
  const reason = tidy(proposal.reason);
  return 'text' in proposal ? { ...proposal, reason, text: tidy(proposal.text) } : { ...proposal, reason };
}

class Consolidating {
  private readonly items: Map<string, LibraryItem>;
  private readonly claimed = new Map<string, string>();
  private readonly changes: Change[] = [];
  private readonly refused: RefusedProposal[] = [];
  private nextNumber: number;

  constructor(
    private readonly before: ExperienceLibrary,
    private readonly limits: LibraryLimits,
    private readonly rule: { readonly asked: readonly string[] | null; readonly needs: TextNeeds },
  ) {
    this.items = new Map(before.items.map((item) => [item.id, item]));
    this.nextNumber = before.nextNumber;
  }

  isSound(proposal: Proposal): boolean {
    const ids = 'ids' in proposal ? proposal.ids : 'id' in proposal ? [proposal.id] : [];
    const unknown = ids.find((id) => !this.items.has(id));
    if (unknown !== undefined) return this.refuse(proposal, `there is no item ${unknown}`);
    if ('ids' in proposal && ids.length < 2) return this.refuse(proposal, 'a merge needs two different items');
    if ('text' in proposal) {
      const { text } = proposal;
      const { maxWords } = this.limits;
      const nothing = this.emptinessOf(text);
      if (nothing !== undefined) return this.refuse(proposal, nothing, true);
      if (wordsOf(text) > maxWords || text.length > mostCharactersOf(maxWords))
        return this.refuse(
          proposal,
          `its text has more than ${maxWords} words, or ${mostCharactersOf(maxWords)} characters`,
        );
    }
    if (proposal.operation === 'merge' && this.scopes(proposal.ids).size > 1)
      return this.refuse(proposal, 'its items are of different domains or fields');
    return true;
  }

  /** Why a text says nothing, in words; undefined for one that does. */
  private emptinessOf(text: string): string | undefined {
    const { asked, needs } = this.rule;
    if (asked === null) return text === '' ? 'its text is blank' : undefined;
    if (showsNothing(text)) return 'its text shows nothing';
    if (asked.length === 0) return undefined;
    const nothing = saysNothing(text) ? 'its text says nothing' : emptyReply(text, asked, needs);
    if (nothing !== undefined) return nothing;
    return lacksContent(text, needs) ? 'its text talks of nothing but what was asked' : undefined;
  }

  delete(proposal: Of<'delete'>): void {
    const { id, reason } = proposal;
    this.claimed.set(id, 'deleted');
    this.changes.push({ operation: 'delete', id, before: this.items.get(id)!.text, after: null, reason });
    this.items.delete(id);
  }

  /** Whether the items are free for a proposal, which then has them. */
  claims(proposal: Of<'merge' | 'modify'>, ids: readonly string[]): boolean {
    const taken = ids.find((id) => this.claimed.has(id));
    if (taken !== undefined) return this.refuse(proposal, `item ${taken} is ${this.claimed.get(taken)}`);
    for (const id of ids) this.claimed.set(id, `${proposal.operation === 'merge' ? 'merged' : 'modified'} otherwise`);
    return true;
  }

  merge(proposal: Of<'merge'>): void {
    const members = proposal.ids.map((id) => this.items.get(id)!);
    const [{ domain, field }] = members as [LibraryItem];
    const { text, reason } = proposal;
    const near = this.nearTo({ text, domain, field }, proposal.ids);
    if (near !== undefined) return void this.refuse(proposal, `its text is nearly that of item ${near}`);
    for (const { id } of members) this.items.delete(id);
    const id = this.newId();
    this.items.set(id, {
      ...{ id, text, domain, field },
      provenance: {
        groups: union(proposal.groups, ...members.map(({ provenance }) => provenance.groups)),
        operation: 'merge',
        calls: union(proposal.calls, ...members.map(({ provenance }) => provenance.calls)),
        mergedFrom: [...proposal.ids],
      },
    });
    const before = members.map((each) => `${each.id}: ${each.text}`).join(' | ');
    this.changes.push({ operation: 'merge', id, before, after: text, reason });
  }

  modify(proposal: Of<'modify'>): void {
    const { id, text, reason } = proposal;
    const item = this.items.get(id)!;
    const near = this.nearTo({ ...item, text }, [id]);
    if (near !== undefined) return void this.refuse(proposal, `its text is nearly that of item ${near}`);
    if (text === item.text) return void this.refuse(proposal, 'its text is the one that is there');
    const { groups, calls } = item.provenance;
    const provenance = {
      ...item.provenance,
      operation: 'modify' as const,
      groups: union(groups, proposal.groups),
      calls: union(calls, proposal.calls),
    };
    this.items.set(id, { ...item, text, provenance });
    this.changes.push({ operation: 'modify', id, before: item.text, after: text, reason });
  }

  add(proposal: Of<'add'>): void {
    const { text, domain, field, reason, groups, calls } = proposal;
    const near = this.nearTo(proposal, []);
    if (near !== undefined) return void this.refuse(proposal, `its text is nearly that of item ${near}`);
    const { maxItems } = this.limits;
    if (this.items.size >= maxItems) return void this.refuse(proposal, `the library holds its ${maxItems} items`);
    const id = this.newId();
    const provenance = { groups: [...groups], operation: 'add' as const, calls: [...calls] };
    this.items.set(id, { id, text, domain, field, provenance });
    this.changes.push({ operation: 'add', id, before: null, after: text, reason });
  }

  keep(proposal: Of<'keep'>): void {
    const { id, reason } = proposal;
    const item = this.items.get(id);
    if (item === undefined || this.claimed.has(id))
      return void this.refuse(proposal, `item ${id} is ${this.claimed.get(id) ?? 'gone'}`);
    this.changes.push({ operation: 'keep', id, before: item.text, after: item.text, reason });
  }

  result(): Consolidation {
    const { before, changes, nextNumber } = this;
    const { baseModelDigest, parent, mostRetrieved } = before;
    const library = libraryOf({
      ...{ baseModelDigest, parent, nextNumber, mostRetrieved },
      items: [...this.items.values()],
      changes: [...before.changes, ...changes],
    });
    const refused = this.refused.toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)));
    return { library, changes, refused };
  }

  private refuse(proposal: Proposal, reason: string, isEmpty = false): false {
    this.refused.push({ proposal, reason, isEmpty });
    return false;
  }

  private scopes(ids: readonly string[]): ReadonlySet<string> {
    return new Set(ids.map((id) => JSON.stringify([this.items.get(id)!.domain, this.items.get(id)!.field])));
  }

  /** The id of an item whose text is nearly this one. @param except items that it replaces */
  private nearTo(
    { text, domain, field }: Pick<LibraryItem, 'text' | 'domain' | 'field'>,
    except: readonly string[],
  ): string | undefined {
    const own = shingleSet(text, SHINGLE_WORDS);
    for (const item of this.items.values()) {
      if (item.domain !== domain || item.field !== field || except.includes(item.id)) continue;
      if (jaccard(own, shingleSet(item.text, SHINGLE_WORDS)) < this.limits.nearDuplicate) continue;
      if (this.limits.wordsAlone === true || haveEqualFigures(text, item.text)) return item.id;
    }
    return undefined;
  }

  private newId(): string {
    let id: string;
    do id = `e${this.nextNumber++}`;
    while (this.items.has(id));
    return id;
  }
}

function union(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort(compareText);
}
