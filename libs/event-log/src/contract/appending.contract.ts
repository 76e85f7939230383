import { partitionForKey } from '../murmur2.js';
import { MAX_RECORD_BYTES } from '../record-rules.js';
import { bytes, type LogScene, refusalOf, text, valuesOf } from './log-scene.contract.js';

export function describeAppending(scene: LogScene): void {
  const { clock, open, topicWith, record, numbered, readAll } = scene;

  describe('appending', () => {
    it('gives back every field of a record, and its position', async () => {
      const topic = await topicWith(1);
      const headers = { ce_id: '1', ce_type: 'Überraschung', traceparent: '' };
      const value = Uint8Array.from({ length: 256 }, (_, index) => index);
      const positions = await scene.log.append([
        { topic, key: 'schlüssel', value, headers, timestampMs: 12_345 },
        { topic, key: null, value: null },
        { topic, key: '', value: new Uint8Array(0) },
      ]);
      const records = await readAll(topic);
      expect(records).toEqual([
        { topic, partition: 0, offset: positions[0]!.offset, key: 'schlüssel', value, headers, timestampMs: 12_345 },
        {
          topic,
          partition: 0,
          offset: positions[1]!.offset,
          key: null,
          value: null,
          headers: {},
          timestampMs: clock.now(),
        },
        {
          topic,
          partition: 0,
          offset: positions[2]!.offset,
          key: '',
          value: new Uint8Array(0),
          headers: {},
          timestampMs: clock.now(),
        },
      ]);
    });

    it('puts a key into the partition that Kafka would choose', async () => {
      const topic = await topicWith(5);
      const keys = Array.from({ length: 50 }, (_, index) => `problem-${index}`);
      const positions = await scene.log.append(keys.map((key) => ({ topic, key, value: bytes(key) })));
      expect(positions.map((position) => position.partition)).toEqual(keys.map((key) => partitionForKey(key, 5)));
    });

    it('spreads records without a key over the partitions', async () => {
      const topic = await topicWith(3);
      const positions = await scene.log.append(
        Array.from({ length: 30 }, () => ({ topic, key: null, value: bytes('x') })),
      );
      expect(new Set(positions.map((position) => position.partition))).toEqual(new Set([0, 1, 2]));
    });

    it('keeps the order of each partition, within a call and from call to call', async () => {
      const topic = await topicWith(2);
      for (let round = 0; round < 5; round++) {
        await scene.log.append(
          Array.from({ length: 20 }, (_, index) => record(topic, `${round * 20 + index}`, { partition: index % 2 })),
        );
      }
      const even = valuesOf(await readAll(topic, 0)).map(Number);
      const odd = valuesOf(await readAll(topic, 1)).map(Number);
      expect(even).toEqual(Array.from({ length: 50 }, (_, index) => index * 2));
      expect(odd).toEqual(Array.from({ length: 50 }, (_, index) => index * 2 + 1));
    });

    it('keeps calls whole and in order when many wait at once', async () => {
      const topic = await topicWith(1);
      await Promise.all(
        Array.from({ length: 40 }, (_, call) =>
          scene.log.append([record(topic, `${call}a`), record(topic, `${call}b`)]),
        ),
      );
      const values = valuesOf(await readAll(topic));
      expect(values).toHaveLength(80);
      for (let call = 0; call < 40; call++) expect(values[values.indexOf(`${call}a`) + 1]).toBe(`${call}b`);
    });

    it('raises offsets from record to record and lets the high watermark follow', async () => {
      const topic = await topicWith(1);
      const positions = await scene.log.append(numbered(topic, 100));
      const offsets = positions.map((position) => position.offset);
      expect(offsets.every((offset, index) => index === 0 || offset > offsets[index - 1]!)).toBe(true);
      expect((await scene.log.watermarks(topic))[0]!.high).toBeGreaterThan(offsets.at(-1)!);
    });

    it('takes nothing when one record of a call is refused', async () => {
      const topic = await topicWith(1);
      const big = record(topic, null, { value: new Uint8Array(MAX_RECORD_BYTES + 1) });
      expect(await refusalOf(scene.log.append([record(topic, 'fine'), big]))).toMatchObject({
        code: 'RECORD_TOO_LARGE',
        details: { index: 1 },
      });
      expect(await refusalOf(scene.log.append([record(topic, 'fine'), record('nowhere', 'x')]))).toMatchObject({
        code: 'UNKNOWN_TOPIC',
      });
      expect(
        await refusalOf(scene.log.append([record(topic, 'fine'), record(topic, 'x', { key: '\ud800' })])),
      ).toMatchObject({ code: 'INVALID_INPUT' });
      expect(await refusalOf(scene.log.append([record(topic, 'x', { headers: { 'Ce-Id': '1' } })]))).toMatchObject({
        code: 'INVALID_INPUT',
      });
      expect(await refusalOf(scene.log.append([record(topic, 'x', { timestampMs: -1 })]))).toMatchObject({
        code: 'INVALID_INPUT',
      });
      expect(await readAll(topic)).toEqual([]);
    });

    it('takes a record of the largest size', async () => {
      const topic = await topicWith(1);
      const value = new Uint8Array(MAX_RECORD_BYTES).fill(7);
      await scene.log.append([record(topic, null, { value })]);
      expect(Buffer.compare((await readAll(topic))[0]!.value!, value)).toBe(0);
    });

    it('keeps what was given even when the caller changes its bytes afterwards', async () => {
      const topic = await topicWith(1);
      const value = bytes('before');
      const done = scene.log.append([record(topic, null, { value })]);
      value.fill(0);
      await done;
      value.fill(1);
      const [read] = await readAll(topic);
      expect(text(read!.value)).toBe('before');
      read!.value!.fill(2);
      expect(valuesOf(await readAll(topic))).toEqual(['before']);
    });

    it('is seen by another open log', async () => {
      const topic = await topicWith(1);
      await scene.log.append(numbered(topic, 3));
      expect(valuesOf(await readAll(topic, 0, 0, await open()))).toEqual(['0', '1', '2']);
    });
  });
}
