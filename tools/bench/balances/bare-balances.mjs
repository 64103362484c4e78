// The same questions by nobody but @solana/web3.js and fetch.
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Connection, PublicKey } from '@solana/web3.js';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const MINTS_A_CALL = 50;

/** Reads what an address holds and what that is worth; resolves to how many tokens it found. */
export function openBareBalances({ rpcUrl, aggregatorUrl }) {
  const connection = new Connection(rpcUrl, 'confirmed');
  return async (address) => {
    const owner = new PublicKey(address);
    const [, ...programs] = await Promise.all([
      connection.getBalance(owner),
      connection.getParsedTokenAccountsByOwner(owner, { programId: TOKEN_PROGRAM_ID }),
      connection.getParsedTokenAccountsByOwner(owner, { programId: TOKEN_2022_PROGRAM_ID }),
    ]);
    const mints = programs.flatMap(({ value }) => value.map(({ account }) => account.data.parsed.info.mint));
    const ids = [WRAPPED_SOL, ...mints];
    for (let i = 0; i < ids.length; i += MINTS_A_CALL) {
      const answer = await fetch(`${aggregatorUrl}/price/v3?ids=${ids.slice(i, i + MINTS_A_CALL)}`);
      if (answer.status !== 200) throw new Error(`the price API answered ${answer.status}`);
      await answer.json();
    }
    return mints.length;
  };
}
