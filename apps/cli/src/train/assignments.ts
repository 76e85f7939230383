import { SeamError } from '@seamstream/kernel';

/** Under construction: a level is filled name by name. */
type Settings = Record<string, unknown>;

const NAME = /^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)*$/;

/**
 * Settings from texts like `learningRate.peak=1e-3`: a dot goes one level down, the value is JSON where it is JSON and
 * text otherwise. INVALID_INPUT for a text without "=", a malformed name, and a name that is given twice.
 */
export function parseAssignments(texts: readonly string[]): Settings {
  const settings: Settings = {};
  for (const text of texts) {
    const [name, value] = splitAssignment(text);
    const path = name.split('.');
    const last = path.pop() ?? name;
    let inner = settings;
    for (const part of path) {
      const existing = Object.hasOwn(inner, part) ? inner[part] : undefined;
      if (existing === undefined) inner[part] = {};
      else if (typeof existing !== 'object' || existing === null || Array.isArray(existing))
        throw givenTwice(text, name);
      inner = inner[part] as Settings;
    }
    if (Object.hasOwn(inner, last)) throw givenTwice(text, name);
    inner[last] = value;
  }
  return settings;
}

function splitAssignment(text: string): readonly [name: string, value: unknown] {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at < 1 || !NAME.test(name) || name.split('.').some((part) => part in {})) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --set: expected name=value, e.g. learningRate.peak=1e-3, got "${text}".`,
      {
        details: { option: '--set', value: text },
      },
    );
  }
  const value = text.slice(at + 1);
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}

function givenTwice(text: string, name: string): SeamError {
  return new SeamError('INVALID_INPUT', `Cannot read --set ${text}: expected each setting once, got ${name} twice.`, {
    details: { option: '--set', value: text },
  });
}
