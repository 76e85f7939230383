import { decodeSafetensors, encodeSafetensors } from '@seamstream/model-files';
import { type AdapterContent, adapterDigest, createAdapter, decodeAdapter, encodeAdapter } from './adapter.js';

const CONTENT: AdapterContent = {
  kind: 'lora',
  baseModelDigest: 'base',
  settings: { kind: 'lora', rank: 2, alpha: 4, targetModules: ['q_proj'], modulesToSave: [], seed: 's' },
  tensors: new Map([
    ['b', { shape: [1, 2], data: Float32Array.of(1, 2) }],
    ['a', { shape: [2], data: Float32Array.of(3, 4) }],
  ]),
};

describe('an adapter', () => {
  it('comes back from its file unchanged, and equal adapters give equal bytes', () => {
    const adapter = createAdapter(CONTENT);
    const bytes = encodeAdapter(adapter);
    const read = decodeAdapter(bytes, { baseModelDigest: 'base', digest: adapter.digest });
    expect({ ...read, tensors: new Map([...read.tensors].reverse()) }).toEqual(adapter);
    expect(encodeAdapter(createAdapter({ ...CONTENT, tensors: new Map([...CONTENT.tensors].reverse()) }))).toEqual(
      bytes,
    );
  });

  it('is named by its content: every part counts, the order of tensors does not', () => {
    const digest = adapterDigest(CONTENT);
    expect(adapterDigest({ ...CONTENT, tensors: new Map([...CONTENT.tensors].reverse()) })).toBe(digest);
    const changed = (data: Float32Array, shape = [2]) => new Map([...CONTENT.tensors, ['a', { shape, data }] as const]);
    const others = [
      { ...CONTENT, baseModelDigest: 'other' },
      { ...CONTENT, settings: { ...CONTENT.settings, alpha: 8 } as AdapterContent['settings'] },
      { ...CONTENT, tensors: changed(Float32Array.of(3, 5)) },
      { ...CONTENT, tensors: changed(Float32Array.of(3, 4), [1, 2]) },
      { ...CONTENT, tensors: new Map([...CONTENT.tensors].map(([name, tensor]) => [`${name}x`, tensor])) },
    ].map(adapterDigest);
    expect(new Set([digest, ...others]).size).toBe(6);
  });

  it.each<[string, Parameters<typeof decodeAdapter>[1], RegExp]>([
    ['another base model', { baseModelDigest: 'mine' }, /trained on base model base/],
    ['another content than expected', { digest: 'd' }, /expected content d/],
    ['more bytes than accepted', { maxBytes: 10 }, /at most 10/],
    ['a missing tensor', { shapes: new Map([['c', [1]]]) }, /tensor c \[1\] is missing/],
    [
      'a wrong shape',
      {
        shapes: new Map([
          ['a', [2]],
          ['b', [2, 1]],
        ]),
      },
      /tensor b has shape \[1, 2\], the model needs \[2, 1\]/,
    ],
    ['a tensor too many', { shapes: new Map([['a', [2]]]) }, /the model has no tensor b/],
  ])('is refused with %s', (_, intake, message) => {
    const bytes = encodeAdapter(createAdapter(CONTENT));
    expect(() => decodeAdapter(bytes, intake)).toThrow(message);
    expect(() => decodeAdapter(bytes, intake)).toThrow(expect.objectContaining({ code: 'ADAPTER_INVALID' }) as Error);
  });

  it('is refused when its bytes were changed after it was named', () => {
    const bytes = encodeAdapter(createAdapter(CONTENT));
    bytes[bytes.length - 2]! ^= 1;
    expect(() => decodeAdapter(bytes)).toThrow(/calls itself/);
  });

  it('is refused with values that are not finite, naming tensor and index', () => {
    const tensors = new Map([['w', { shape: [2], data: Float32Array.of(0, Number.NaN) }]]);
    expect(() => createAdapter({ ...CONTENT, tensors })).toThrow(/tensor w \[2\] holds NaN at index 1/);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no rank', { rank: 0 }, /expected a rank of 1 … 65536, got 0/],
    ['a rank that is not a number', { rank: '2' }, /expected a rank of 1 … 65536, got "2"/],
    ['a rank beyond all measure', { rank: 1e9 }, /expected a rank of 1 … 65536/],
    ['no alpha', { alpha: null }, /expected a finite alpha, got null/],
    ['modules that are not a list', { targetModules: 'q_proj' }, /expected targetModules to be at most 64 names/],
    ['whole tensors that are not names', { modulesToSave: [1] }, /expected modulesToSave/],
    ['no seed', { seed: 7 }, /expected a seed/],
    ['more than settings hold', { scale: 'yes' }, /expected nothing called "scale"/],
    ['another kind', { kind: 'ia3' }, /expected the kind full or lora, got "ia3"/],
  ])('is refused whose settings have %s', (_, odd, message) => {
    const settings = { ...CONTENT.settings, ...odd };
    const bytes = encodeAdapter(createAdapter({ ...CONTENT, kind: settings.kind, settings }));
    expect(() => decodeAdapter(bytes)).toThrow(message);
    expect(() => decodeAdapter(bytes)).toThrow(expect.objectContaining({ code: 'ADAPTER_INVALID' }) as Error);
  });

  it('must have the tensors that follow from its settings, where the model is known', () => {
    const bytes = encodeAdapter(createAdapter(CONTENT));
    const shapesFor = ({ kind }: AdapterContent['settings']) => new Map([[`for ${kind}`, [1]]]);
    expect(() => decodeAdapter(bytes, { shapesFor })).toThrow(/tensor for lora \[1\] is missing/);
    const throwing = (): never => {
      throw new Error('no such module');
    };
    expect(() => decodeAdapter(bytes, { shapesFor: throwing })).toThrow(/its settings fit no tensors .*no such module/);
  });

  it('is refused when the file is damaged, foreign or without its metadata', () => {
    const bytes = encodeAdapter(createAdapter(CONTENT));
    expect(() => decodeAdapter(bytes.subarray(0, 40))).toThrow(
      expect.objectContaining({ code: 'ADAPTER_INVALID' }) as Error,
    );
    expect(() => decodeAdapter(encodeSafetensors(decodeSafetensors(bytes, 'x').tensors))).toThrow(
      /not an adapter of this system/,
    );
    expect(() => decodeAdapter(encodeSafetensors(new Map(), { 'seamstream.adapter': '{"kind":"delta"}' }))).toThrow(
      /lacks kind/,
    );
  });
});
