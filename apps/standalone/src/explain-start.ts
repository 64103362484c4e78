import { DataDirectoryInUse } from '@agent-wallet/embedded';
import { SettingsError } from '@agent-wallet/platform';

/** Explains a start that failed because another copy runs in the same folder. */
export async function explainStart<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof DataDirectoryInUse) {
      throw new SettingsError([`${error.message}: set DATA_DIR to run beside another copy`]);
    }
    throw error;
  }
}
