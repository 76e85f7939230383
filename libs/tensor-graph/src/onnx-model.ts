/**
 * Writes a graph as an ONNX ModelProto. Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 *
 *   ModelProto  1 ir_version  2 producer_name  7 graph  8 opset_import { 1 domain  2 version }
 *   GraphProto  1 node*  2 name  5 initializer*  11 input*  12 output*
 *   NodeProto   1 input*  2 output*  3 name  4 op_type  5 attribute*  7 domain
 *   TensorProto 1 dims*  2 data_type  8 name  9 raw_data  13 external_data* { 1 key  2 value }  14 data_location
 */
import { relative } from 'node:path';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Graph } from './graph.js';
import { codeOfType, type Initializer, type Node, type Value } from './value.js';

/** IR 10 and opset 21 belong together (ONNX 1.16) and are what the pinned runtime supports in full. */
const IR_VERSION = 10;
const OPSET = 21;

/** Attributes that ONNX declares as float; every other number is an integer. */
const FLOAT_ATTRIBUTES = new Set(['alpha', 'epsilon']);
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, ints: 7 };

/**
 * The bytes of the model. Initializers given as places in files stay there and are named by file, offset and length;
 * the bytes of the others are inside, so their sum must stay below protobuf's limit of 2 GiB.
 * @param externalDataFolder what the names of files are relative to.
 */
export function encodeModel(graph: Graph, externalDataFolder = '/'): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int64(IR_VERSION);
  writer.tag(2, WireType.LengthDelimited).string('seamstream');
  message(writer, 7, () => writeGraph(writer, graph, externalDataFolder));
  for (const [domain, version] of [
    ['', OPSET],
    ['com.microsoft', 1],
  ] as const) {
    message(writer, 8, () => {
      writer.tag(1, WireType.LengthDelimited).string(domain);
      writer.tag(2, WireType.Varint).int64(version);
    });
  }
  return writer.finish();
}

function message(writer: BinaryWriter, field: number, write: () => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

function writeGraph(writer: BinaryWriter, graph: Graph, folder: string): void {
  for (const node of graph.nodes) message(writer, 1, () => writeNode(writer, node));
  writer.tag(2, WireType.LengthDelimited).string(graph.name);
  for (const initializer of graph.initializers) message(writer, 5, () => writeInitializer(writer, initializer, folder));
  for (const input of graph.inputs) message(writer, 11, () => writeValue(writer, input));
  for (const output of graph.outputs) message(writer, 12, () => writeValue(writer, output));
}

function writeNode(writer: BinaryWriter, node: Node): void {
  for (const input of node.inputs) writer.tag(1, WireType.LengthDelimited).string(input?.name ?? '');
  for (const output of node.outputs) writer.tag(2, WireType.LengthDelimited).string(output.name);
  writer.tag(3, WireType.LengthDelimited).string(node.outputs[0]!.name);
  writer.tag(4, WireType.LengthDelimited).string(node.operator);
  for (const [name, value] of Object.entries(node.attributes)) {
    message(writer, 5, () => {
      writer.tag(1, WireType.LengthDelimited).string(name);
      let type = ATTRIBUTE_TYPE.int;
      if (typeof value === 'string') {
        type = ATTRIBUTE_TYPE.string;
        writer.tag(4, WireType.LengthDelimited).string(value);
      } else if (typeof value !== 'number') {
        type = ATTRIBUTE_TYPE.ints;
        for (const item of value) writer.tag(8, WireType.Varint).int64(item);
      } else if (FLOAT_ATTRIBUTES.has(name)) {
        type = ATTRIBUTE_TYPE.float;
        writer.tag(2, WireType.Bit32).float(value);
      } else {
        writer.tag(3, WireType.Varint).int64(value);
      }
      writer.tag(20, WireType.Varint).int32(type);
    });
  }
  writer.tag(7, WireType.LengthDelimited).string(node.domain);
}

function writeInitializer(writer: BinaryWriter, { value, data }: Initializer, folder: string): void {
  for (const size of value.shape) writer.tag(1, WireType.Varint).int64(size);
  writer.tag(2, WireType.Varint).int32(codeOfType(value.type));
  writer.tag(8, WireType.LengthDelimited).string(value.name);
  if (data instanceof Uint8Array) {
    writer.tag(9, WireType.LengthDelimited).bytes(data);
    return;
  }
  for (const [key, text] of [
    ['location', relative(folder, data.file)],
    ['offset', String(data.offset)],
    ['length', String(data.length)],
  ] as const) {
    message(writer, 13, () => {
      writer.tag(1, WireType.LengthDelimited).string(key);
      writer.tag(2, WireType.LengthDelimited).string(text);
    });
  }
  writer.tag(14, WireType.Varint).int32(1);
}

function writeValue(writer: BinaryWriter, value: Value): void {
  writer.tag(1, WireType.LengthDelimited).string(value.name);
  message(writer, 2, () =>
    message(writer, 1, () => {
      writer.tag(1, WireType.Varint).int32(codeOfType(value.type));
      message(writer, 2, () => {
        for (const size of value.shape) {
          message(writer, 1, () => {
            if (typeof size === 'number') writer.tag(1, WireType.Varint).int64(size);
            else writer.tag(2, WireType.LengthDelimited).string(size);
          });
        }
      });
    }),
  );
}
