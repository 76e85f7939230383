/** What the chart's templates refuse and what the check refuses is one list: infra/helm/refused-values.yaml. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { checkBroken, type Values } from './broken-values.fake.js';

interface Refused {
  readonly said: string;
  readonly code: string;
  readonly values: Values;
}
const HELM = new URL('../../../../infra/helm/', import.meta.url);
const ROWS = parse(readFileSync(new URL('refused-values.yaml', HELM), 'utf8')) as readonly Refused[];

describe('values that the chart’s templates refuse', () => {
  it.each(ROWS)('are an error of the check: $said', async ({ code, values }) => {
    const { findings } = await checkBroken([values], false);
    expect(findings).toContainEqual(expect.objectContaining({ code, severity: 'error' }));
  });

  it('are all in the list: every fail and every required of the templates', () => {
    const messages = messagesOfTemplates();
    expect(messages.length).toBeGreaterThan(10);
    expect(messages.filter((message) => !ROWS.some(({ said }) => asPattern(message).test(said)))).toEqual([]);
    expect(ROWS.filter(({ said }) => !messages.some((message) => asPattern(message).test(said)))).toEqual([]);
  });
});

function messagesOfTemplates(): readonly string[] {
  const folder = new URL('seamstream/templates/', HELM);
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const calls = texts.flatMap((text) => [...text.matchAll(/\b(?:fail|required) \(?(?:printf )?("(?:[^"\\]|\\.)*")?/g)]);
  // A call of another form than these would not be held to the list.
  return calls.map(([call, message]) => (message === undefined ? call : (JSON.parse(message) as string)));
}

/** With any text in each place of printf. */
function asPattern(message: string): RegExp {
  const parts = message.split('%s').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.+')}$`);
}
