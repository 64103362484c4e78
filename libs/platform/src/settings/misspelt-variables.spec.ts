import { describe, expect, it } from '@jest/globals';
import { misspeltVariables } from './misspelt-variables.js';
import { setting } from './kinds.js';
import { readSettings } from './read-settings.js';

const NAMES = new Set(['SOLANA_RPC_URL', 'JUPITER_API_KEY', 'PORT', 'HOST']);

describe('misspelt variables', () => {
  it.each([
    ['SOLANA_RPC_URI', 'SOLANA_RPC_URL'],
    ['SOLANA_RCP_URL', 'SOLANA_RPC_URL'],
    ['solana_rpc_url', 'SOLANA_RPC_URL'],
    ['JUPITER_APIKEY', 'JUPITER_API_KEY'],
    ['PROT', 'PORT'],
  ])('are found: %s is probably %s', (variable, suggestion) => {
    expect(misspeltVariables({ [variable]: 'x' }, NAMES)).toEqual([{ variable, suggestion }]);
  });

  it.each(['SOLANA_RPC_URL', 'JUPITER_API_KEY_PATH', 'HOME', 'PATH', 'SHELL', 'SOLANA_WS_URL', 'KUBERNETES_PORT', ''])(
    'are not what is a setting, or like none: %s',
    (variable) => {
      expect(misspeltVariables({ [variable]: 'x' }, NAMES)).toEqual([]);
    },
  );

  it('are compared with every setting that was read', () => {
    readSettings({ MISSPELT_TEST_LIMIT: setting.text().default('') }, {});
    expect(misspeltVariables({ MISSPELT_TEST_LIMITS: '1' })).toEqual([
      { variable: 'MISSPELT_TEST_LIMITS', suggestion: 'MISSPELT_TEST_LIMIT' },
    ]);
  });
});
