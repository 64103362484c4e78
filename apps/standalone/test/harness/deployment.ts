import { Deployment, type DeploymentOptions } from '../../src/index.js';
import { openBroker } from './test-broker.js';

/** Limits that a test of something else must not meet. */
const GENEROUS = {
  RATE_LIMIT_IP_PER_MINUTE: '1000000',
  RATE_LIMIT_AGENT_PER_MINUTE: '1000000',
  RATE_LIMIT_OTP_START_PER_10_MINUTES: '1000',
  JUPITER_REQUESTS_PER_MINUTE: '1000000',
};

/** Starts a deployment of processes for a test; with DEPLOYMENT_KAFKA=1, over a broker of its own. */
export async function deploy(options: DeploymentOptions = {}): Promise<Deployment> {
  const environment = { ...GENEROUS, ...options.environment };
  if (options.kafka !== undefined || process.env['DEPLOYMENT_KAFKA'] !== '1') {
    return Deployment.start({ ...options, environment });
  }
  const broker = await openBroker();
  const deployment = await Deployment.start({ ...options, environment, kafka: broker.brokers });
  const stop = deployment.stop.bind(deployment);
  return Object.assign(deployment, { stop: () => stop().finally(() => broker.stop()) });
}

export type { Deployment };
