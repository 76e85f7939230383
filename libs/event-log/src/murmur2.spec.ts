import { murmur2, partitionForKey } from './murmur2.js';

describe('murmur2', () => {
  // The vectors of Apache Kafka's own UtilsTest.testMurmur2; the empty input is the Java client's value as well.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
    ['', 275646681],
  ])('hashes %j as the Java client does', (text, expected) => {
    expect(murmur2(new TextEncoder().encode(text))).toBe(expected);
  });

  it('places a key by the positive hash modulo the number of partitions', () => {
    // -790332482 & 0x7fffffff = 1357151166
    expect([10, 50, 4, 1].map((partitions) => partitionForKey('foobar', partitions))).toEqual([6, 16, 2, 0]);
  });

  it('hashes the UTF-8 bytes of a key, not its UTF-16 code units', () => {
    expect(partitionForKey('Grüße', 1000)).toBe((murmur2(Buffer.from('Grüße', 'utf8')) & 0x7fffffff) % 1000);
  });
});
