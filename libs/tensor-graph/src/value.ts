/** What a graph is made of. */
import { SeamError } from '@seamstream/kernel';
import type { Dimension } from './dimension.js';

export type DataType = 'float32' | 'int32' | 'int64' | 'bool' | 'bfloat16' | 'float16';

/** A tensor of the graph: an input, an initializer or the output of a node. */
export interface Value {
  readonly name: string;
  readonly type: DataType;
  readonly shape: readonly Dimension[];
}

/** Integers and floats are told apart by name when written (see FLOAT_ATTRIBUTES in onnx-model.ts). */
export type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

export interface Node {
  readonly operator: string;
  /** '' is ONNX itself. */
  readonly domain: '' | 'com.microsoft';
  /** An absent optional input is undefined. */
  readonly inputs: readonly (Value | undefined)[];
  readonly outputs: readonly Value[];
  readonly attributes: Attributes;
}

/** Where an initializer's bytes are in a file next to the model: raw little-endian, row-major. */
export interface ExternalData {
  /** Absolute path. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface Initializer {
  readonly value: Value;
  readonly data: Uint8Array | ExternalData;
}

/** TensorProto.DataType of onnx.proto. */
const CODES: readonly (readonly [number, DataType])[] = [
  [1, 'float32'],
  [6, 'int32'],
  [7, 'int64'],
  [9, 'bool'],
  [10, 'float16'],
  [16, 'bfloat16'],
];

/** The code of a type in onnx.proto. */
export function codeOfType(type: DataType): number {
  return CODES.find(([, name]) => name === type)![0];
}

/** @throws UNSUPPORTED_OPERATOR for a type that graphs here do not have. */
export function typeOfCode(code: number): DataType {
  const found = CODES.find(([known]) => known === code);
  if (!found) throw new SeamError('UNSUPPORTED_OPERATOR', `Cannot cast: expected a supported ONNX type, got ${code}.`);
  return found[1];
}
