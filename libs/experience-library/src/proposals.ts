/** What an extractor proposes to do with a library. A proposal is data: it changes nothing before it is consolidated. */
import { canonicalJson, compareText } from '@seamstream/kernel';

interface Grounds {
  /** In words. */
  readonly reason: string;
  /** Ids of the groups that it rests on. */
  readonly groups: readonly string[];
  /** Ids of the recorded replies of a model that it was read from. */
  readonly calls: readonly string[];
}

export type Proposal = Grounds &
  (
    | {
        readonly operation: 'add';
        readonly text: string;
        readonly domain: string | null;
        readonly field: string | null;
      }
    | { readonly operation: 'modify'; readonly id: string; readonly text: string }
    | { readonly operation: 'merge'; readonly ids: readonly string[]; readonly text: string }
    | { readonly operation: 'delete'; readonly id: string }
    | { readonly operation: 'keep'; readonly id: string }
  );

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort(compareText);

/** What a proposal does, without its grounds: equal ones are one proposal. */
function actOf(proposal: Proposal): string {
  const act = { ...proposal, reason: '', groups: [], calls: [] };
  return canonicalJson('ids' in act ? { ...act, ids: sorted(act.ids) } : act);
}

/** Every act once, with all grounds for it; in the order of their weight, which does not depend on the order given. */
export function unitedProposals(proposals: readonly Proposal[]): readonly Proposal[] {
  const acts = [...Map.groupBy(proposals, actOf)].map(([act, alike]) => {
    const [first] = alike;
    const united = {
      ...first!,
      ...('ids' in first! ? { ids: sorted(first.ids) } : {}),
      reason: alike.map(({ reason }) => reason).sort(compareText)[0]!,
      groups: sorted(alike.flatMap(({ groups }) => groups)),
      calls: sorted(alike.flatMap(({ calls }) => calls)),
    } as Proposal;
    return { act, united };
  });
  return acts
    .sort((a, b) => b.united.groups.length - a.united.groups.length || compareText(a.act, b.act))
    .map(({ united }) => united);
}
