// A real MCP server, for tests: over its input and output, or with --http over streamable HTTP, whose address it then prints.
// It navigates pages, and it misbehaves on request.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const text = (content) => ({ content: [{ type: 'text', text: content }] });

function makeServer() {
  const server = new McpServer({ name: 'site', version: '1' });
  const tool = (name, description, inputSchema, act) => server.registerTool(name, { description, inputSchema }, act);
  tool('visit', 'Reads a page and lists its links.', { url: z.string() }, async ({ url }) => {
    const response = await fetch(url);
    const page = await response.text();
    if (!response.ok) return { ...text(`status ${response.status}`), isError: true };
    const links = [...page.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(
      ([, href, label]) => `${label}: ${new URL(href, url)}`,
    );
    const words = page
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    return text(`${words}\nLinks:\n${links.join('\n')}`);
  });
  tool('large', 'Answers so many letters.', { length: z.int() }, ({ length }) => text('x'.repeat(length)));
  tool('say', 'Answers this text.', { text: z.string() }, ({ text: said }) => text(said));
  tool('hang', 'Never answers.', {}, () => new Promise(() => undefined));
  tool('stop', 'Stops for ever, with all its work.', {}, () => {
    for (;;);
  });
  tool('browse', 'Starts a program that outlives the server, and that starts another one.', {}, async () => {
    const browser = spawn('/bin/sh', ['-c', 'sleep 600 & echo "$! $$"; trap "" TERM HUP; wait; sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return text(String((await once(browser.stdout, 'data'))[0]));
  });
  tool('crash', 'Ends the server.', {}, () => process.exit(1));
  tool('environment', 'Answers its environment.', {}, () => text(JSON.stringify(process.env)));
  tool('picture', 'Answers a picture.', {}, () => ({
    content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }],
  }));
  if (process.argv.includes('--other-words'))
    server.registerTool('worded', { description: `Pid ${process.pid}`, inputSchema: {} }, () => text('as you like'));
  return server;
}

if (process.argv.includes('--http')) {
  const http = createServer(async (request, response) => {
    const wanted = process.env.TOOL_SERVER_KEY;
    if (wanted !== undefined && request.headers.authorization !== `Bearer ${wanted}`) {
      response.writeHead(401).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    const server = makeServer();
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
} else await makeServer().connect(new StdioServerTransport());
