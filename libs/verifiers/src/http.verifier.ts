/** A user's own verifier, asked over HTTP. The problem names it; where it is, the service's configuration says. */
import { OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

export const httpVerifier: Verifier = {
  kind: 'http',
  version: '1',
  options: {
    endpoint: 'name of an endpoint in the service configuration, required',
    data: 'text that is passed on to the endpoint',
  },
  prepare(reference, options) {
    const read = new OptionReader('http@1', options);
    const endpoint = read.text('endpoint') ?? '';
    if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/.test(endpoint))
      throw read.bad('endpoint', 'the name of an endpoint', endpoint);
    const data = read.text('data') ?? null;
    return (response, { means, signal, deadlineMs }) =>
      means.askEndpoint(
        endpoint,
        { response, reference, data },
        { signal, ...(deadlineMs === null ? {} : { deadlineMs }) },
      );
  },
};
