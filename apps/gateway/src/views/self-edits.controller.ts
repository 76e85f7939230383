/** What the page of self-edits reads: the answers of `seam restem status` and `seam edits tried`. */
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { jsonText } from '@seamstream/kernel';
import { reportOf, SelfTrainingReader } from '@seamstream/operations/restem';
import { FRESH, JSON_TYPE } from './answer-headers.js';
import { LiveViews } from './live-views.js';

@Controller('api/views')
export class SelfEditsController {
  private readonly trainings: SelfTrainingReader;

  constructor(@Inject(LiveViews) private readonly live: LiveViews) {
    this.trainings = new SelfTrainingReader(live.kept.log);
  }

  @Get('self-trainings')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async selfTrainings(): Promise<string> {
    const states = await this.trainings.states();
    const runs = (await this.live.current()).runs();
    return jsonText({ selfTrainings: states.map((state) => reportOf(state, runs)) });
  }

  @Get('edits')
  @Header(...JSON_TYPE)
  @Header(...FRESH)
  async edits(): Promise<string> {
    return jsonText({ passages: (await this.live.current()).passages() });
  }
}
