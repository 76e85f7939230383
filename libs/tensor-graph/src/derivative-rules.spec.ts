import { Random } from '@seamstream/kernel';
import { DERIVATIVE_RULES } from './derivative-rules.js';
import { gradients } from './differentiate.js';
import { Graph } from './graph.js';
import { Session, type TensorData } from './session.js';
import type { Value } from './value.js';

type Build = (graph: Graph, ...operands: Value[]) => Value;

interface Case {
  readonly operators: readonly string[];
  readonly title: string;
  /** Shapes of the differentiated operands. */
  readonly shapes: readonly (readonly number[])[];
  readonly build: Build;
  /** Operand values, uniform in this range; away from kinks and poles. */
  readonly range?: readonly [number, number];
}

const apply =
  (operator: string, attributes = {}): Build =>
  (graph, ...operands) =>
    graph.apply(operator, operands, attributes);
const unary = (operator: string, range: readonly [number, number] = [-1, 1], attributes = {}): Case => ({
  operators: [operator],
  title: operator,
  shapes: [[2, 3]],
  build: apply(operator, attributes),
  range,
});
const binary = (
  operator: string,
  a: readonly number[],
  b: readonly number[],
  range?: readonly [number, number],
): Case => ({
  operators: [operator],
  title: `${operator} of [${a.join(', ')}] and [${b.join(', ')}]`,
  shapes: [a, b],
  build: apply(operator),
  ...(range ? { range } : {}),
});
const product = (a: readonly number[], b: readonly number[], transA: 0 | 1, transB: 0 | 1): Case => ({
  operators: ['FusedMatMul'],
  title: `FusedMatMul of [${a.join(', ')}] and [${b.join(', ')}], transA ${transA}, transB ${transB}, alpha 0.7`,
  shapes: [a, b],
  build: apply('FusedMatMul', { transA, transB, alpha: 0.7 }),
});
const integers = (graph: Graph, shape: number[], ...values: number[]): Value =>
  graph.initializer(
    `integers_${shape.join('x')}_${values.join('_')}`,
    'int64',
    shape,
    BigInt64Array.from(values, BigInt),
  );

const CASES: readonly Case[] = [
  unary('Identity'),
  unary('Neg'),
  unary('Exp'),
  unary('Log', [0.5, 2]),
  unary('Sqrt', [0.5, 2]),
  unary('Reciprocal', [0.5, 2]),
  unary('Sigmoid', [-3, 3]),
  unary('Tanh', [-2, 2]),
  unary('QuickGelu', [-3, 3], { alpha: 1 }),
  unary('QuickGelu', [-3, 3], { alpha: 1.702 }),
  unary('Softmax', [-2, 2], { axis: -1 }),
  unary('LogSoftmax', [-2, 2], { axis: -1 }),
  unary('Cast', [-1, 1], { to: 1 }),
  binary('Add', [2, 3], [2, 3]),
  binary('Add', [2, 3], [3]),
  binary('Add', [2, 1, 3], [4, 1]),
  binary('Sub', [2, 3], [2, 1]),
  binary('Mul', [2, 3], [2, 3]),
  binary('Mul', [2, 1, 3], [4, 1]),
  binary('Div', [2, 3], [3], [0.5, 2]),
  binary('Min', [2, 3], [2, 3]),
  binary('Max', [2, 3], [3]),
  {
    operators: ['Where'],
    title: 'Where with a broadcast condition and a broadcast operand',
    shapes: [[2, 3], [3]],
    build: (graph, a, b) =>
      graph.apply('Where', [graph.initializer('condition', 'bool', [2, 1], Uint8Array.of(1, 0)), a, b]),
  },
  {
    operators: ['MatMul'],
    title: 'MatMul of [2,3] and [3,4]',
    shapes: [
      [2, 3],
      [3, 4],
    ],
    build: apply('MatMul'),
  },
  {
    operators: ['MatMul'],
    title: 'MatMul with broadcast batches',
    shapes: [
      [2, 1, 2, 3],
      [4, 3, 2],
    ],
    build: apply('MatMul'),
  },
  product([2, 3], [3, 4], 0, 0),
  product([2, 3], [4, 3], 0, 1),
  product([3, 2], [3, 4], 1, 0),
  product([3, 2], [4, 3], 1, 1),
  product([2, 2, 3], [4, 3], 0, 1),
  product([2, 2, 3], [3, 4], 0, 0),
  product([2, 2, 2, 3], [2, 2, 4, 3], 0, 1),
  product([2, 3, 2], [2, 4, 3], 1, 1),
  ...[0, 1].flatMap((keepdims): Case[] => [
    {
      operators: ['ReduceSum'],
      title: `ReduceSum over axis 1, keepdims ${keepdims}`,
      shapes: [[2, 3, 2]],
      build: (graph, x) => graph.apply('ReduceSum', [x, graph.integer([1])], { keepdims }),
    },
    {
      operators: ['ReduceMean'],
      title: `ReduceMean over the last axis, keepdims ${keepdims}`,
      shapes: [[2, 3]],
      build: (graph, x) => graph.apply('ReduceMean', [x, graph.integer([-1])], { keepdims }),
    },
  ]),
  {
    operators: ['ReduceSum'],
    title: 'ReduceSum over everything',
    shapes: [[2, 3]],
    build: (graph, x) => graph.apply('ReduceSum', [x], { keepdims: 0 }),
  },
  {
    operators: ['SimplifiedLayerNormalization'],
    title: 'RMSNorm as one operator',
    shapes: [[2, 3, 4], [4]],
    build: (graph, x, weight) =>
      graph.node('SimplifiedLayerNormalization', [x, weight], { axis: -1, epsilon: 1e-5, stash_type: 1 }, 2)[0]!,
  },
  {
    operators: ['SimplifiedLayerNormalization'],
    title: 'RMSNorm as one operator whose statistics were not asked for',
    shapes: [[2, 4], [4]],
    build: apply('SimplifiedLayerNormalization', { axis: -1, epsilon: 1e-5, stash_type: 1 }),
  },
  {
    operators: ['Mul', 'ReduceMean', 'Add', 'Sqrt', 'Div'],
    title: 'RMSNorm written out',
    shapes: [[2, 4], [4]],
    build: (graph, x, weight) => {
      const square = graph.apply('ReduceMean', [graph.apply('Mul', [x, x]), graph.integer([-1])], { keepdims: 1 });
      const root = graph.apply('Sqrt', [graph.apply('Add', [square, graph.float(1e-5)])]);
      return graph.apply('Mul', [graph.apply('Div', [x, root]), weight]);
    },
  },
  {
    operators: ['RotaryEmbedding'],
    title: 'the rotary embedding of two heads at positions 0, 2 and 1',
    shapes: [[1, 3, 8]],
    build: (graph, x) => {
      const angles = [0, 0, 0.4, 0.9, 1.3, 2.1];
      const cos = graph.initializer('cos', 'float32', [3, 2], Float32Array.from(angles, Math.cos));
      const sin = graph.initializer('sin', 'float32', [3, 2], Float32Array.from(angles, Math.sin));
      return graph.apply('RotaryEmbedding', [x, integers(graph, [1, 3], 0, 2, 1), cos, sin], { interleaved: 0 });
    },
  },
  {
    operators: ['Reshape'],
    title: 'Reshape',
    shapes: [[2, 6]],
    build: (graph, x) => graph.apply('Reshape', [x, graph.integer([0, 3, -1])]),
  },
  {
    operators: ['Unsqueeze'],
    title: 'Unsqueeze',
    shapes: [[2, 3]],
    build: (graph, x) => graph.apply('Unsqueeze', [x, graph.integer([1])]),
  },
  {
    operators: ['Expand'],
    title: 'Expand',
    shapes: [[2, 1]],
    build: (graph, x) => graph.apply('Expand', [x, graph.integer([3, 2, 4])]),
  },
  { operators: ['Transpose'], title: 'Transpose', shapes: [[2, 3, 4]], build: apply('Transpose', { perm: [2, 0, 1] }) },
  {
    operators: ['Concat'],
    title: 'Concat',
    shapes: [
      [2, 3],
      [2, 2],
    ],
    build: apply('Concat', { axis: -1 }),
  },
  ...[
    [0, 2],
    [1, 3],
    [2, 4],
    [-3, -1],
  ].map(
    ([start, end]): Case => ({
      operators: ['Slice'],
      title: `Slice ${start} to ${end} of 4`,
      shapes: [[2, 4]],
      build: (graph, x) => graph.apply('Slice', [x, ...[[start!], [end!], [1]].map((part) => graph.integer(part))]),
    }),
  ),
  {
    operators: ['Gather'],
    title: 'Gather of rows, one of them twice',
    shapes: [[4, 3]],
    build: (graph, x) => graph.apply('Gather', [x, integers(graph, [2, 2], 3, 0, 3, 1)], { axis: 0 }),
  },
  {
    operators: ['GatherElements'],
    title: 'GatherElements along the last axis',
    shapes: [[2, 4]],
    build: (graph, x) => graph.apply('GatherElements', [x, integers(graph, [2, 2], 3, 0, 1, 1)], { axis: 1 }),
  },
  {
    operators: ['ScatterND'],
    title: 'ScatterND that adds two updates to one row',
    shapes: [
      [3, 2],
      [4, 2],
    ],
    build: (graph, x, updates) =>
      graph.apply('ScatterND', [x, integers(graph, [4, 1], 2, 0, 2, 1), updates], { reduction: 'add' }),
  },
];

/**
 * Step of the central difference. Its error is about h²/6·|f'''| + 2⁻²⁴·|L|/h: for values and derivatives of order 1
 * near 2e-5 + 1e-5, and ten times that for the steepest cases here; 1e-3 is far from both and far below a wrong rule.
 */
const STEP = 1e-2;
const TOLERANCE = 1e-3;

async function lossAndGradients({ shapes, build }: Case) {
  const graph = new Graph('derivative');
  const operands = shapes.map((shape, index) => graph.input(`x${index}`, 'float32', shape));
  const y = build(graph, ...operands);
  // L = Σ r⊙y with fixed random r: every element of the Jacobian counts with a different weight.
  const random = Random.of('probe', y.shape.length);
  const size = (y.shape as number[]).reduce((total, length) => total * length, 1);
  const probe = Float32Array.from({ length: size }, () => random.float() * 2 - 1);
  const weighted = graph.apply('Mul', [y, graph.initializer('probe', 'float32', y.shape as number[], probe)]);
  const loss = graph.apply('ReduceSum', [weighted], { keepdims: 0 });
  const derivatives = gradients(graph, loss, operands);
  graph.output('loss', loss);
  derivatives.forEach((derivative, index) => graph.output(`d${index}`, derivative));
  const session = await Session.create(graph);
  return { session, derivatives };
}

describe('the derivative of', () => {
  it.each(CASES.map((testCase) => [testCase.title, testCase] as const))(
    '%s is the slope of central differences',
    async (_, testCase) => {
      const { session, derivatives } = await lossAndGradients(testCase);
      const random = Random.of(testCase.title);
      const [low, high] = testCase.range ?? [-1, 1];
      const values = testCase.shapes.map((shape) =>
        Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => low + (high - low) * random.float()),
      );
      const feeds: Record<string, TensorData> = Object.fromEntries(
        values.map((data, index) => [`x${index}`, { data, dims: testCase.shapes[index]! }]),
      );
      const lossAt = async (): Promise<number> => (await session.run(feeds, ['loss'])).loss!.data[0]!;
      const analytic = await session.run(feeds);
      for (const [index, data] of values.entries()) {
        expect(derivatives[index]!.shape).toEqual(testCase.shapes[index]);
        const numeric = new Float32Array(data.length);
        for (let i = 0; i < data.length; i++) {
          const center = data[i]!;
          data[i] = center + STEP;
          const above = await lossAt();
          data[i] = center - STEP;
          const below = await lossAt();
          data[i] = center;
          numeric[i] = (above - below) / (2 * STEP);
        }
        const found = analytic[`d${index}`]!.data;
        expect(found).toHaveLength(numeric.length);
        numeric.forEach((slope, i) => {
          expect(Math.abs(found[i]! - slope)).toBeLessThan(TOLERANCE * Math.max(1, Math.abs(slope)));
        });
      }
      await session.close();
    },
  );

  it('every operator in the table is among the cases above', () => {
    const tested = new Set(CASES.flatMap(({ operators }) => operators));
    expect(Object.keys(DERIVATIVE_RULES).filter((operator) => !tested.has(operator))).toEqual([]);
  });
});
