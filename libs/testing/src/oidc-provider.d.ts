/** What specs use of oidc-provider 9.13, which has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
  }

  export { Provider as default };
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  const MemoryAdapter: new () => object;

  export { MemoryAdapter as default };
}
