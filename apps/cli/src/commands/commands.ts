import type { Command } from '../command.js';
import { ACCOUNT_COMMANDS } from './account.js';
import { APPROVAL_COMMANDS } from './approvals.js';
import { doctor } from './doctor.js';
import { EVENT_COMMANDS } from './events.js';
import { HISTORY_COMMANDS } from './history.js';
import { liquidity } from './liquidity.js';
import { mcp } from './mcp.js';
import { MONEY_COMMANDS } from './money.js';
import { PENDING_COMMANDS } from './pending.js';
import { policy } from './policy.js';
import { PREDICTION_COMMANDS } from './predictions.js';
import { profiles } from './profiles.js';
import { receive } from './receive.js';
import { ROUTE_COMMANDS } from './routes.js';
import { tokens } from './tokens.js';
import { verify } from './verify.js';
import { version } from './version.js';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...ACCOUNT_COMMANDS,
  profiles,
  receive,
  ...MONEY_COMMANDS,
  ...PREDICTION_COMMANDS,
  liquidity,
  ...HISTORY_COMMANDS,
  policy,
  tokens,
  ...APPROVAL_COMMANDS,
  ...EVENT_COMMANDS,
  ...ROUTE_COMMANDS,
  mcp,
  ...PENDING_COMMANDS,
  verify,
  doctor,
  version,
];
