/** Feedback, problems and events: what clients do besides asking. */
import { Module } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { FeedbackController } from './feedback.controller.js';
import { MeController } from './me.controller.js';
import { OpenApiController } from './open-api.controller.js';
import { ProblemsController } from './problems.controller.js';

@Module({ controllers: [FeedbackController, ProblemsController, EventsController, MeController, OpenApiController] })
export class ApiModule {}
