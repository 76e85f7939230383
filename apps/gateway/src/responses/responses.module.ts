import { type DynamicModule, Module } from '@nestjs/common';
import { ResponsesController } from './responses.controller.js';

/** OpenAI's later API, over the way that answers chats. */
@Module({})
export class ResponsesModule {
  /** @param chat exports ChatAnswers */
  static over(chat: DynamicModule): DynamicModule {
    return { module: ResponsesModule, imports: [chat], controllers: [ResponsesController] };
  }
}
