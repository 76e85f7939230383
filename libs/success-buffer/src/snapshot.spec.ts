import { canonicalJson } from '@seamstream/kernel';
import { commit, decodeSnapshot, inputRanges } from './index.js';
import { bufferOf, bytesOf, commitOf, group, restarted, validateEntry } from './told-groups.fake.js';

describe('a snapshot', () => {
  it('has equal bytes for equal states, however they were reached', () => {
    const events = [
      ...group('g1', '+--x'),
      ...group('g2', '+-', { partition: 1 }),
      ...group('c', '-', { arm: 'control' }),
    ];
    expect(bytesOf(bufferOf([...events].reverse()))).toEqual(bytesOf(bufferOf(events)));
    expect(bytesOf(bufferOf(events.slice(1)))).not.toEqual(bytesOf(bufferOf(events)));
  });

  it('continues where the state stopped', () => {
    const { state } = commitOf(group('g1', '+-'));
    const restored = restarted(state);
    expect(bytesOf(restored)).toEqual(bytesOf(state));
    expect(canonicalJson(inputRanges(restored))).toBe('[{"from":0,"partition":0,"to":2,"topic":"seam.outcomes"}]');
    const again = commit(restored, { validateEntry });
    expect(again.decisions).toEqual([]);
    expect(again.rows.map(({ outcomeId }) => outcomeId)).toEqual(['g1-0']);
  });

  it('has as many pieces as its groups need', () => {
    const prompt = 'x'.repeat(400_000);
    const { state } = commitOf(
      ['a', 'b', 'c', 'd', 'e'].flatMap((name) => group(name, '+-', { prompt: prompt + name })),
    );
    const bytes = bytesOf(state);
    const again = decodeSnapshot(bytes);
    expect(bytesOf(again.state)).toEqual(bytes);
    expect([...again.state.groups.keys()]).toEqual(['a', 'b', 'c', 'd', 'e']);
    const firstPiece = bytes.slice(0, 4 + Buffer.from(bytes).readUInt32BE(0));
    expect(firstPiece.length).toBeLessThan(bytes.length);
    expect(() => decodeSnapshot(firstPiece)).toThrow(/with [1-4] of 5 groups/);
  });

  it('that is damaged is refused with what to do', () => {
    const bytes = bytesOf(bufferOf(group('g1', '+-')));
    expect(() => decodeSnapshot(bytes.slice(0, -1))).toThrow(/got \d+ bytes with .* Delete the snapshot/);
    expect(() => decodeSnapshot(new Uint8Array(0))).toThrow(/got 0 bytes with format undefined/);
    expect(() => decodeSnapshot(new Uint8Array([1, 2, 3]))).toThrow(
      /expected seamstream.success-buffer\/3, got 3 bytes .* Delete the snapshot/,
    );
  });
});
