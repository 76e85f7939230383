import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { chatRequestSchema } from '@seamstream/gateway-contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForEachTenant, Needs } from '../access/role.guard.js';
import { ChatAnswers } from './chat-answers.js';
import { completionForm } from './completion-form.decide.js';
import { withSeamHeaders } from './seam-headers.js';

@Controller('v1')
export class ChatController {
  constructor(private readonly answers: ChatAnswers) {}

  @Post('chat/completions')
  @Needs('publisher')
  @ForEachTenant()
  async complete(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = chatRequestSchema.parse(withSeamHeaders(body, request.headers));
    await this.answers.send(asked, completionForm(asked), request, reply);
  }
}
