import { type DynamicModule, Module } from '@nestjs/common';
import { Page, PageController } from './page.controller.js';
import { loadPage } from './page-files.js';

/** The dashboard's page. */
@Module({})
export class PageModule {
  static async load(): Promise<DynamicModule> {
    return {
      module: PageModule,
      controllers: [PageController],
      providers: [{ provide: Page, useValue: new Page(await loadPage()) }],
    };
  }
}
