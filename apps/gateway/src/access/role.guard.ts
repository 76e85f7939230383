import { type CanActivate, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Role } from '@seamstream/operations/access';
import type { FastifyRequest } from 'fastify';
import { type Access, isGuarded } from './access.js';

const ROLE = 'seam.role';
const EACH_TENANT = 'seam.each-tenant';

/** The least role that may ask. Without it reading takes a viewer, and everything else an admin. */
export const Needs = (role: Role): MethodDecorator & ClassDecorator => SetMetadata(ROLE, role);

/** Tenants get an answer about what is theirs. Without it an answer is of the whole system, and for those who see that. */
export const ForEachTenant = (): MethodDecorator & ClassDecorator => SetMetadata(EACH_TENANT, true);

export class RoleGuard implements CanActivate {
  constructor(private readonly access: Access) {}

  canActivate(context: ExecutionContext): boolean {
    const { raw, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const targets = [context.getHandler(), context.getClass()];
    const said = targets.map((target) => Reflect.getMetadata(ROLE, target) as Role | undefined);
    const fallback: Role = raw.method === 'GET' || raw.method === 'HEAD' ? 'viewer' : 'admin';
    const { url } = routeOptions;
    if (!isGuarded(url)) return true;
    this.access.assertMay(raw, said.find((role) => role !== undefined) ?? fallback, url);
    if (!targets.some((target) => Reflect.getMetadata(EACH_TENANT, target) === true))
      this.access.assertSeesWhole(raw, url);
    return true;
  }
}
