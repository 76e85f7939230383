import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gradients } from './differentiate.js';
import { product, quotient } from './dimension.js';
import { Graph } from './graph.js';
import { Session } from './session.js';

const input = (shape: (number | string)[]) => {
  const graph = new Graph('g');
  return { graph, x: graph.input('x', 'float32', shape) };
};

describe('the shape of a value', () => {
  it('is inferred with symbols where sizes are not known', () => {
    const { graph, x } = input(['B', 'T', 12]);
    const heads = graph.apply('Reshape', [x, graph.integer([0, 0, 3, 4])]);
    const turned = graph.apply('Transpose', [heads], { perm: [0, 2, 1, 3] });
    const scores = graph.apply('FusedMatMul', [turned, turned], { transB: 1, alpha: 1 });
    expect(scores.shape).toEqual(['B', 3, 'T', 'T']);
    expect(graph.apply('Reshape', [turned, graph.integer([-1, 4])]).shape).toEqual(['3*B*T', 4]);
  });

  it('of a product of axes is spelled in one way', () => {
    expect(product(['T', 2, 'B', 3])).toBe('6*B*T');
    expect(quotient('6*B*T', '2*T')).toBe('3*B');
    expect(quotient('6*B', 4)).toBeUndefined();
    expect(quotient('B', 'T')).toBeUndefined();
  });

  it.each([
    [
      'adding [2, 3] and [2]',
      (g: Graph) => g.apply('Add', [g.input('a', 'float32', [2, 3]), g.input('b', 'float32', [2])]),
      /Add.*\[2, 3\] and \[2\]/,
    ],
    [
      'multiplying [2, 3] and [4, 5]',
      (g: Graph) => g.apply('MatMul', [g.input('a', 'float32', [2, 3]), g.input('b', 'float32', [4, 5])]),
      /MatMul.*equal inner axes.*a \[2, 3\], b \[4, 5\]/,
    ],
    [
      'reshaping 6 elements to 4',
      (g: Graph) => g.apply('Reshape', [g.input('a', 'float32', [6]), g.integer([4])]),
      /Reshape.*as many elements.*\[4\]/,
    ],
    [
      'an initializer with too few bytes',
      (g: Graph) => g.initializer('w', 'float32', [2, 2], new Float32Array(3)),
      /w of shape \[2, 2\].*16 bytes, got 12/,
    ],
  ])('is refused for %s, naming operator, operands and shapes', (_, build, message) => {
    expect(() => build(new Graph('g'))).toThrow(
      expect.objectContaining({ code: 'SHAPE_MISMATCH', message: expect.stringMatching(message) }) as Error,
    );
  });

  it('is refused for an initializer by the details that programs read', () => {
    expect(() => new Graph('g').initializer('w', 'int64', [2, 2], new BigInt64Array(3))).toThrow(
      expect.objectContaining({ details: { name: 'w', shape: [2, 2], bytes: 24 } }) as Error,
    );
  });

  it('is refused for an operator without a rule', () => {
    const { graph, x } = input([2]);
    expect(() => graph.apply('Cosh', [x])).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_OPERATOR' }) as Error);
  });
});

describe('differentiating a graph', () => {
  it('adds up the ways by which a value reaches the loss', async () => {
    // L = Σ x² + x·e^x at x = 1: dL/dx = 2 + 2e
    const { graph, x } = input([1]);
    const sum = graph.apply('Add', [graph.apply('Mul', [x, x]), graph.apply('Mul', [x, graph.apply('Exp', [x])])]);
    const loss = graph.apply('ReduceSum', [sum], { keepdims: 0 });
    graph.output('dx', gradients(graph, loss, [x])[0]!);
    const session = await Session.create(graph);
    const { dx } = await session.run({ x: { data: Float32Array.of(1), dims: [1] } });
    expect(dx!.data[0]).toBeCloseTo(2 + 2 * Math.E, 5);
  });

  it('gives the gradient of a value on the way, next to that of what it comes from', async () => {
    // L = Σ y² + y with y = x·x: dL/dy = 2y + 1, dL/dx = (2y + 1)·2x, at x = 3
    const { graph, x } = input([1]);
    const y = graph.apply('Mul', [x, x]);
    const sum = graph.apply('Add', [graph.apply('Mul', [y, y]), y]);
    const [dx, dy] = gradients(graph, graph.apply('ReduceSum', [sum], { keepdims: 0 }), [x, y]);
    graph.output('dx', dx!);
    graph.output('dy', dy!);
    const session = await Session.create(graph);
    const results = await session.run({ x: { data: Float32Array.of(3), dims: [1] } });
    expect([results.dx!.data[0], results.dy!.data[0]]).toEqual([19 * 6, 19]);
  });

  it('builds nothing for weights that are not asked for', () => {
    const { graph, x } = input([2, 3]);
    const frozen = graph.initializer('w', 'float32', [3, 4], new Float32Array(12));
    const loss = graph.apply('ReduceSum', [graph.apply('MatMul', [x, frozen])], { keepdims: 0 });
    const before = graph.nodes.length;
    gradients(graph, loss, [x]);
    const products = graph.nodes.slice(before).filter(({ operator }) => operator === 'FusedMatMul');
    expect(products.map(({ outputs }) => outputs[0]!.shape)).toEqual([[2, 3]]);
  });

  it('refuses a loss that is no scalar and one that does not depend on x', () => {
    const { graph, x } = input([2]);
    expect(() => gradients(graph, x, [x])).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH' }) as Error);
    const other = graph.input('y', 'float32', [2]);
    const loss = graph.apply('ReduceSum', [x], { keepdims: 0 });
    expect(() => gradients(graph, loss, [other])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }) as Error);
  });
});

describe('a model with weights in a separate file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'external-'));
    const bytes = new Uint8Array(4 + 16);
    bytes.set(new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer), 4);
    await writeFile(join(folder, 'weights.bin'), bytes);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('computes with the bytes at the given offset', async () => {
    const { graph, x } = input(['N', 2]);
    const weight = graph.initializer('w', 'float32', [2, 2], {
      file: join(folder, 'weights.bin'),
      offset: 4,
      length: 16,
    });
    graph.output('y', graph.apply('MatMul', [x, weight]));
    const session = await Session.create(graph);
    const { y } = await session.run({ x: { data: Float32Array.of(1, 10), dims: [1, 2] } });
    expect([...y!.data]).toEqual([31, 42]);
  });
});

it('a runtime failure is a typed error that names the graph', async () => {
  const { graph, x } = input([2]);
  graph.output('y', graph.apply('Exp', [x]));
  const session = await Session.create(graph);
  await expect(session.run({ x: { data: new Float32Array(3), dims: [3] } })).rejects.toMatchObject({
    code: 'SESSION_FAILED',
    message: expect.stringMatching(/^Cannot run graph g/),
  });
});
