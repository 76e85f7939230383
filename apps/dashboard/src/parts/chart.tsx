/** Lines over time or problems, drawn by uPlot. A canvas knows no light-dark(): colours are taken from the page when it is drawn. */
import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { theme } from '../state/theme.js';

export interface Line {
  readonly label: string;
  /** Name of a colour of the page, e.g. "--treated". */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  /** Names a band between this line and the next one, filled in its colour. */
  readonly band?: boolean;
  readonly dashed?: boolean;
  readonly thin?: boolean;
  readonly dots?: boolean;
}

export interface ChartProps {
  readonly label: string;
  readonly x: readonly number[];
  readonly xLabel: string;
  readonly lines: readonly Line[];
  /** Places on the x axis with a mark, e.g. promotions. */
  readonly marks?: readonly { readonly x: number; readonly label: string }[];
  readonly range?: readonly [number, number];
  readonly format: (value: number) => string;
  readonly height?: number;
  /** Whether the x axis names whole numbers alone. */
  readonly integers?: boolean;
}

/** A colour as a canvas takes it. */
function colourOf(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const faint = (colour: string): string => colour.replace(/^rgb\(([^)]*)\)$/, 'rgba($1, .15)');

function optionsOf(props: ChartProps, width: number): uPlot.Options {
  const { lines, marks = [], range, format, height = 220, xLabel, integers = false } = props;
  const grid = { stroke: colourOf('--line'), width: 1 };
  const axis = { stroke: colourOf('--dim'), grid, ticks: grid, font: '12px system-ui' };
  const seriesOf = ({ label, colour, dashed, thin, dots }: Line): uPlot.Series => ({
    label,
    stroke: colourOf(colour),
    width: thin === true ? 1 : 2,
    ...(dashed === true ? { dash: [5, 4] } : {}),
    points: { show: dots === true, size: 6, fill: colourOf(colour) },
    value: (_, value: number | null) => (value === null ? '–' : format(value)),
    spanGaps: true,
  });
  return {
    width,
    height,
    scales: { x: { time: false }, ...(range === undefined ? {} : { y: { range: [...range] as [number, number] } }) },
    axes: [
      {
        ...axis,
        ...(integers ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000] } : {}),
        label: xLabel,
        labelSize: 18,
        size: 34,
        labelFont: '12px system-ui',
      },
      { ...axis, size: 56, values: (_, values) => values.map(format) },
    ],
    series: [{ label: xLabel }, ...lines.map(seriesOf)],
    bands: lines.flatMap(({ band, colour }, index) =>
      band === true ? [{ series: [index + 1, index + 2] as [number, number], fill: faint(colourOf(colour)) }] : [],
    ),
    legend: { live: true },
    cursor: { y: false },
    hooks: {
      draw: [
        (plot) => {
          const { ctx, bbox } = plot;
          ctx.save();
          ctx.strokeStyle = colourOf('--promotion');
          ctx.fillStyle = colourOf('--promotion');
          ctx.font = `${11 * devicePixelRatio}px system-ui`;
          ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
          for (const { x, label } of marks) {
            const at = Math.round(plot.valToPos(x, 'x', true));
            if (at < bbox.left || at > bbox.left + bbox.width) continue;
            ctx.beginPath();
            ctx.moveTo(at, bbox.top);
            ctx.lineTo(at, bbox.top + bbox.height);
            ctx.stroke();
            const width = ctx.measureText(label).width + 3 * devicePixelRatio;
            const isAtEnd = at + width > bbox.left + bbox.width;
            ctx.fillText(label, isAtEnd ? at - width : at + 3 * devicePixelRatio, bbox.top + 11 * devicePixelRatio);
          }
          ctx.restore();
        },
      ],
    },
  };
}

export function Chart(props: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef(props);
  shown.current = props;
  const plot = useRef<uPlot | undefined>(undefined);
  const drawnIn = useRef('light');
  const shape = JSON.stringify([props.lines.map(({ label, colour }) => [label, colour]), props.marks, props.range]);
  useEffect(() => {
    const own = box.current!;
    const stop = effect(() => {
      // A canvas does not know that the scheme has changed.
      drawnIn.current = theme.value;
      plot.current?.destroy();
      const width = Math.max(own.clientWidth, 200);
      plot.current = new uPlot(optionsOf(shown.current, width), dataOf(shown.current), own);
    });
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(own.clientWidth, 200), height: shown.current.height ?? 220 }),
    );
    observer.observe(own);
    return () => {
      observer.disconnect();
      stop();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData(dataOf(props));
  }, [props.x, props.lines]);
  return <div class="chart" role="img" aria-label={props.label} ref={box} />;
}

function dataOf({ x, lines }: ChartProps): uPlot.AlignedData {
  return [x as number[], ...lines.map(({ values }) => values as (number | null)[])];
}
