import { AppError } from '@agent-wallet/kernel';
import { describe, expect, it, jest } from '@jest/globals';
import type { Logger } from '../log/logger.js';
import { SettingsError } from '../settings/read-settings.js';
import { verifyNetwork } from './verify-network.js';

const warn = jest.fn();
const logger = { warn } as unknown as Logger;

describe('the network of the settings', () => {
  it('passes when the chain belongs to it', async () => {
    await verifyNetwork({ expected: 'devnet', read: async () => 'devnet', logger });
    expect(warn).not.toHaveBeenCalled();
  });

  it('stops the start when the chain belongs to another', async () => {
    const verified = verifyNetwork({ expected: 'sandbox', read: async () => 'mainnet-beta', logger });
    await expect(verified).rejects.toThrow(SettingsError);
    await expect(verified).rejects.toThrow(
      'SOLANA_NETWORK: is sandbox, but the chain at SOLANA_RPC_URL is mainnet-beta. Correct one of the two.',
    );
  });

  it('stops the start when a service works on another', async () => {
    const source = 'that of the wallet service';
    const verified = verifyNetwork({ expected: 'sandbox', read: async () => 'devnet', source, logger });
    await expect(verified).rejects.toThrow(
      'SOLANA_NETWORK: is sandbox, but that of the wallet service is devnet. Correct one of the two.',
    );
  });

  it('is reported as unverified while the chain does not answer', async () => {
    const read = () => Promise.reject(new AppError('UPSTREAM_TIMEOUT'));
    await verifyNetwork({ expected: 'devnet', read, logger });
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ event: 'network.unverified', network: 'devnet' }),
      expect.any(String),
    );
  });
});
