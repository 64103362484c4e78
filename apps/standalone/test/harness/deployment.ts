import { Deployment, type DeploymentOptions } from '../../src/index.js';

/** Limits that a test of something else must not meet. */
const GENEROUS = {
  RATE_LIMIT_IP_PER_MINUTE: '1000000',
  RATE_LIMIT_AGENT_PER_MINUTE: '1000000',
  RATE_LIMIT_OTP_START_PER_10_MINUTES: '1000',
  JUPITER_REQUESTS_PER_MINUTE: '1000000',
};

/** Starts a deployment of processes for a test. */
export function deploy(options: DeploymentOptions = {}): Promise<Deployment> {
  return Deployment.start({ ...options, environment: { ...GENEROUS, ...options.environment } });
}

export type { Deployment };
