// An empty Nest application with the packages loaded that the services load, an HTTP server and a gRPC server; and a
// Postgres beside it, in the directory given, that answers.
import 'reflect-metadata';
import { signerV1 } from '@agent-wallet/contracts';
import { startEmbeddedPostgres } from '@agent-wallet/embedded';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import helmet from 'helmet';
import pg from 'pg';
import pino from 'pino';

/** What the services load beside. */
const PACKAGES =
  '@nestjs/jwt @prisma/adapter-pg @prisma/client/runtime/client @solana/spl-token @solana/web3.js grpc-health-check ' +
  'lossless-json nodemailer passport-jwt uuid ws zod';

class Empty {}
Module({ imports: [], controllers: [], providers: [] })(Empty);

async function openPostgres(dataDir) {
  const server = await startEmbeddedPostgres({ dataDir });
  const { host, port, user, database } = server;
  const pool = new pg.Pool({ host, port, user, database, password: server.password.reveal() });
  pool.on('error', () => {}); // at the stop the server may be first to close a connection
  await pool.query('select 1');
  return { stop: () => pool.end().then(() => server.stop()) };
}

async function openNest() {
  const app = await NestFactory.create(Empty, new FastifyAdapter(), { logger: false });
  app.use(helmet());
  const packageDefinition = { 'agentwallet.signer.v1.SignerService': signerV1.SignerServiceService };
  const options = { package: 'agentwallet.signer.v1', packageDefinition, url: '127.0.0.1:0' };
  app.connectMicroservice({ transport: Transport.GRPC, options });
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  return app;
}

await Promise.all(PACKAGES.split(' ').map((name) => import(name)));
const [postgres] = await Promise.all([openPostgres(process.argv[2]), openNest()]);
let stopping;
const stop = () => (stopping ??= postgres.stop().finally(() => process.exit()));
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, stop);
pino({ level: 'silent' }).info('ready');
process.send({ ready: true });
