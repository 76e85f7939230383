/**
 * The codecs of kafkajs' one table, registered when this file is loaded. The log compresses with them; what it reads is
 * read by record-set.ts instead. Decompression serves consumers of kafkajs in the same process.
 */
import kafkajs from 'kafkajs';
import { COMPRESSIONS, compressed, compressionType, decompressed } from '../compression.js';

/** Its declarations know only the numbers of the enum that they declare. */
const codecs = kafkajs.CompressionCodecs as Record<number, () => Codec>;

/** What kafkajs wants of a codec; its declarations leave it open. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

for (const name of COMPRESSIONS) {
  if (name === 'none') continue;
  const type = compressionType(name);
  codecs[type] = () => ({
    compress: ({ buffer }) => compressed(type, buffer),
    decompress: (bytes) => decompressed(type, bytes, Number.MAX_SAFE_INTEGER),
  });
}
