import { Controller, Header, Inject } from '@nestjs/common';
import { healthRoute, jwksRoute, llmsRoute, openApiRoute, readyRoute, skillRoute } from '../contract/service-routes.js';
import type { TokenKeys } from '../../ports/token-keys.js';
import type { Documents } from '../docs/documents.js';
import type { Readiness } from '../readiness.js';
import { Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

const OK = '{"status":"ok"}';

/** What the service says of itself. */
@Controller()
export class ServiceController {
  constructor(
    @Inject(TOKENS.documents) private readonly documents: { readonly current: Documents },
    @Inject(TOKENS.tokenKeys) private readonly keys: TokenKeys,
    @Inject(TOKENS.readiness) private readonly readiness: Readiness,
  ) {}

  @Serves(skillRoute)
  skill(@Input() _input: unknown): string {
    return this.documents.current.skill;
  }

  @Serves(llmsRoute)
  llms(@Input() _input: unknown): string {
    return this.documents.current.llms;
  }

  @Serves(openApiRoute)
  openApi(@Input() _input: unknown): string {
    return this.documents.current.openApi;
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
