/** Where the sandbox's parts answer, as URLs; its process says so once it is ready. */
export interface SandboxAddresses {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly aggregatorUrl: string;
  readonly exchangeUrl: string;
  readonly smtpUrl: string;
  readonly adminUrl: string;
}
