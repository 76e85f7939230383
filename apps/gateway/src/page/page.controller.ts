/** Serves the dashboard: one page for all its addresses, and the files that it names. */
import { Controller, Get, Headers, Inject, Param, Res } from '@nestjs/common';
import { DASHBOARD_PAGES } from '@seamstream/gateway-contract';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../http/api-error.js';
import type { PageFile } from './page-files.js';

/** The files of the page. A class, so that it is its own injection token. */
export class Page {
  constructor(readonly files: ReadonlyMap<string, PageFile>) {}
}

/** Addresses of the page, which it draws itself: each of its pages, and one thing of it below. */
const ADDRESSES = DASHBOARD_PAGES.flatMap((name) => (name === '' ? ['/'] : [name, `${name}/:id`]));
/** A year, as RFC 9111's caches take it at most. */
const YEAR_S = 31_536_000;

@Controller()
export class PageController {
  constructor(@Inject(Page) private readonly page: Page) {}

  @Get(ADDRESSES)
  index(@Headers('accept-encoding') encodings: string | undefined, @Res() reply: FastifyReply): void {
    this.send(reply, 'index.html', encodings);
  }

  @Get('icon.svg')
  icon(@Headers('accept-encoding') encodings: string | undefined, @Res() reply: FastifyReply): void {
    this.send(reply, 'icon.svg', encodings);
  }

  @Get('assets/:name')
  asset(
    @Param('name') name: string,
    @Headers('accept-encoding') encodings: string | undefined,
    @Res() reply: FastifyReply,
  ): void {
    this.send(reply, `assets/${name}`, encodings);
  }

  private send(reply: FastifyReply, path: string, encodings = ''): void {
    const file = this.page.files.get(path);
    if (file === undefined)
      throw new ApiError({
        status: 404,
        message:
          this.page.files.size === 0
            ? 'Cannot show the dashboard: expected its built page, got none. Run "npm run build" and start again.'
            : 'Cannot find this file of the dashboard. Load the page again: a newer release is served.',
        code: 'not_found',
      });
    const [encoding, body] = chosen(file, encodings);
    void reply
      .headers({
        'content-type': file.type,
        'cache-control': file.isImmutable ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
        vary: 'accept-encoding',
        ...(encoding === null ? {} : { 'content-encoding': encoding }),
      })
      .send(body);
  }
}

function chosen({ plain, gzip, brotli }: PageFile, encodings: string): readonly [string | null, Buffer] {
  const accepted = encodings.split(',').map((each) => each.trim().split(';')[0]);
  if (brotli !== undefined && accepted.includes('br')) return ['br', brotli];
  if (gzip !== undefined && accepted.includes('gzip')) return ['gzip', gzip];
  return [null, plain];
}
