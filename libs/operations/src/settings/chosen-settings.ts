import { SeamError } from '@seamstream/kernel';

interface NamedSetting {
  readonly name: string;
  /** Where it is set; "default" where it is not. */
  readonly source: string;
}

/**
 * Those of the settings whose names begin so; all where no beginning is given.
 * @param changed only those that are set
 * @throws NOT_FOUND for a beginning that no setting has
 */
export function chosenSettings<S extends NamedSetting>(
  all: readonly S[],
  { beginnings, changed }: { readonly beginnings: readonly string[]; readonly changed: boolean },
): readonly S[] {
  const wanted = beginnings.map((text) => text.toUpperCase());
  for (const beginning of wanted) {
    if (all.some(({ name }) => name.startsWith(beginning))) continue;
    throw new SeamError(
      'NOT_FOUND',
      `Cannot find the setting ${beginning}: expected one that begins so, got none of ${all.length}. List them all: seam config.`,
      { details: { setting: beginning } },
    );
  }
  return all.filter(
    ({ name, source }) =>
      (wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning))) &&
      (!changed || source !== 'default'),
  );
}
