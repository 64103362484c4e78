import { Controller, Header, Inject, Res } from '@nestjs/common';
import {
  docsRoute,
  healthRoute,
  jwksRoute,
  llmsRoute,
  openApiRoute,
  readyRoute,
  skillRoute,
} from '../contract/service-routes.js';
import { TokenKeys } from '../../ports/tokens.js';
import { Documents } from '../docs/documents.js';
import type { FastifyReply } from '../fastify-types.js';
import { Readiness } from '../readiness.js';
import { Input, Serves } from '../serves.js';

const OK = '{"status":"ok"}';

/** What the service says of itself. */
@Controller()
export class ServiceController {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(TokenKeys) private readonly keys: TokenKeys,
    @Inject(Readiness) private readonly readiness: Readiness,
  ) {}

  @Serves(skillRoute)
  skill(@Input() _input: unknown): string {
    return this.documents.skill();
  }

  @Serves(llmsRoute)
  llms(@Input() _input: unknown): string {
    return this.documents.llms();
  }

  @Serves(openApiRoute)
  openApi(@Input() _input: unknown): string {
    return this.documents.openApi();
  }

  @Serves(docsRoute)
  @Header('cache-control', 'public, max-age=300')
  async docs(@Input() _input: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { html, contentSecurityPolicy } = await this.documents.docs();
    reply.header('content-security-policy', contentSecurityPolicy);
    return html;
  }

  @Serves(jwksRoute)
  @Header('cache-control', 'public, max-age=60')
  jwks(@Input() _input: unknown): string {
    return JSON.stringify({ keys: this.keys.publicKeys() });
  }

  @Serves(healthRoute)
  health(@Input() _input: unknown): string {
    return OK;
  }

  @Serves(readyRoute)
  async ready(@Input() _input: unknown): Promise<string> {
    await this.readiness.check();
    return OK;
  }
}
