/**
 * An interpreter of Jinja with a budget. A template comes from a stranger, and its loops, its doubled lists and its replacements
 * can ask for any amount of work; here work is counted, and what is beyond ends with an error that names the limit. The limits are
 * numbers of steps and characters, never of milliseconds: the same template over the same messages is refused everywhere or nowhere.
 *
 * The library's interpreter is a class whose methods call each other by name, so a step is counted by a method that is put over its
 * own (@huggingface/jinja 0.5.11, src/runtime.ts). chat-template.spec.ts has a bomb for each method that is put over, which finds an
 * upgrade that calls them otherwise.
 */
import * as library from '@huggingface/jinja';

/** Published templates take some hundreds of steps for a message. */
const MAX_STEPS = 100_000;
/** Characters of a text, or elements of a list with all that is in them: 16 times the largest problem. */
export const MAX_SIZE = 2 ** 22;
/** Of what may come out where one text multiplies another, before it is made. */
const MAX_PRODUCT = 2 ** 26;
/** Of all that is made, together. A character costs up to 100 ns where a text is taken apart. */
const MAX_TOTAL_SIZE = 2 ** 25;

/** What templates work with; only what is measured is named here. */
interface RuntimeValue {
  readonly type: string;
  readonly value: unknown;
}
interface TreeNode {
  readonly type: string;
  readonly filter?: TreeNode;
  readonly callee?: TreeNode;
  readonly object?: TreeNode;
  readonly property?: TreeNode;
  /** Of an argument by name its node, of a literal or a name its text. */
  readonly value?: unknown;
  /** Of an unpacked argument. */
  readonly argument?: TreeNode;
  readonly args?: readonly TreeNode[];
}
/** What was evaluated already, in the place of the node that said it. */
interface MeasuredNode extends TreeNode {
  readonly type: 'Measured';
  readonly held: RuntimeValue;
}
interface InterpreterMethods {
  evaluate(node: TreeNode | undefined, environment: unknown): RuntimeValue;
  evaluateBlock(nodes: readonly TreeNode[], environment: unknown): RuntimeValue;
  applyFilter(operand: RuntimeValue, filter: TreeNode, environment: unknown): RuntimeValue;
  evaluateCallExpression(node: TreeNode, environment: unknown): RuntimeValue;
  evaluateMacro(node: TreeNode, environment: unknown): RuntimeValue;
  evaluateCallStatement(node: TreeNode, environment: unknown): RuntimeValue;
  run(program: unknown): RuntimeValue;
}
const Interpreter = (library as unknown as { Interpreter: new (environment: unknown) => InterpreterMethods })
  .Interpreter;

/** The budget was spent: `limit` says which. */
export class TemplateBudgetError extends Error {
  constructor(readonly limit: string) {
    super(`it needs ${limit}`);
  }
}

/** What a function or a filter makes is as large as its operand, or less: these are the ones that multiply. */
const MULTIPLYING = new Set(['join', 'replace', 'indent', 'tojson', 'format']);

/** Characters that a step through the tree costs for each character of the source. */
const WALK = 16;

export class BoundedInterpreter extends Interpreter {
  #steps = 0;
  #total = 0;
  readonly #sizes = new WeakMap<object, number>();
  readonly #measuring = new Set<object>();

  /** @param sourceLength of the template, in characters: some steps walk through a part of it. */
  constructor(
    environment: unknown,
    private readonly sourceLength: number,
  ) {
    super(environment);
  }

  override evaluate(node: TreeNode | undefined, environment: unknown): RuntimeValue {
    this.#step();
    if (node?.type === 'Measured') return (node as MeasuredNode).held;
    const value = super.evaluate(node, environment);
    // What a variable holds was measured when it was made.
    if (node?.type !== 'Identifier') this.#bound(this.#sizeOf(value));
    return value;
  }

  /** A loop without a body evaluates nothing but its blocks. */
  override evaluateBlock(nodes: readonly TreeNode[], environment: unknown): RuntimeValue {
    this.#step();
    return super.evaluateBlock(nodes, environment);
  }

  override applyFilter(operand: RuntimeValue, filter: TreeNode, environment: unknown): RuntimeValue {
    const size = this.#sizeOf(operand);
    this.#charge(size);
    const isCall = filter.type === 'CallExpression' && MULTIPLYING.has(String(filter.callee?.value));
    const measured = isCall ? { ...filter, args: this.#measured(size, filter.args ?? [], environment) } : filter;
    return super.applyFilter(operand, measured, environment);
  }

  override evaluateCallExpression(node: TreeNode, environment: unknown): RuntimeValue {
    const { callee } = node;
    if (callee?.type !== 'MemberExpression') return super.evaluateCallExpression(node, environment);
    const held = this.evaluate(callee.object, environment);
    const size = this.#sizeOf(held);
    this.#charge(size);
    const object: MeasuredNode = { type: 'Measured', held };
    const measured = { ...node, callee: { ...callee, object } };
    if (!MULTIPLYING.has(String(callee.property?.value))) return super.evaluateCallExpression(measured, environment);
    const args = this.#measured(size, node.args ?? [], environment);
    return super.evaluateCallExpression({ ...measured, args }, environment);
  }

  /** The library looks through the body for special names each time. */
  override evaluateMacro(node: TreeNode, environment: unknown): RuntimeValue {
    this.#charge(WALK * this.sourceLength);
    return super.evaluateMacro(node, environment);
  }

  override evaluateCallStatement(node: TreeNode, environment: unknown): RuntimeValue {
    this.#charge(WALK * this.sourceLength);
    return super.evaluateCallStatement(node, environment);
  }

  /** Evaluates arguments once. An operand may come out once for each character of them: 'a'|replace('', long). */
  #measured(size: number, args: readonly TreeNode[], environment: unknown): TreeNode[] {
    let factor = 1;
    const measured = (node: TreeNode): MeasuredNode => {
      const held = this.evaluate(node, environment);
      factor += held.type === 'IntegerValue' ? Math.abs(Number(held.value)) : this.#sizeOf(held);
      return { type: 'Measured', held };
    };
    const nodes = args.map((node): TreeNode => {
      if (node.type.startsWith('Keyword')) {
        return node.argument === undefined
          ? { ...node, value: measured(node.value as TreeNode) }
          : { ...node, argument: measured(node.argument) };
      }
      return node.type === 'SpreadExpression' ? { ...node, argument: measured(node.argument!) } : measured(node);
    });
    if (size * factor > MAX_PRODUCT)
      throw new TemplateBudgetError(`a text that is multiplied to more than ${MAX_PRODUCT} characters`);
    return nodes;
  }

  #step(): void {
    if (++this.#steps > MAX_STEPS) throw new TemplateBudgetError(`more than ${MAX_STEPS} steps`);
  }

  #charge(size: number): void {
    this.#total += size;
    if (this.#total > MAX_TOTAL_SIZE) throw new TemplateBudgetError(`more than ${MAX_TOTAL_SIZE} characters in all`);
  }

  #bound(size: number): void {
    if (size > MAX_SIZE) throw new TemplateBudgetError(`a value of more than ${MAX_SIZE} characters or elements`);
    this.#charge(size >> 6);
  }

  /** Characters and elements with all that is in them: a list of a list twice is as large as its text. */
  #sizeOf(value: RuntimeValue): number {
    return this.#measure(value).size;
  }

  /** A namespace changes after it was measured, so what holds one is measured each time; one that holds itself has no size. */
  #measure(value: RuntimeValue): { readonly size: number; readonly isLasting: boolean } {
    const content = value.value;
    if (typeof content === 'string') return { size: content.length, isLasting: true };
    if (typeof content !== 'object' || content === null) return { size: 1, isLasting: true };
    const known = this.#sizes.get(content);
    if (known !== undefined) return { size: known, isLasting: true };
    if (this.#measuring.has(content)) return { size: Number.POSITIVE_INFINITY, isLasting: false };
    this.#measuring.add(content);
    let size = 1;
    let isLasting = value.type !== 'NamespaceValue';
    for (const part of content instanceof Map ? content.values() : Array.isArray(content) ? content : []) {
      this.#step();
      const measured = this.#measure(part as RuntimeValue);
      size += measured.size;
      isLasting &&= measured.isLasting;
    }
    this.#measuring.delete(content);
    if (isLasting) this.#sizes.set(content, size);
    return { size, isLasting };
  }
}
