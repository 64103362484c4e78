import { AppError } from '@agent-wallet/kernel';
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
import type { TokenKeys } from '../../ports/token-keys.js';
import type { Documents } from '../docs/documents.js';
import type { FastifyReply } from '../fastify-types.js';
import type { Readiness } from '../readiness.js';
import { Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

const OK = '{"status":"ok"}';

/** What the service says of itself. */
@Controller()
export class ServiceController {
  constructor(
    @Inject(TOKENS.documents) private readonly documents: { readonly current?: Documents },
    @Inject(TOKENS.tokenKeys) private readonly keys: TokenKeys,
    @Inject(TOKENS.readiness) private readonly readiness: Readiness,
  ) {}

  get #made(): Documents {
    if (!this.documents.current) throw new AppError('SERVICE_UNAVAILABLE');
    return this.documents.current;
  }

  @Serves(skillRoute)
  skill(@Input() _input: unknown): string {
    return this.#made.skill();
  }

  @Serves(llmsRoute)
  llms(@Input() _input: unknown): string {
    return this.#made.llms();
  }

  @Serves(openApiRoute)
  openApi(@Input() _input: unknown): string {
    return this.#made.openApi();
  }

  @Serves(docsRoute)
  @Header('cache-control', 'public, max-age=300')
  async docs(@Input() _input: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { html, contentSecurityPolicy } = await this.#made.docs();
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
