/**
 * The frozen executor and the verifier behind loopback HTTP, for a trainer in another process. It is asked with entries as they were
 * written and says of each whether it is one and whether the executor solves the problem with it. It counts what it asks.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOnce, type Environment } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { isFaithful, parseEntry } from '@seamstream/experience';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { judge } from '@seamstream/rollout';
import type { JsonSchema } from '@seamstream/token-grammar';
import { z } from 'zod';

const PROBLEM_SETS = ['train', 'heldOut'] as const;
type ProblemSet = (typeof PROBLEM_SETS)[number];

export interface RewardSettings {
  readonly environment: Environment;
  readonly problems: Readonly<Record<ProblemSet, readonly Problem[]>>;
  /** Of a domain, with its rules for quotes. */
  schemaFor(domain: string): JsonSchema;
}

/** What became of one text. */
interface EntryVerdict {
  /** Whether the loop's grammar admits it for this problem. Another text is not shown to the executor. */
  readonly valid: boolean;
  readonly solved: boolean;
}

export interface RewardAnswer {
  readonly verdicts: readonly EntryVerdict[];
  /** Entries of training problems that the executor was asked with since the start: measuring is not counted. */
  readonly calls: number;
}

const requestSchema = z.strictObject({
  set: z.enum(PROBLEM_SETS),
  attempts: z.array(z.strictObject({ problemId: z.string(), text: z.string() })).min(1),
});
type RewardRequest = z.infer<typeof requestSchema>;

/** Some thousand entries of a problem's length. */
const MOST_BYTES = 8 * 2 ** 20;
const PATH = '/judge';

export class Rewards {
  private calls = 0;
  private readonly problems: Readonly<Record<ProblemSet, ReadonlyMap<string, Problem>>>;

  constructor(private readonly settings: RewardSettings) {
    const byId = (set: ProblemSet) => new Map(settings.problems[set].map((problem) => [problem.problemId, problem]));
    this.problems = { train: byId('train'), heldOut: byId('heldOut') };
  }

  /**
   * Judges every attempt, or none.
   * @param body JSON
   * @throws INVALID_INPUT where a request is at fault, INTERNAL where the executor failed: that is no verdict
   */
  async judge(body: string): Promise<RewardAnswer> {
    const { set, attempts } = readRequest(body);
    const read = attempts.map(({ problemId, text }) => {
      const problem = this.problems[set].get(problemId);
      if (problem === undefined) throw refused(`the id of a problem of the set ${set}`, JSON.stringify(problemId));
      return { problem, entry: entryOf(text, problem, this.settings.schemaFor(problem.domain)) };
    });
    const asked = read.flatMap(({ problem, entry }) => (entry === null ? [] : [{ problem, entry }]));
    const solved = (await this.solve(asked)).values();
    if (set === 'train') this.calls += asked.length;
    const verdicts = read.map(({ entry }) => ({
      valid: entry !== null,
      solved: entry !== null && solved.next().value === true,
    }));
    return { verdicts, calls: this.calls };
  }

  private async solve(
    asked: readonly { readonly problem: Problem; readonly entry: string }[],
  ): Promise<readonly boolean[]> {
    if (asked.length === 0) return [];
    const requests = asked.map((each) => ({ ...each, seed: each.problem.problemId }));
    const answers = await answerOnce(this.settings.environment, requests);
    return Promise.all(
      answers.map(async (answer, at) => {
        if (answer.status === 'answered') return (await judge(asked[at]!.problem, answer)).success;
        throw new SeamError('INTERNAL', `Cannot judge an entry: expected an answer of the executor, ${answer.reason}`);
      }),
    );
  }
}

/** The entry in its canonical form; null for a text that the loop's grammar could not have written for this problem. */
function entryOf(text: string, problem: Problem, schema: JsonSchema): string | null {
  try {
    const entry = parseEntry(text, schema).text;
    return isFaithful(entry, schema, problem.prompt) === false ? null : entry;
  } catch (error) {
    if (isSeamError(error, 'ENTRY_INVALID')) return null;
    throw error;
  }
}

function readRequest(body: string): RewardRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw refused('a JSON object', messageOf(cause));
  }
  const request = requestSchema.safeParse(value);
  if (request.success) return request.data;
  const [issue] = request.error.issues;
  throw refused('{"set", "attempts": [{"problemId", "text"}]}', `${issue?.path.join('.')}: ${issue?.message}`);
}

const refused = (expected: string, got: string): SeamError =>
  new SeamError('INVALID_INPUT', `Cannot judge attempts: expected ${expected}, got ${got}. Correct the request.`);

/** Where {@link Rewards} are asked, until `close`. */
export interface RewardServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers `POST /judge` on a free port of the loopback: 200 with a {@link RewardAnswer}, 400 for a faulty request, 500 for a failure. */
export async function serveRewards(rewards: Rewards): Promise<RewardServer> {
  const server = createServer((request, response) => {
    void answered(rewards, request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    close: () => closed(server),
  };
}

async function answered(
  rewards: Rewards,
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    if (request.method !== 'POST' || request.url !== PATH)
      throw refused(`POST ${PATH}`, `${request.method} ${request.url}`);
    return { status: 200, body: await rewards.judge(await bodyOf(request)) };
  } catch (error) {
    return { status: isSeamError(error, 'INVALID_INPUT') ? 400 : 500, body: { error: messageOf(error) } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    // The rest is read and dropped, so that the answer arrives.
    if (bytes <= MOST_BYTES) parts.push(part);
  }
  if (bytes > MOST_BYTES) throw refused(`at most ${MOST_BYTES} bytes`, `${bytes}`);
  return Buffer.concat(parts).toString('utf8');
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
