import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DASHBOARD_PAGES } from '@seamstream/gateway-contract';
import { Page, PageController } from './page.controller.js';
import { PageModule } from './page.module.js';

it('the page is served at the address of each of its pages and of one thing below, and at no other', async () => {
  const plain = Buffer.from('<title>the page</title>');
  const file = { type: 'text/html', isImmutable: false, plain, gzip: undefined, brotli: undefined };
  const providers = [{ provide: Page, useValue: new Page(new Map([['index.html', file]])) }];
  const root = { module: PageModule, controllers: [PageController], providers };
  const options = { logger: false as const };
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its option objects as classes.
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), options);
  await app.init();
  const answer = async (path: string) => {
    const { statusCode, body } = await app.inject(`/${path}`);
    return [path, statusCode, body.includes('the page')];
  };
  const addresses = DASHBOARD_PAGES.flatMap((name) => (name === '' ? [''] : [name, `${name}/one%20thing`]));
  for (const address of addresses) expect(await answer(address)).toEqual([address, 200, true]);
  for (const address of ['releases/one/more', 'nothing', 'index.html'])
    expect(await answer(address)).toEqual([address, 404, false]);
  await app.close();
});
