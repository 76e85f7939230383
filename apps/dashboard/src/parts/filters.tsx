/** What confines a list: choices and fields in one row, each kept in the address. */
import type { ComponentChildren, JSX } from 'preact';

export function Filters({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <search class="filters">{children}</search>;
}

/** What may be chosen: its value, its words, and whether it is out of reach. */
export type Option = readonly [value: string, words: string, isDisabled?: boolean];

/** Options that are called what they are. */
export const named = (values: readonly string[]): readonly Option[] => values.map((each) => [each, each]);

export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  /** @param value of the option */
  readonly onChoose: (value: string) => void;
}): JSX.Element {
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.onChoose(event.currentTarget.value)}>
        {props.options.map(([value, words, isDisabled = false]) => (
          <option key={value} value={value} disabled={isDisabled}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A text that counts once it is entered, without what surrounds it. */
export function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  /** As wide as there is room, with letters of one width. */
  readonly isCode?: boolean;
  readonly onEnter: (text: string) => void;
}): JSX.Element {
  const { label, value, placeholder, isCode = false, onEnter } = props;
  return (
    <label class={isCode ? 'grow' : undefined}>
      {label}
      <input
        key={value}
        class={isCode ? 'mono' : undefined}
        defaultValue={value}
        placeholder={placeholder}
        spellcheck={false}
        onChange={(event) => onEnter(event.currentTarget.value.trim())}
      />
    </label>
  );
}
