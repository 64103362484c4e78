import { Controller, Header, Inject, Req, Res } from '@nestjs/common';
import {
  docsRoute,
  healthRoute,
  jwksRoute,
  llmsRoute,
  openApiRoute,
  readyRoute,
  serviceRoute,
  skillRoute,
} from '../contract/service-routes.js';
import { TokenKeys } from '../../ports/tokens.js';
import { qualityOf } from '../accept.js';
import { serveDocument } from '../docs/compressed-document.js';
import { type DocumentName, Documents } from '../docs/documents.js';
import type { HandlerResponse } from '../envelope.js';
import type { FastifyReply, FastifyRequest } from '../fastify-types.js';
import { PlainResponse } from '../plain-response.js';
import { Readiness } from '../readiness.js';
import { Serves } from '../serves.js';

const OK = '{"status":"ok"}';

/** What the service says of itself. */
@Controller()
export class ServiceController {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(TokenKeys) private readonly keys: TokenKeys,
    @Inject(Readiness) private readonly readiness: Readiness,
  ) {}

  /** Greets programs in the envelope and sends people to the page. */
  @Serves(serviceRoute)
  service(
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): PlainResponse | HandlerResponse {
    reply.header('vary', 'Accept');
    const data = this.documents.service();
    if (qualityOf('text/html', headers.accept) > qualityOf('application/json', headers.accept)) {
      return new PlainResponse(302, { location: new URL(data.documents.docs).pathname });
    }
    return { message: 'An API for autonomous agents. Start with the skill.', data };
  }

  @Serves(skillRoute)
  skill(@Req() request: FastifyRequest): Promise<PlainResponse> {
    return this.#serve('skill', request);
  }

  @Serves(llmsRoute)
  llms(@Req() request: FastifyRequest): Promise<PlainResponse> {
    return this.#serve('llms', request);
  }

  @Serves(openApiRoute)
  openApi(@Req() request: FastifyRequest): Promise<PlainResponse> {
    return this.#serve('openapi', request);
  }

  @Serves(docsRoute)
  docs(@Req() request: FastifyRequest): Promise<PlainResponse> {
    return this.#serve('docs', request);
  }

  async #serve(name: DocumentName, { headers }: FastifyRequest): Promise<PlainResponse> {
    return serveDocument(await this.documents.read(name), headers);
  }

  @Serves(jwksRoute)
  @Header('cache-control', 'public, max-age=60')
  jwks(): string {
    return JSON.stringify({ keys: this.keys.publicKeys() });
  }

  @Serves(healthRoute)
  health(): string {
    return OK;
  }

  @Serves(readyRoute)
  async ready(): Promise<string> {
    await this.readiness.check();
    return OK;
  }
}
