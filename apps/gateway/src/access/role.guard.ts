import { type CanActivate, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Role } from '@seamstream/operations/access';
import type { FastifyRequest } from 'fastify';
import { type Access, isGuarded } from './access.js';

const ROLE = 'seam.role';

/** The least role that may ask. Without it reading takes a viewer, and everything else an admin. */
export const Needs = (role: Role): MethodDecorator & ClassDecorator => SetMetadata(ROLE, role);

export class RoleGuard implements CanActivate {
  constructor(private readonly access: Access) {}

  canActivate(context: ExecutionContext): boolean {
    const { raw, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const said = [context.getHandler(), context.getClass()].map(
      (target) => Reflect.getMetadata(ROLE, target) as Role | undefined,
    );
    const fallback: Role = raw.method === 'GET' || raw.method === 'HEAD' ? 'viewer' : 'admin';
    const { url } = routeOptions;
    if (isGuarded(url)) this.access.assertMay(raw, said.find((role) => role !== undefined) ?? fallback, url);
    return true;
  }
}
