/** What the page of libraries reads: the answers of `seam library list`, `show` and `diff`. */
import { Controller, Get, Header, Inject, Param, Query } from '@nestjs/common';
import { adapterWordSchema, libraryDiffQuerySchema } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import { comparedOn, type LibraryShelf, libraryOn } from '@seamstream/operations/library';
import { GatewayWorld } from '../gateway-world.js';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { LiveViews } from './live-views.js';

@Controller('api/views/libraries')
export class LibrariesController {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(LiveViews) private readonly live: LiveViews,
  ) {}

  @Get()
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async list(): Promise<string> {
    return jsonText({ libraries: (await this.live.current()).libraries() });
  }

  @Get(':word')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async show(@Param('word') word: unknown): Promise<string> {
    return jsonText((await libraryOn(await this.shelf(), adapterWordSchema.parse(word))).library);
  }

  @Get(':word/diff')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async diff(@Param('word') word: unknown, @Query() query: unknown): Promise<string> {
    const { before } = libraryDiffQuerySchema.parse(query);
    return jsonText(await comparedOn(await this.shelf(), { before, after: adapterWordSchema.parse(word) }));
  }

  private async shelf(): Promise<LibraryShelf> {
    const { objects } = this.world.drivers;
    return { lineage: (await this.live.current()).lineage(), openObjects: async () => objects };
  }
}
