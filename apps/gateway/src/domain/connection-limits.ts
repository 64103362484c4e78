/** Bounds of the connections that are open at the same time. Settings of the operator. */
export interface ConnectionLimits {
  /** All of them together. */
  readonly total: number;
  /** Share of one client network; trusted proxies have none. */
  readonly perNetwork: number;
}
