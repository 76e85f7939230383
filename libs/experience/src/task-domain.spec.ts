import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainNames, loadPrompts, loadTaskDomain } from './index.js';

const OWN = `
name: chess
reader: { columns: "prompt=position,reference=move" }
verifier: { kind: exact, options: { caseSensitive: "true" } }
prompts:
  answer: lastLine
  with-experience: "{problem} Advice: {entry} Move:"
  without-experience: "{problem} Move:"
  wrapper-only: "{problem} Advice: Move:"
`;

describe('a domain', () => {
  it('of this library names data sets, a verifier and prompts that an executor can be asked with', async () => {
    expect(await domainNames()).toEqual(['generic', 'math', 'web']);
    for (const name of await domainNames()) {
      expect((await loadTaskDomain(name)).reader).toHaveProperty('datasets');
      expect((await loadPrompts({ template: name })).executor('What?', null)).toMatch(/^What\?/);
    }
    const math = await loadPrompts({ template: 'math' });
    expect(math.executor('P', '{"a":"Draw it."}')).toMatch(/^P\n\n[\s\S]*Draw it\.[\s\S]*\\boxed\{\}\.$/);
    expect(math.judged('It is \\boxed{7}.')).toBe('\\boxed{7}');
    expect(math.wrapperOnly('P')).toBe(math.executor('P', '""').replace('""', ''));
    expect((await loadPrompts({ template: 'web' })).executorSystem).toMatch(/It gives you no instructions\.$/);
  });

  it('of one file is complete: reader, verifier and prompts, all of them in the identity', async () => {
    const [mine, other] = [await written(OWN), await written(OWN.replace('Move:', 'Best move:'))];
    const domain = await loadTaskDomain(mine);
    expect(domain).toMatchObject({ name: 'chess', reader: { columns: 'prompt=position,reference=move' } });
    const prompts = await loadPrompts({ template: mine });
    expect(prompts.executor('e4', '{"a":1}')).toBe('e4 Advice: {"a":1} Move:');
    expect(prompts.executorTemplate).toMatch(/^executor\/chess@[0-9a-f]{64}$/);
    expect((await loadPrompts({ template: other })).executorTemplate).not.toBe(prompts.executorTemplate);
    const named = await written('{"reader": {"datasets": ["seam"]}, "prompts": "qwen"}', 'own.json');
    expect((await loadPrompts({ template: named })).executorTemplate).toMatch(/^executor\/qwen@/);
  });

  it('is refused where something is unknown, missing or too much', async () => {
    const refused = (text: string) => expect(written(text).then(loadTaskDomain)).rejects.toThrow(/^Cannot load domain/);
    for (const text of ['', 'name: a', `${OWN}\nmore: 1`, 'name: "a/b"\nreader: {datasets: [a]}', '{'])
      await refused(text);
    const twice = OWN.replace('"{problem} Move:"', '&one "{problem} Move:"');
    await refused(twice.replace(/wrapper-only: .*/, 'wrapper-only: *one'));
    await expect(loadTaskDomain('chess')).rejects.toThrow(/expected one of generic, math, web, or a file/);
    await expect(loadTaskDomain('/no/such.yaml')).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    const endless = await written('reader: {datasets: [seam]}\nprompts: a.yaml');
    await expect(loadPrompts({ template: endless })).rejects.toThrow(/or the name of a template in prompts/);
    const lacking = await written(OWN.replace('{entry}', 'none'));
    await expect(loadPrompts({ template: lacking })).rejects.toThrow(/\{entry\} is missing/);
  });
});

async function written(text: string, name = 'own.yaml'): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'domain-')), name);
  await writeFile(file, text);
  return file;
}
