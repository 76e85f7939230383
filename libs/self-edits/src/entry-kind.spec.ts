import { EDIT_SCHEMA, entryText, loadEntrySchemas, loadPrompts, TOOL_CONFIGURATION } from '@seamstream/experience';
import { promptText, readToolConfiguration } from '@seamstream/grid-tasks';
import { passagePrompt } from '@seamstream/tasks';
import { editWriter, entryKind, selfEditKind } from './index.js';

const PROBLEM = passagePrompt({
  kind: 'passage',
  title: 'Ada',
  passage: 'Ada was born in 1815.',
  questions: [{ question: 'When was she born?', reference: '1815', alternatives: [] }],
});

describe('self-edits as the entries of a system', () => {
  it('are chosen by one setting, which decides schema, kind and request', async () => {
    const setting = 'self-edit/implications';
    expect(entryKind(setting)).toBe(selfEditKind('implications'));
    expect((await loadEntrySchemas(setting))('any domain')).toBe(EDIT_SCHEMA);
    const { generatorTemplate } = await loadPrompts({ writer: editWriter(setting) });
    expect(generatorTemplate).toBe(`self-edit/${selfEditKind('implications').identity}`);
  });

  it('are asked for with the passage, and never with its questions', async () => {
    const prompts = await loadPrompts({ writer: editWriter('self-edit/self-qa') });
    const asked = prompts.generator(PROBLEM);
    expect(asked).toContain('Ada\nAda was born in 1815.');
    expect(asked).not.toContain('When was she born?');
    expect(asked).not.toBe((await loadPrompts()).generator(PROBLEM));
  });

  it('are asked for in text that controls no model, by its own vocabulary as well', async () => {
    const prompts = await loadPrompts({ writer: editWriter('self-edit/rewrite') });
    expect(prompts.generator(PROBLEM.replace('1815', '@@end@@'), ['@@end@@'])).not.toContain('@@end@@');
  });

  it('leave other problems to the general template', async () => {
    const prompts = await loadPrompts({ writer: editWriter('self-edit/rewrite') });
    expect(prompts.generator('2 + 3?')).toBe((await loadPrompts()).generator('2 + 3?'));
  });

  it('are not there under another setting', () => {
    for (const other of [undefined, 'memory-item', 'schemas.json', 'x/self-edit/rewrite']) {
      expect(entryKind(other)).toBeNull();
      expect(editWriter(other)).toBeUndefined();
    }
  });

  it.each([
    ['self-edit/implication', /did you mean implications/],
    ['self-edit/', /Cannot find the kind of self-edit ""/],
    ['self-edit/passage', /expected a kind that is written.*implications, implications-long/],
    ['self-edit/nowhere.json', /Cannot read the template of self-edits nowhere.json/],
  ])('are refused as %s', (setting, message) => {
    expect(() => entryKind(setting)).toThrow(message);
  });
});

describe('tool configurations as the entries of a system', () => {
  const pair = (input: number, output: number) => ({ input: [[input]], output: [[output]] });

  it('are chosen by the same setting, and asked for with the pairs, never with the input of the test', async () => {
    const prompts = await loadPrompts({ writer: editWriter(TOOL_CONFIGURATION) });
    const asked = prompts.generator(promptText([pair(1, 2), pair(3, 4)], [[5, 6, 7]]));
    expect(prompts.generatorTemplate).toMatch(/^tool-configuration@[0-9a-f]{64}$/);
    expect(asked).toContain('Input:\n3\nOutput:\n4');
    expect(asked).not.toContain('567');
    expect(prompts.generator('2 + 3?')).toBe((await loadPrompts()).generator('2 + 3?'));
  });

  it('are written under a schema that has every one that can be read', async () => {
    const schema = (await loadEntrySchemas(TOOL_CONFIGURATION))('any domain');
    const configuration = {
      data_generation: {
        use_basic_augmentations: true,
        use_size_augmentations: false,
        use_chain_augmentations: true,
        use_repeat_augmentations: false,
      },
      training: { strategy: 'train_using_all_tokens', learning_rate: 0.0001, num_train_epochs: 2 },
    };
    const text = entryText(configuration, schema);
    expect(readToolConfiguration(text)).toEqual({ value: configuration });
    expect(() => entryText({ ...configuration, more: 1 }, schema)).toThrow(/additional/);
  });
});
