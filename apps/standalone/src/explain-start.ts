import { DataDirectoryInUse } from '@agent-wallet/embedded';
import { SettingsError } from '@agent-wallet/platform';

/** Turns what commonly keeps a standalone start from succeeding into words that say what to do. */
export async function explainStart<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code, port } = error as { code?: string; port?: number };
    if (code === 'EADDRINUSE') {
      throw new SettingsError([
        `port ${port} is taken: set PORT, SANDBOX_RPC_PORT, SANDBOX_WS_PORT, SANDBOX_AGGREGATOR_PORT, ` +
          'SANDBOX_EXCHANGE_PORT, SANDBOX_SMTP_PORT and SANDBOX_ADMIN_PORT to free ones to run beside another copy',
      ]);
    }
    if (error instanceof DataDirectoryInUse) {
      throw new SettingsError([`${error.message}: set DATA_DIR to run beside another copy`]);
    }
    throw error;
  }
}
