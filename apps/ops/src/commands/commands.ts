import { attributeFunds, giveUpOrder, resumeOrders } from './books.js';
import type { Command } from './command.js';
import { freeze, frozen, unfreeze } from './freezes.js';
import { endOperation, explain, open, resend } from './operations.js';
import { reconcile } from './reconcile.js';
import { recovery } from './recovery.js';

/** By name. */
export const COMMANDS: Readonly<Record<string, Command | undefined>> = {
  freeze,
  unfreeze,
  frozen,
  open,
  explain,
  resend,
  reconcile,
  recovery,
  'end-operation': endOperation,
  'attribute-funds': attributeFunds,
  'resume-orders': resumeOrders,
  'give-up-order': giveUpOrder,
};

export const HELP = `Usage: npm run ops -- <command> [options]

  freeze <agent|all> --reason TEXT     refuses everything that would move money, at once, and ends the sessions
  unfreeze <agent|all> --reason TEXT   allows it again; agents log in anew
  frozen                               what is frozen, since when, by whom and why
  open [--older-than 5m]               operations whose outcome is not known yet, the oldest first
  explain <operation>                  one operation: what the chain says of it, and what will end it
  resend <operation> --reason TEXT     sends its signed bytes once more; they are the same, so it is always safe
  recovery status                      after a restore: how far the chain was read, and what was found there
  recovery start --since 3h --reason TEXT
                                       the database was put back in a way that nothing shows: read the chain first
  recovery release-treasury --reason TEXT
                                       books and exchange were compared after a restore: prediction money moves again
  end-operation <operation> --reason TEXT
                                       ends what a recovery holds, because the chain shows that it was carried out
  reconcile books                      the books of prediction money beside the chain and the exchange
  reconcile history [--since 24h] [--older-than 1m]
                                       operations as their services have them beside what history tells of them; what
                                       differs is looked at twice, and then printed, with exit code 1
  reconcile                            both
  attribute-funds <treasury|exchange> [--amount DOLLARS] --reason TEXT
                                       money that came there from outside is the operator's; all of it without an amount
  resume-orders --reason TEXT          takes orders again that a shortage has stopped; what is missing is the operator's loss
  give-up-order <operation> --reason TEXT
                                       an order that the exchange said it has and never showed does not exist: ask it first
  keys <command>                       the signer's data keys, and backups of its tables: npm run ops -- keys --help
  boot <key>                           which boot of the signer gave a signature: npm run ops -- boot --help

  --operator NAME   who asks, for the audit log (default: your user name)
  --help            this text

An agent is named by its id (the token's "sub"), an operation by its transactionId. What changes something is written
to the audit log. Without {POLICY,WALLET,SWAP,PREDICTION,HISTORY}_ADDRESS, GATEWAY_GRPC_ADDRESS and
TLS_{CA,CERT,KEY}_PATH the deployment in DATA_DIR (default .data) is meant.`;
