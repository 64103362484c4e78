/** Addresses of the sandbox's parts, as URLs; its process reports them once it is ready. */
export interface SandboxAddresses {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly aggregatorUrl: string;
  readonly exchangeUrl: string;
  readonly smtpUrl: string;
  readonly adminUrl: string;
}
