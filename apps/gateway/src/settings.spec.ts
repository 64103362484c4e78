import { describe, expect, it } from '@jest/globals';
import { gatewaySettings } from './settings.js';

const LEAST = {
  GRPC_ADDRESS: 'localhost:0',
  DATABASE_URL: 'postgres://gateway:secret@localhost/wallet',
  TLS_CA_PATH: 'ca.pem',
  TLS_CERT_PATH: 'cert.pem',
  TLS_KEY_PATH: 'key.pem',
  TLS_CLIENT_CERT_PATH: 'client.pem',
  TLS_CLIENT_KEY_PATH: 'client-key.pem',
  WALLET_ADDRESS: 'wallet:50051',
  SWAP_ADDRESS: 'swap:50051',
  PREDICTION_ADDRESS: 'prediction:50051',
  POLICY_ADDRESS: 'policy:50051',
  HISTORY_ADDRESS: 'history:50051',
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'wallet@example.com',
  JWT_KEYS_PATH: 'keys',
  OTP_PEPPER: 'a pepper of sufficient length',
  SOLANA_NETWORK: 'mainnet-beta',
};
const EXPLORER = 'https://explorer.solana.com/tx/{signature}';

it('notices are on, and read in a group of their own, not in history’s', () => {
  const { notices } = gatewaySettings({ ...LEAST, KAFKA_BROKERS: 'kafka:9092', KAFKA_CONSUMER_GROUP: 'history' });
  expect(notices).toEqual({ isOn: true, consumerGroup: 'notices' });
  expect(gatewaySettings({ ...LEAST, NOTICES: 'false' }).notices.isOn).toBe(false);
});

describe("the gateway's network", () => {
  it.each([
    ['mainnet-beta', EXPLORER],
    ['devnet', `${EXPLORER}?cluster=devnet`],
    ['testnet', `${EXPLORER}?cluster=testnet`],
    ['sandbox', `${EXPLORER}?cluster=custom&customUrl=http%3A%2F%2F127.0.0.1%3A8899`],
  ])('%s has its own explorer', (network, explorerUrlTemplate) => {
    expect(gatewaySettings({ ...LEAST, SOLANA_NETWORK: network, PARTS: 'transfers' })).toMatchObject({
      network,
      explorerUrlTemplate,
    });
  });

  it.each(['http://10.1.2.3:18899', 'http://10.1.2.3:18899/key?api-key=secret'])(
    'links to the origin of a private chain’s node at %s',
    (rpcUrl) => {
      const customUrl = 'http%3A%2F%2F10.1.2.3%3A18899';
      for (const network of ['sandbox', 'localnet']) {
        const settings = gatewaySettings({ ...LEAST, SOLANA_NETWORK: network, SOLANA_RPC_URL: rpcUrl });
        expect(settings.explorerUrlTemplate).toBe(`${EXPLORER}?cluster=custom&customUrl=${customUrl}`);
      }
    },
  );

  it('leaves the explorer to EXPLORER_URL_TEMPLATE when it is set', () => {
    const explorerUrlTemplate = 'https://explorer.example.com/{signature}';
    const settings = gatewaySettings({ ...LEAST, EXPLORER_URL_TEMPLATE: explorerUrlTemplate });
    expect(settings.explorerUrlTemplate).toBe(explorerUrlTemplate);
    expect(() => gatewaySettings({ ...LEAST, EXPLORER_URL_TEMPLATE: 'https://explorer.example.com/' })).toThrow(
      'EXPLORER_URL_TEMPLATE: must contain {signature}',
    );
  });

  it('must be named', () => {
    const unnamed = { ...LEAST, SOLANA_NETWORK: undefined };
    expect(() => gatewaySettings(unnamed)).toThrow('SOLANA_NETWORK is required');
    expect(() => gatewaySettings({ ...LEAST, SOLANA_NETWORK: 'mainnet' })).toThrow(
      'SOLANA_NETWORK: must be one of mainnet-beta, devnet, testnet, localnet, sandbox',
    );
  });
});

describe('TRUSTED_PROXIES', () => {
  it.each([
    ['', []],
    ['10.0.8.1, 10.0.8.16/28,2001:db8::/64', ['10.0.8.1', '10.0.8.16/28', '2001:db8::/64']],
  ])('of %j is %j', (text, proxies) => {
    expect(gatewaySettings({ ...LEAST, TRUSTED_PROXIES: text }).trustedProxies).toEqual(proxies);
  });

  it.each([
    '0.0.0.0/0',
    '::/0',
    '128.0.0.0/1',
    '::/1',
    '::ffff:0.0.0.0/96',
    '10.0.8.1,1.2.3.4/00',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'proxy',
  ])('cannot be %s: it names proxies, and not every client', (text) => {
    expect(() => gatewaySettings({ ...LEAST, TRUSTED_PROXIES: text })).toThrow('TRUSTED_PROXIES: must be');
  });
});

describe('API_ORIGINS', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['https://app.example.com, http://localhost:3000', ['https://app.example.com', 'http://localhost:3000']],
  ])('of %j is %j', (text, origins) => {
    expect(gatewaySettings({ ...LEAST, API_ORIGINS: text }).apiOrigins).toEqual(origins);
  });

  it.each([
    ...['*', 'null', 'https://*.example.com', 'app.example.com', 'https://app.example.com/', 'https://APP.example.com'],
    ...['https://app.example.com/page', 'https://user@app.example.com', 'file:///page', 'https://app.example.com,*'],
  ])('cannot be %s', (text) => {
    expect(() => gatewaySettings({ ...LEAST, API_ORIGINS: text })).toThrow('API_ORIGINS: must be origins');
  });
});

it('connections are bounded in all and for each network', () => {
  expect(gatewaySettings(LEAST).connectionLimits).toEqual({ total: 10_000, perNetwork: 200 });
  const settings = gatewaySettings({ ...LEAST, MAX_CONNECTIONS: '50', MAX_CONNECTIONS_PER_NETWORK: '5' });
  expect(settings.connectionLimits).toEqual({ total: 50, perNetwork: 5 });
});

describe('SESSION_MAX_AGE_HOURS', () => {
  it.each([
    [undefined, 2_160],
    ['168', 168],
    ['8760', 8_760],
  ])('of %s is %s hours', (text, hours) => {
    const settings = gatewaySettings({ ...LEAST, SESSION_MAX_AGE_HOURS: text });
    expect(settings.sessionMaxAgeMs).toBe(hours * 3_600_000);
  });

  it.each(['167', '8761'])('cannot be %s: sessions of a new policy must be refreshable', (text) => {
    expect(() => gatewaySettings({ ...LEAST, SESSION_MAX_AGE_HOURS: text })).toThrow('SESSION_MAX_AGE_HOURS: must be');
  });
});

describe('OAUTH_CLIENTS', () => {
  const client = { client_id: 'a-host', client_name: 'A host', redirect_uris: ['http://127.0.0.1/callback'] };

  it('registers apps without a document of their own', () => {
    const { registeredClients } = gatewaySettings({ ...LEAST, OAUTH_CLIENTS: JSON.stringify([client]) });
    expect(registeredClients).toEqual([
      { id: 'a-host', name: 'A host', uri: undefined, redirectUris: ['http://127.0.0.1/callback'], isRegistered: true },
    ]);
    expect(gatewaySettings(LEAST).registeredClients).toEqual([]);
  });

  it.each<[string, string]>([
    ['text that is not JSON', 'a-host'],
    ['one client outside a list', JSON.stringify(client)],
    [
      'a redirect to another machine without TLS',
      JSON.stringify([{ ...client, redirect_uris: ['http://example.com/'] }]),
    ],
    ['a redirect that is a script', JSON.stringify([{ ...client, redirect_uris: ['javascript:alert(1)'] }])],
    ['a secret', JSON.stringify([{ ...client, client_secret: 'x' }])],
  ])('rejects %s', (_, text) => {
    expect(() => gatewaySettings({ ...LEAST, OAUTH_CLIENTS: text })).toThrow('OAUTH_CLIENTS: must be a JSON list');
  });
});

describe('the setting PARTS', () => {
  const alone = { ...LEAST, SWAP_ADDRESS: undefined, PREDICTION_ADDRESS: undefined };

  it('has every part by default, and transfers always', () => {
    expect(gatewaySettings(LEAST).parts).toEqual(['transfers', 'trading', 'liquidity', 'predictions']);
    expect(gatewaySettings({ ...LEAST, PARTS: ' predictions,trading ' }).parts).toEqual([
      'transfers',
      'predictions',
      'trading',
    ]);
    expect(gatewaySettings({ ...alone, PARTS: 'transfers' }).parts).toEqual(['transfers']);
  });

  it.each([
    ['trading', 'SWAP_ADDRESS is required with trading: set it, or PARTS without trading'],
    ['liquidity', 'SWAP_ADDRESS is required with liquidity: set it, or PARTS without liquidity'],
    ['predictions', 'PREDICTION_ADDRESS is required with predictions: set it, or PARTS without predictions'],
    ['bets', 'PARTS: must be parts, separated by commas, out of transfers, trading, liquidity, predictions'],
  ])('with %s needs what serves it', (parts, problem) => {
    expect(() => gatewaySettings({ ...alone, PARTS: parts })).toThrow(problem);
  });
});
