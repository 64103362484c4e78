// An empty Nest application with the packages loaded that the services load, an HTTP server and a gRPC server; and a
// Postgres beside it, in the directory given, that answers.
import 'reflect-metadata';
import { startEmbeddedPostgres } from '@agent-wallet/embedded';
import { historyV1, policyV1, predictionV1, signerV1, swapV1, walletV1 } from '@agent-wallet/contracts';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JwtService } from '@nestjs/jwt';
import { Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { PrismaPg } from '@prisma/adapter-pg';
import * as prisma from '@prisma/client/runtime/client';
import * as token from '@solana/spl-token';
import * as web3 from '@solana/web3.js';
import * as health from 'grpc-health-check';
import helmet from 'helmet';
import * as lossless from 'lossless-json';
import nodemailer from 'nodemailer';
import { Strategy } from 'passport-jwt';
import pg from 'pg';
import pino from 'pino';
import * as uuid from 'uuid';
import { WebSocket } from 'ws';
import { z } from 'zod';

class Empty {}
Module({ imports: [], controllers: [], providers: [] })(Empty);

/** So that no package is left out because nobody asks for it. */
const loaded = [
  historyV1,
  policyV1,
  predictionV1,
  swapV1,
  walletV1,
  JwtService,
  PrismaPg,
  prisma,
  token,
  web3,
  health,
  lossless,
  nodemailer,
  Strategy,
  uuid,
  WebSocket,
  z,
];

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

const [postgres] = await Promise.all([openPostgres(process.argv[2]), openNest()]);
let stopping;
const stop = () => (stopping ??= postgres.stop().finally(() => process.exit()));
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, stop);
pino({ level: 'silent' }).info('ready');
process.send({ ready: loaded.length });
