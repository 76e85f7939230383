import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { responsesRequestSchema } from '@seamstream/gateway-contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { ChatAnswers } from '../chat/chat-answers.js';
import { withSeamHeaders } from '../chat/seam-headers.js';
import { GatewayWorld } from '../gateway-world.js';
import { chatOf } from './chat-of-responses.decide.js';
import { responseForm } from './response-form.decide.js';

/** The same requests in the words of OpenAI's later API: translated before the way of a request, and behind it. */
@Controller('v1')
export class ResponsesController {
  constructor(
    private readonly answers: ChatAnswers,
    private readonly world: GatewayWorld,
  ) {}

  @Post('responses')
  @Needs('publisher')
  @ForEachTenant()
  async respond(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = responsesRequestSchema.parse(withSeamHeaders(body, request.headers));
    const form = responseForm(asked, Math.floor(this.world.clock.now() / 1000));
    await this.answers.send(chatOf(asked), form, request, reply);
  }
}
