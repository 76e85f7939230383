// A server that computes elsewhere: what it is given, when it is taken away, and whether it computes with what was meant.
const adapters = { file: 'libs/model-clients/src/vllm-adapters.ts', suite: 'quick', spec: 'generator.vllm.spec.ts' };
const attested = { ...adapters, suite: 'slow', spec: 'acceptance/generator-vllm.spec.ts' };
const attestation = {
  file: 'libs/model-clients/src/vllm-attestation.ts',
  suite: 'quick',
  spec: 'vllm-attestation.spec.ts',
};

export default [
  {
    ...adapters,
    control: 'an adapter is not unloaded while a request is under way with it',
    from: 'await Promise.allSettled([...(this.users.get(name) ?? [])]);',
    to: '',
  },
  {
    ...adapters,
    control: 'the folder of an unloaded adapter stays until the next one is unloaded',
    from: 'join(this.settings.adaptersFolder, before)',
    to: 'join(this.settings.adaptersFolder, name)',
  },
  {
    ...adapters,
    control: 'an ended engine is no fault of the adapter that it was loading',
    from: '(await this.probes.isServing())',
    to: '(await this.probes.isServing(), true)',
  },
  {
    ...attested,
    control: 'what is loaded answers as its promotion says',
    from: 'await this.probes.attest(name, fingerprint);',
    to: '',
  },
  {
    ...attested,
    control: 'a stale adapter is loaded again under another name',
    from: '`seam-${digest}-anew`',
    to: '`seam-${digest}`',
  },
  {
    ...attested,
    control: 'an adapter in quarantine is not loaded',
    from: 'this.quarantined.set(digest, error);\n    throw error;',
    to: 'return `seam-${digest}`;',
  },
  {
    ...attestation,
    control: 'a log-probability that is missing attests nothing',
    from: '?? -Infinity',
    to: '?? logit - mass',
  },
  {
    ...attestation,
    control: 'the furthest log-probability counts',
    from: 'Math.max(...distances.flat()) / largest',
    to: 'Math.min(...distances.flat()) / largest',
  },
];
