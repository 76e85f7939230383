import { type DynamicModule, Module } from '@nestjs/common';
import type { RationedLines } from '@seamstream/service-kit';
import type { OtherDoors } from '../access/access.js';
import { IssuerClient } from './issuer-client.js';
import type { LoginSettings } from './login.config.js';
import { LoginController } from './login.controller.js';
import { Login } from './login.js';

/** How people sign in to the dashboard; nothing where none do. */
@Module({})
export class LoginModule {
  static of(
    settings: LoginSettings | undefined,
    { tokens, sessions }: OtherDoors,
    lines: RationedLines,
  ): DynamicModule {
    if (settings === undefined || tokens === undefined || sessions === undefined) return { module: LoginModule };
    const client = new IssuerClient(settings, () => tokens.keys.metadata);
    const onFault = (reason: string): void => lines.warn('login', { reason }, 'a login failed');
    const login = new Login(settings, { client, tokens, sessions, onFault });
    return {
      module: LoginModule,
      controllers: [LoginController],
      providers: [{ provide: Login, useValue: login }],
    };
  }
}
