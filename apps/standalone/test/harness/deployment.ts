import { Deployment, type DeploymentOptions } from '../../src/testing/deployment.js';
import { keptInWorker, noteStartedSystem } from '@agent-wallet/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openBroker } from './test-broker.js';

/** Limits and pauses that a test of something else must not meet. */
const GENEROUS = {
  RATE_LIMIT_IP_PER_MINUTE: '1000000',
  RATE_LIMIT_AGENT_PER_MINUTE: '1000000',
  RATE_LIMIT_OTP_START_PER_10_MINUTES: '1000',
  RATE_LIMIT_OTP_ADDRESSES_PER_HOUR: '1000000',
  RATE_LIMIT_OTP_MAILBOX_PER_HOUR: '1000000',
  RATE_LIMIT_OTP_MAILS_PER_MINUTE: '1000000',
  RATE_LIMIT_OWNER_PER_MINUTE: '1000000',
  RATE_LIMIT_PASSKEY_PER_10_MINUTES: '1000000',
  MAX_CONNECTIONS_PER_NETWORK: '10000',
  JUPITER_REQUESTS_PER_MINUTE: '1000000',
  JWT_KEY_ACTIVATION_DELAY_SECONDS: '1',
};

async function openTemplate(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'deployment-template-'));
  await Deployment.prepare(folder);
  return folder;
}

const removeFolder = (folder: string) => rm(folder, { recursive: true });

/** Starts a deployment of processes for a test; with DEPLOYMENT_KAFKA=1, over a broker of its own. */
export async function deploy(options: DeploymentOptions = {}): Promise<Deployment> {
  const environment = { ...GENEROUS, ...options.environment };
  const template = await keptInWorker('deployment template', '', { open: openTemplate, end: removeFolder });
  const start = { canCrash: true, ...options, template, environment };
  noteStartedSystem('deployment');
  if (options.kafka !== undefined || process.env['DEPLOYMENT_KAFKA'] !== '1') {
    return Deployment.start(start);
  }
  const broker = await openBroker();
  const deployment = await Deployment.start({ ...start, kafka: broker.brokers });
  const stop = deployment.stop.bind(deployment);
  return Object.assign(deployment, { stop: () => stop().finally(() => broker.stop()) });
}

/** Apps that the shared deployments know, which connect to agents by OAuth. */
export const OAUTH_CLIENTS = {
  host: { client_id: 'a-host', client_name: 'A host', redirect_uris: ['http://127.0.0.1/callback'] },
  other: { client_id: 'another', client_name: 'Another', redirect_uris: ['https://app.example.com/back'] },
} as const;

/** Settings that some test of the shared deployments needs, and that affect no other. */
const SHARED = {
  OWNER_CONSOLE: 'true',
  OAUTH_CLIENTS: JSON.stringify(Object.values(OAUTH_CLIENTS)),
  CHECKPOINT_INTERVAL_SECONDS: '1',
};

/** Which deployment files share. */
interface SharedOptions extends Pick<DeploymentOptions, 'copies' | 'slotMs'> {
  readonly leavesMarkets?: boolean;
}

/**
 * A deployment that the test files of this worker share, one after the other, and that ends with the worker. The gate has
 * two of them: one process of each service, or two. Every process runs, no fault is armed, prices are those of the start,
 * and agents are new. A test restores everything else that it changes; one that cannot calls `deploy`, and belongs to the nightly
 * lane, as do tests of a fast chain (`slotMs`). Tests that leave tokens, pools or prices behind share one of their own.
 */
export async function shareDeployment({ leavesMarkets = false, ...options }: SharedOptions = {}): Promise<Deployment> {
  const deployment: Deployment = await keptInWorker('deployment', JSON.stringify({ ...options, leavesMarkets }), {
    open: () => deploy({ ...options, environment: SHARED }),
    end: (kept: Deployment) => kept.stop(),
  });
  await deployment.restore();
  return deployment;
}

export type { Deployment };
