/** What the host of this gateway says of the run that it was started for, and the report of that run. */
import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import type { ToldStart } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';

/** A run on this machine, which a host drives or shows. A class, so that it is its own injection token. */
export class HostedStart {
  constructor(
    /** No facts where nothing was begun. */
    readonly facts: () => Promise<ToldStart> = () => Promise.resolve({ start: null, unread: null }),
    /** The page of the last report; null where there is none. */
    readonly report: () => Promise<string | null> = () => Promise.resolve(null),
  ) {}
}

/** The report is one file with its styles in it. It runs nothing, and asks no host for anything. */
const REPORT_POLICY = [
  ...["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'"],
  ...["form-action 'none'", "frame-ancestors 'none'"],
].join(';');

@Controller('api/views')
export class StartController {
  constructor(@Inject(HostedStart) private readonly start: HostedStart) {}

  @Get('start')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async facts(): Promise<string> {
    return jsonText(await this.start.facts());
  }

  @Get('report')
  async report(@Res() reply: FastifyReply): Promise<void> {
    const page = await this.start.report();
    if (page === null)
      throw new ApiError({
        status: 404,
        message:
          'Cannot show the report: expected the end of a run in this folder, got none. Wait until its rounds are over.',
        code: 'not_found',
      });
    void reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': REPORT_POLICY,
      })
      .send(page);
  }
}
