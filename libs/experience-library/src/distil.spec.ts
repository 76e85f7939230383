/** What a text of the consolidation rests on, and what it keeps. */
import { consolidate, DEFAULT_LIMITS } from './consolidate.decide.js';
import {
  type DistillationModel,
  type DistillationSettings,
  distil,
  type ModelCall,
  type TracedAttempt,
} from './distil.js';
import { loadDistillationTemplates, writtenOperations } from './distillation-prompts.js';
import { type ExperienceLibrary, successorOf } from './library.js';
import type { Proposal } from './proposals.js';

const SETTINGS: DistillationSettings = {
  ...{ groundTruth: true, evidence: 'groups', maxOperations: 3, attempts: 1, ungrounded: 'least' },
  ...DEFAULT_LIMITS,
};
const EMPTY = successorOf(null, { baseModelDigest: 'b'.repeat(64) });
const NAMED = 'When boards are asked for, count twice.';
const INVENTED = 'When anything is asked, guess quickly.';

describe('a text of the consolidation that names no proposal', () => {
  it.each([[[]], [[99]], [[0, -3]]])('weighs less than one that names its own (from: %j)', async (from) => {
    const decided = [
      { operation: 'add', text: INVENTED, from },
      { operation: 'add', text: NAMED, from: [2] },
    ];
    const [first, second] = (await libraryOf(decided, { ...SETTINGS, maxItems: 2 })).items;
    expect([first, second]).toMatchObject([
      { text: NAMED, provenance: { groups: ['group 2'] } },
      { text: INVENTED, provenance: { groups: [], calls: ['consolidation'] } },
    ]);
    // Where one place is left, the grounded one has it.
    const one = await libraryOf(decided, { ...SETTINGS, maxItems: 1 });
    expect(one.items.map(({ text }) => text)).toEqual([NAMED]);
  });

  it('rests on the proposals of the same text, or on the same item', async () => {
    const same = await libraryOf([{ operation: 'add', text: ` ${adviceOf(2)}\n` }], SETTINGS);
    expect(same.items.map(({ provenance }) => provenance.groups)).toEqual([['group 2']]);
    const { proposals } = await distilled([{ operation: 'delete', id: 'e3' }], SETTINGS);
    expect(proposals.map(({ groups }) => groups)).toEqual([['group 3']]);
  });

  it('rests on all of them in a run of an earlier release, which is made again as it was', async () => {
    const { ungrounded: _, ...earlier } = SETTINGS;
    const library = await libraryOf([{ operation: 'add', text: INVENTED }], earlier);
    expect(library.items[0]!.provenance.groups).toEqual(['group 1', 'group 2', 'group 3']);
  });
});

describe('an item that the last stage keeps', () => {
  const known = consolidate(EMPTY, [proposed('Count twice.'), proposed('Halve boards.')], DEFAULT_LIMITS).library;
  const keep = { operation: 'keep', id: 'e1', text: 'Guess quickly.', from: [1], reason: 'it helped in problem 1' };

  it('stays as it is, and the reason is recorded', async () => {
    const { proposals } = await distilled([keep], { ...SETTINGS, offersKeep: true });
    const { library, changes } = consolidate(known, proposals, DEFAULT_LIMITS);
    expect(library.items).toEqual(known.items);
    const { text } = known.items[0]!;
    expect(changes).toEqual([{ operation: 'keep', id: 'e1', before: text, after: text, reason: keep.reason }]);
  });

  it('is deleted where a proposal of the same batch deletes it: keep holds nothing', async () => {
    const { proposals } = await distilled([keep, { operation: 'delete', id: 'e1', from: [3] }], SETTINGS);
    const { library, refused } = consolidate(known, proposals, DEFAULT_LIMITS);
    expect(library.items).toEqual(known.items.slice(1));
    expect(refused.map(({ reason }) => reason)).toEqual(['item e1 is deleted']);
  });

  it('is asked for in a run of this release; the question of an earlier one is as it was', async () => {
    const [offered, earlier] = [await consolidationOf({ offersKeep: true }), await consolidationOf({})];
    expect(offered.prompt).toContain('\n{"operation": "keep", "id": "…", "from": [numbers], "reason": "…"}');
    expect(offered.prompt.replace(/\n\{"operation": "keep".*/, '')).toBe(earlier.prompt);
    expect(earlier.prompt).not.toContain('keep"');
    const written = { stage: 'consolidation', most: 300, maxWords: SETTINGS.maxWords } as const;
    expect(offered.form).toEqual(writtenOperations({ ...written, offersKeep: true }));
    expect([offered, earlier].map(({ form }) => JSON.stringify(form).includes('keep'))).toEqual([true, false]);
  });
});

function proposed(text: string): Proposal {
  return { operation: 'add', text, domain: null, field: null, reason: 'why', groups: [], calls: [] };
}

/** What the last stage is asked. */
async function consolidationOf(settings: Partial<DistillationSettings>): Promise<ModelCall> {
  const calls: ModelCall[] = [];
  await distilled([], { ...SETTINGS, ...settings }, calls);
  return calls.find(({ stage }) => stage === 'consolidation')!;
}

const adviceOf = (group: number): string => `When problem ${group} comes, halve the board.`;

/** Of three groups: two add a text, the third deletes an item. */
async function distilled(operations: readonly unknown[], settings: DistillationSettings, calls: ModelCall[] = []) {
  const groups = [1, 2, 3].map((group) => [attempt(group)]);
  const model: DistillationModel = {
    ask: async (call) => {
      calls.push(call);
      const { stage, prompt } = call;
      const group = Number(/Problem (\d)/.exec(prompt)?.[1]);
      const own = group === 3 ? { operation: 'delete', id: 'e3' } : { operation: 'add', text: adviceOf(group) };
      const content = JSON.stringify({ operations: stage === 'consolidation' ? operations : [own] });
      return { callId: stage === 'consolidation' ? stage : `${stage} ${group}`, content, isWhole: true };
    },
  };
  return distil(groups, EMPTY, model, await loadDistillationTemplates(), settings);
}

async function libraryOf(operations: readonly unknown[], settings: DistillationSettings): Promise<ExperienceLibrary> {
  return consolidate(EMPTY, (await distilled(operations, settings)).proposals, { ...DEFAULT_LIMITS, ...settings })
    .library;
}

function attempt(group: number): TracedAttempt {
  const name = { experienceId: `${group}`, groupId: `group ${group}`, domain: 'sums', entry: '{}' };
  const trace = { prompt: `Problem ${group}`, reference: null, response: 'four' };
  return { ...name, success: true, writer: null, trace };
}
