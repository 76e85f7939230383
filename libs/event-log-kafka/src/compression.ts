/**
 * Codecs for kafkajs, which brings gzip alone. They are registered in kafkajs' one table when this file is loaded, so that
 * whatever a foreign producer chose can be read.
 */
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';
import snappy from 'kafkajs-snappy';
import { compressFrame, decompressFrame } from 'lz4-napi';

const { CompressionCodecs, CompressionTypes } = kafkajs;

export const COMPRESSIONS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

const TYPES: Readonly<Record<Compression, number>> = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
};

/** What kafkajs wants of a codec; its declarations leave it open. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

const zstd = { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) };

CompressionCodecs[CompressionTypes.Snappy] = snappy;
CompressionCodecs[CompressionTypes.LZ4] = (): Codec => ({
  compress: ({ buffer }) => compressFrame(buffer),
  decompress: (buffer) => decompressFrame(buffer),
});
CompressionCodecs[CompressionTypes.ZSTD] = (): Codec => ({
  compress: ({ buffer }) => zstd.compress(buffer),
  decompress: (buffer) => zstd.decompress(buffer),
});

/** The number by which record batches and kafkajs name a codec. */
export function compressionType(compression: Compression): number {
  return TYPES[compression];
}

/** Bytes of a record batch as they were before the codec of that number. */
export async function decompressed(type: number, bytes: Buffer): Promise<Buffer> {
  if (type === TYPES.none) return bytes;
  const codec = CompressionCodecs[type as 1 | 2 | 3 | 4]() as Codec;
  return codec.decompress(bytes);
}
