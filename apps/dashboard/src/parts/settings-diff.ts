/** In what two recorded configurations differ. Pure. */
interface ChangedSetting {
  /** With dots between. */
  readonly name: string;
  /** As JSON; undefined where it is not there. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** @param from canonical JSON; null: there was none */
export function settingsDiff(from: string | null, to: string): readonly ChangedSetting[] {
  const before = from === null ? new Map<string, string>() : leavesOf(from);
  const after = leavesOf(to);
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((name) => ({ name, from: before.get(name), to: after.get(name) }))
    .filter((each) => each.from !== each.to);
}

/** Longer values are lists of offsets: that they differ is enough. */
const MOST_CHARACTERS = 120;

function leavesOf(text: string): Map<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, name: string): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
      for (const [own, inner] of Object.entries(value)) visit(inner, name === '' ? own : `${name}.${own}`);
    else {
      const json = JSON.stringify(value);
      leaves.set(name, json.length > MOST_CHARACTERS ? `${json.slice(0, MOST_CHARACTERS - 1)}…` : json);
    }
  };
  try {
    visit(JSON.parse(text), '');
  } catch {
    leaves.set('', text);
  }
  return leaves;
}
