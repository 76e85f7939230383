/** A difference with its interval on an axis from −1 to 1 with zero marked. */
import type { JSX } from 'preact';
import { sideOf } from './verdict.js';
import { points } from './words.js';

interface Difference {
  readonly value: number;
  readonly interval: readonly [low: number, high: number];
}

const X = (value: number): number => 100 + value * 96;

/** @param props.margin a second mark at −margin: what is right of it as a whole is not worse by more */
export function Interval(props: {
  readonly of: Difference | null;
  readonly name: string;
  readonly margin?: number | null;
}): JSX.Element {
  const { of, name, margin = null } = props;
  if (of === null) return <span class="dim">no interval yet</span>;
  const [low, high] = of.interval;
  const said = `${points(of.value)} (${points(low)} to ${points(high)})`;
  return (
    <span class="interval">
      <svg
        viewBox="0 0 200 20"
        role="img"
        aria-label={`${name}: ${said}`}
        class={sideOf(of.interval)}
        preserveAspectRatio="none"
      >
        <line x1="100" x2="100" y1="0" y2="20" class="zero" />
        {margin === null ? null : <line x1={X(-margin)} x2={X(-margin)} y1="2" y2="18" class="margin" />}
        <line x1={X(low)} x2={X(high)} y1="10" y2="10" class="range" />
        <rect x={X(of.value) - 2} y="4" width="4" height="12" rx="1" class="value" />
      </svg>
      <small class="mono">{said}</small>
    </span>
  );
}
