/** Acting by tools: what is offered, what is called, what comes back, when it ends, and who judges it. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const TOOLS = 'libs/tool-servers/src';
const CLIENTS = 'libs/model-clients/src';

export default [
  ...quick(`${TOOLS}/tool-servers.ts`, `${TOOLS}/tool-servers.spec.ts`, [
    {
      control: 'a tool that is not allowed is not called',
      from: 'if (tool === undefined) return `there is no tool',
      to: 'if (tool === undefined) return undefined; if (Math.random() > 2) return `there is no tool',
      title: 'navigate a site',
    },
    {
      control: 'arguments are checked before a call',
      from: 'return tool.fault(args) ?? forbiddenAddress',
      to: 'return forbiddenAddress',
      title: 'navigate a site',
    },
    {
      control: 'a server that has other tools after a start is another executor',
      from: 'if (digest === this.found) return { connection, tools };',
      to: 'return { connection, tools };',
      title: 'in other words after a start',
    },
    {
      control: 'a server that hangs with all its work is not taken for a call that hangs',
      from: '|| (await opened.connection.isServing())',
      to: '|| true',
      title: 'end, hang or stop',
    },
  ]),
  ...quick(`${TOOLS}/tool-connection.ts`, `${TOOLS}/tool-servers.spec.ts`, [
    {
      control: 'a program gets no environment of this process',
      from: 'env: { ...none, PATH, ...variables },',
      to: 'env: { PATH, ...variables },',
      title: 'get no environment',
    },
    {
      control: 'a message of a program is bounded',
      from: 'maxBufferSize: maxMessageBytes,',
      to: 'maxBufferSize: 2 ** 30,',
      title: 'more than a message',
    },
    {
      control: 'an answer over HTTP is bounded',
      from: 'if (bytes <= maxBytes) {',
      to: 'if (bytes >= 0) {',
      title: 'more than a message',
    },
    {
      control: 'a call has a time',
      from: '      timeout: callTimeoutMs,\n      maxTotalTimeout: callTimeoutMs,',
      to: '      timeout: 2 ** 30,\n      maxTotalTimeout: 2 ** 30,',
      title: 'end, hang or stop',
    },
  ]),
  ...quick(`${TOOLS}/result-text.ts`, `${TOOLS}/tool-servers.spec.ts`, [
    { control: 'a result holds no key', from: 'withoutSecrets(parts.join', to: '((text, _) => text)(parts.join' },
    {
      control: 'control tokens of a result are broken',
      from: 'within(maxBytes, asData(withoutSecrets(',
      to: 'within(maxBytes, String(withoutSecrets(',
      title: 'say what strangers say',
    },
    { control: 'a result is bounded', from: 'if (bytes <= maxBytes) return text;', to: 'return text;' },
  ]),
  ...quick(`${TOOLS}/offered-tool.ts`, `${TOOLS}/offered-tool.spec.ts`, [
    {
      control: "a server's pattern runs nowhere here",
      from: "  'pattern',\n",
      to: '',
    },
    {
      control: "control tokens of a tool's words are broken",
      from: 'clipped(asData(description)',
      to: 'clipped((description)',
    },
  ]),
  ...quick(`${TOOLS}/local-addresses.decide.ts`, `${TOOLS}/local-addresses.decide.spec.ts`, [
    {
      control: 'no address of the machine or its network is sent',
      from: 'return isLocal(hostname) ?',
      to: 'return false ?',
    },
    { control: 'a list of hosts is the only ones', from: 'if (hosts !== undefined)\n', to: 'if (hosts === null)\n' },
    { control: 'nested arguments are looked at to a depth', from: 'if (depth > DEEPEST)', to: 'if (depth < 0)' },
  ]),
  ...quick(`${CLIENTS}/acting.decide.ts`, `${CLIENTS}/act-by-tools.spec.ts`, [
    { control: 'turns are bounded', from: 'if (state.turns >= limits.maxTurns)', to: 'if (false)' },
    { control: 'calls are bounded', from: 'if (state.calls + calls.length > limits.maxCalls)', to: 'if (false)' },
    { control: 'tokens are bounded', from: 'return tokens < maxTokens ?', to: 'return tokens < Infinity ?' },
    { control: 'wrong calls are bounded', from: 'if (wrongCalls > limits.maxWrongCalls)', to: 'if (false)' },
    {
      control: 'a wrong call is not made',
      from: 'return fault === undefined ? {',
      to: 'return fault !== null ? {',
    },
  ]),
  ...quick(`${CLIENTS}/act-by-tools.ts`, `${CLIENTS}/act-by-tools.spec.ts`, [
    {
      control: 'an attempt that runs into its time is no zero',
      from: 'if (!late.aborted || signal?.aborted === true) throw error;',
      to: 'throw error;',
    },
    { control: 'what is recorded of a result is bounded', from: 'within(RECORDED.result, text)', to: 'text' },
  ]),
  ...quick(`${CLIENTS}/executor.config.ts`, 'apps/executor/src/tools.spec.ts', [
    {
      control: 'another driver has no tools',
      from: "if (driver !== 'tools' && servers > 0)",
      to: 'if (false)',
      title: 'is not there unless',
    },
  ]),
  ...quick(`${CLIENTS}/judge.endpoint.adapter.ts`, `${CLIENTS}/judge.endpoint.spec.ts`, [
    {
      control: 'an answer cannot speak to its judge',
      from: 'answer: quoted(task.answer),',
      to: 'answer: task.answer,',
    },
    {
      control: 'a verdict stands alone',
      from: '/^[^\\p{L}\\p{N}]*(correct|incorrect)[^\\p{L}\\p{N}]*$/iu',
      to: '/(incorrect|correct)/i',
    },
    { control: 'a verdict that was cut off does not count', from: "=== 'stop' ?", to: "!== '' ?" },
  ]),
  ...quick('libs/verifiers/src/judge.verifier.ts', `${CLIENTS}/judge.endpoint.spec.ts`, [
    { control: 'the reference itself needs no judge', from: 'if (normalised(answer) === wanted)', to: 'if (false)' },
  ]),
  ...quick('libs/experience/src/task-domain.ts', 'libs/experience/src/task-domain.spec.ts', [
    { control: 'an alias is not read', from: 'maxAliasCount: 0', to: 'maxAliasCount: 100' },
  ]),
];
