import { EDIT_SCHEMA, loadEntrySchemas, loadPrompts } from '@seamstream/experience';
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
