/** Small pieces that all pages are made of. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { asOf } from '../state/place.js';
import { asOfMoment, STANDINGS, short } from './words.js';

type Element = JSX.Element;

/** Commands that answer from the log as it was. */
const TELLS_THE_PAST =
  /^seam (lift|ledger|learned|runs list|release status|adapters (list|show|changes|use)|buffer show|show|cost spent)\b/;

/** How a number was counted, and the command that prints the same. */
export function How({ counted, command }: { readonly counted: string; readonly command: string }): Element {
  const id = useId();
  const moment = asOf.value;
  const isPast = moment !== null && TELLS_THE_PAST.test(command) && !command.includes('--as-of');
  const said = isPast ? asOfMoment(command, moment) : command;
  return (
    <>
      <button type="button" class="how" popovertarget={id} aria-label={`How it is counted: ${said}`}>
        how
      </button>
      <div id={id} popover="auto" class="how-box">
        <p>{counted}</p>
        <p>On the command line:</p>
        <code class="command">{said}</code>
      </div>
    </>
  );
}

/** What may be wider than its card: it is scrolled by keys too. */
export function Scrolled({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}): Element {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

export function Card(props: {
  readonly title: string;
  readonly how?: Element;
  /** Two of three columns, two rows, or a whole row; one of either where absent. */
  readonly size?: 'wide' | 'tall' | 'full';
  readonly children: ComponentChildren;
}): Element {
  return (
    <section class={`card ${props.size ?? ''}`}>
      <header>
        <h2>{props.title}</h2>
        {props.how}
      </header>
      {props.children}
    </section>
  );
}

/** The head of a table. @param props.numbers titles of columns that are set to the right */
export function Heads(props: { readonly titles: readonly string[]; readonly numbers?: readonly string[] }): Element {
  return (
    <thead>
      <tr>
        {props.titles.map((title) => (
          <th key={title} scope="col" class={props.numbers?.includes(title) === true ? 'end' : undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A table without sorting or paging, as wide as it needs. @param props.children its rows */
export function PlainTable(props: {
  readonly label: string;
  readonly titles: readonly string[];
  readonly numbers?: readonly string[];
  readonly children: ComponentChildren;
}): Element {
  const { label, titles, numbers, children } = props;
  return (
    <Scrolled label={label}>
      <table class="plain-table">
        <Heads titles={titles} {...(numbers === undefined ? {} : { numbers })} />
        <tbody>{children}</tbody>
      </table>
    </Scrolled>
  );
}

export function Badge({ kind, children }: { readonly kind: string; readonly children: ComponentChildren }): Element {
  return <span class={`badge ${kind}`}>{children}</span>;
}

const MARKS: Readonly<Record<string, readonly [kind: string, mark: string]>> = {
  solved: ['good', '✓'],
  failed: ['bad', '✕'],
  notSolved: ['bad', '✕'],
  deadLettered: ['bad', '!'],
  expired: ['dim', '–'],
  ungraded: ['dim', '?'],
  inFlight: ['busy', '…'],
};

/** What became of a problem, by sign, word and colour. */
export function Standing({ standing }: { readonly standing: string }): Element {
  const [kind, mark] = MARKS[standing] ?? ['dim', '·'];
  return (
    <Badge kind={kind}>
      <span aria-hidden="true">{mark}</span> {STANDINGS[standing] ?? standing}
    </Badge>
  );
}

const STATUS_KINDS: Readonly<Record<string, string>> = {
  served: 'good',
  promoted: 'good',
  completed: 'good',
  rejected: 'dim',
  cancelled: 'dim',
  published: 'dim',
  rolledBack: 'bad',
  'rolled back': 'bad',
  failed: 'bad',
  running: 'busy',
  runs: 'busy',
  advanced: 'good',
  undecided: 'warn',
  overtaken: 'warn',
};

export function Status({ status }: { readonly status: string }): Element {
  return <Badge kind={STATUS_KINDS[status] ?? 'dim'}>{status === 'rolledBack' ? 'rolled back' : status}</Badge>;
}

export function AdapterLink(props: { readonly digest: string | null; readonly version?: number | undefined }): Element {
  const { digest, version } = props;
  if (digest === null) return <span class="dim">base model</span>;
  return (
    <a href={`/adapters/${digest}`} class="mono">
      {version === undefined ? short(digest) : `v${version} ${short(digest)}`}
    </a>
  );
}

export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }): Element {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What stands where there is nothing: why, and what fills it. */
export function Empty({
  children,
  command,
}: {
  readonly children: ComponentChildren;
  readonly command?: string;
}): Element {
  return (
    <div class="empty">
      <p>{children}</p>
      {command === undefined ? null : <code class="command">{command}</code>}
    </div>
  );
}

/** What the gateway said, or that it is still being read. */
export function Waiting({ fault }: { readonly fault: string | null }): Element {
  return fault === null ? (
    <p class="dim waiting">Reading …</p>
  ) : (
    <p role="alert" class="fault">
      {fault}
    </p>
  );
}

/** Text of strangers: as text, its lines kept. */
export function Text({ children }: { readonly children: string }): Element {
  return <pre class="text">{children}</pre>;
}
