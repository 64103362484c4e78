import { stopTestServer } from '@agent-wallet/testing';

/** Stops the Postgres that the tests share, once no run uses it any more. */
export default stopTestServer;
