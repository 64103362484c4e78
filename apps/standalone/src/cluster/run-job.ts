import { createLogger, type Logger, readSettings, setting, SettingsError } from '@agent-wallet/platform';
import { JobError } from './job-error.js';
import { KubernetesApi } from './kubernetes-api.js';

/** Runs a program to its end. When it fails, exits with 1 and prints why. */
export async function runJob(name: string, work: (logger: Logger) => Promise<void>): Promise<void> {
  try {
    await work(createLogger(name, readSettings({ LOG_LEVEL: setting.text().default('info') }).LOG_LEVEL));
  } catch (error) {
    const isExplained = error instanceof SettingsError || error instanceof JobError;
    const said = isExplained ? error.message : ((error as Error).stack ?? String(error));
    process.stderr.write(`${said}\n`);
    process.exitCode = 1;
  }
}

/** Opens the API server, as a pod's service account reaches it. @throws SettingsError */
export function openKubernetesApi(): KubernetesApi {
  const { KUBERNETES_URL, SERVICE_ACCOUNT_PATH, NAMESPACE } = readSettings({
    KUBERNETES_URL: setting.url('https', 'http').default('https://kubernetes.default.svc'),
    SERVICE_ACCOUNT_PATH: setting.path(),
    NAMESPACE: setting.text(),
  });
  return new KubernetesApi({ url: KUBERNETES_URL, namespace: NAMESPACE, accountPath: SERVICE_ACCOUNT_PATH });
}
