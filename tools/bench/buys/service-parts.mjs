// What a purchase takes beside its commits, chain and exchange because agents, keys, limits and books are served apart.
import { openGrpcHop } from '../parts/grpc-hop.mjs';
import { openJsonApi } from '../parts/json-api.mjs';
import { openSqlStatement } from '../parts/sql-statement.mjs';

/** To prediction: Buy. To the wallet: Move, twice. To policy: Authorize and Settle, twice. To the signer: Sign, twice. */
const GRPC_CALLS = 9;
/** Counted by `log_statement = all`, at 32 callers: an entry of the books takes several, a batch of events too. */
const STATEMENTS = 67;

/** Opens them beside a deployment's certificates. `commits`: how many of the statements are counted elsewhere. */
export async function openServiceParts({ infrastructure: { certificates }, database, commits }) {
  const ground = { certificates, database };
  return [
    await openJsonApi(),
    { ...(await openGrpcHop(ground)), times: GRPC_CALLS },
    { ...openSqlStatement(ground), times: STATEMENTS - commits },
  ];
}
