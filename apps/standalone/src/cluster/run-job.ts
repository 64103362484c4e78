import { createLogger, type Logger, readSettings, setting, SettingsError } from '@agent-wallet/platform';
import { JobError } from './job-error.js';
import { KubernetesApi } from './kubernetes-api.js';

/** The body of a program that is run to its end: leaves with 1 and says why when it fails. */
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

/** The API server, as a pod's service account reaches it. @throws SettingsError */
export function openKubernetesApi(): KubernetesApi {
  const { KUBERNETES_URL, SERVICE_ACCOUNT_PATH, NAMESPACE } = readSettings({
    KUBERNETES_URL: setting.url('https', 'http').default('https://kubernetes.default.svc'),
    SERVICE_ACCOUNT_PATH: setting.path(),
    NAMESPACE: setting.text(),
  });
  return new KubernetesApi({ url: KUBERNETES_URL, namespace: NAMESPACE, accountPath: SERVICE_ACCOUNT_PATH });
}
