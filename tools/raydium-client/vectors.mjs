// Golden vectors by the official client: addresses, instructions, decoded accounts and amounts. All in text.
import { openClient, PACKAGE, VERSION } from './client.mjs';
import { account, CPMM, encode, madeUpConnection, mintAccount, namedKey, tokenAccount } from './made-up-chain.mjs';

const POOLS = [
  { name: 'SOL/USDC', index: 0, symbols: ['SOL', 'USDC'], vaults: ['7000000000007', '980000000123'] },
  { name: 'SOL/USDC', index: 1, symbols: ['SOL', 'USDC'], vaults: ['123456789012345', '17654321098765'] },
  { name: 'JUP/SOL', index: 0, symbols: ['JUP', 'SOL'], vaults: ['2500000000003', '7142857142857'] },
  { name: 'USDC/BONK', index: 0, symbols: ['USDC', 'BONK'], vaults: ['1000000000001', '4761904761904761'] },
  { name: 'PYUSD/USDC', index: 0, symbols: ['PYUSD', 'USDC'], vaults: ['999999999', '1000000007'] },
];

const MINTS = {
  SOL: { address: 'So11111111111111111111111111111111111111112', decimals: 9 },
  USDC: { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 },
  JUP: { address: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', decimals: 6 },
  BONK: { address: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263', decimals: 5 },
  PYUSD: { address: '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo', decimals: 6, isToken2022: true },
};

const AMOUNTS = { deposit: ['1000000', '2000000000', '300000000'], withdraw: ['18446744073709551615', '1', '258'] };
const LIQUIDITIES = ['1', '99', '1000000', '123456789', '2718281828459'];
const INPUTS = ['1000', '1000000', '987654321', '31415926535'];
const BASIS_POINTS = [0, 1, 50, 333, 1000];
const LP_SUPPLIES = ['2619160170000', '46685521234567', '4225771273643', '69006555934235', '1000000002'];

/** Makes all vectors. */
export async function makeVectors(client) {
  const { sdk } = client;
  const program = sdk.CREATE_CPMM_POOL_PROGRAM;
  const configs = [0, 1].map((index) => sdk.getCpmmPdaAmmConfigId(program, index).publicKey);
  const pools = [];
  for (const [number, pool] of POOLS.entries()) {
    const lpSupply = LP_SUPPLIES[number];
    pools.push(await vectorsOf(client, { ...pool, number, lpSupply, program, config: configs[pool.index] }));
  }
  return {
    madeBy: `${PACKAGE}@${VERSION}`,
    program: program.toBase58(),
    authority: sdk.getPdaPoolAuthority(program).publicKey.toBase58(),
    configs: configs.map(String),
    wallet: namedKey(client, 'wallet').toBase58(),
    pools,
  };
}

async function vectorsOf(client, pool) {
  const { web3, sdk, token } = client;
  const sides = pool.symbols
    .map((symbol) => ({ ...MINTS[symbol], mint: new web3.PublicKey(MINTS[symbol].address) }))
    .sort((a, b) => Buffer.compare(a.mint.toBuffer(), b.mint.toBuffer()))
    .map((side) => ({ ...side, program: side.isToken2022 ? token.TOKEN_2022_PROGRAM_ID : token.TOKEN_PROGRAM_ID }));
  const keys = sdk.getCreatePoolKeys({
    ...{ programId: pool.program, configId: pool.config, mintA: sides[0].mint, mintB: sides[1].mint },
  });
  const facts = { ...pool, sides, keys };
  return {
    ...{ name: pool.name, config: String(pool.config), mints: sides.map(({ mint }) => String(mint)) },
    ...{ tokenPrograms: sides.map(({ program }) => String(program)), decimals: sides.map(({ decimals }) => decimals) },
    ...{ pool: String(keys.poolId), vaults: [String(keys.vaultA), String(keys.vaultB)], lpMint: String(keys.lpMint) },
    observation: String(keys.observationId),
    instructions: instructionsOf(client, facts),
    ...(await readingsOf(client, facts)),
  };
}

/** The two instructions, with the associated accounts that the client derives. */
function instructionsOf(client, { program, keys, sides }) {
  const { sdk, token, BN } = client;
  const wallet = namedKey(client, 'wallet');
  const own = (mint, tokenProgram) => sdk.getATAAddress(wallet, mint, tokenProgram).publicKey;
  const accounts = [
    ...[program, wallet, keys.authority, keys.poolId, own(keys.lpMint, token.TOKEN_PROGRAM_ID)],
    ...sides.map((side) => own(side.mint, side.program)),
    ...[keys.vaultA, keys.vaultB, sides[0].mint, sides[1].mint, keys.lpMint],
  ];
  const made = (make, amounts) => instructionText(make(...accounts, ...amounts.map((amount) => new BN(amount))));
  return {
    deposit: { amounts: AMOUNTS.deposit, ...made(sdk.makeDepositCpmmInInstruction, AMOUNTS.deposit) },
    withdraw: { amounts: AMOUNTS.withdraw, ...made(sdk.makeWithdrawCpmmInInstruction, AMOUNTS.withdraw) },
  };
}

/** An instruction in text: its data in hex, and its accounts with `w` for writable and `S` for signer. */
function instructionText({ programId, data, keys }) {
  const metas = keys.map(({ pubkey, isSigner, isWritable }) =>
    [String(pubkey), `${isSigner ? 'S' : ''}${isWritable ? 'w' : ''}`].join(' ').trim(),
  );
  return { programId: String(programId), data: data.toString('hex'), keys: metas };
}

/** What the client reads in accounts that it encoded, and the amounts that it computes from them. */
async function readingsOf(client, facts) {
  const accounts = accountsOf(client, facts);
  const owner = namedKey(client, 'wallet');
  const raydium = await openClient(client, madeUpConnection(client, accounts), owner);
  const read = await raydium.cpmm.getPoolInfoFromRpc(String(facts.keys.poolId));
  const hex = (key) => accounts.get(String(key)).data.toString('hex');
  const { rpcData } = read;
  return {
    accounts: { pool: hex(facts.keys.poolId), config: hex(facts.config), vaults: facts.vaults },
    reading: {
      ...{ reserves: [String(rpcData.baseReserve), String(rpcData.quoteReserve)], lpSupply: String(rpcData.lpAmount) },
      ...{ status: rpcData.status, openTime: String(rpcData.openTime), price: String(rpcData.poolPrice) },
      ...{ tradeFeeRate: String(rpcData.configInfo.tradeFeeRate), configIndex: rpcData.configInfo.index },
    },
    shares: LIQUIDITIES.map((liquidity) => shareOf(client, rpcData, liquidity)),
    additions: await additionsOf(client, raydium, read),
    removals: await removalsOf(client, raydium, read),
  };
}

/** What so much liquidity takes, rounded up, and brings, rounded down. */
function shareOf({ sdk, BN }, { lpAmount, baseReserve, quoteReserve }, liquidity) {
  const amounts = (direction) => {
    const { lpTokensToTradingTokens } = sdk.ConstantProductCurve;
    const share = lpTokensToTradingTokens(new BN(liquidity), lpAmount, baseReserve, quoteReserve, direction);
    return [String(share.tokenAmount0), String(share.tokenAmount1)];
  };
  return { liquidity, added: amounts(sdk.RoundDirection.Ceiling), removed: amounts(sdk.RoundDirection.Floor) };
}

/** What the client pairs with an amount of one side. Its tolerance stays 0: ours is applied another way. */
async function additionsOf({ sdk, BN }, raydium, { poolInfo, rpcData }) {
  const pair = (input, side) => {
    const unit = new sdk.Fraction(
      new BN(input),
      new BN(10).pow(new BN([poolInfo.mintA, poolInfo.mintB][side].decimals)),
    );
    const computed = raydium.cpmm.computePairAmount({
      ...{ poolInfo: { ...poolInfo, lpAmount: lpUnits(poolInfo, rpcData) }, baseIn: side === 0 },
      ...{ baseReserve: rpcData.baseReserve, quoteReserve: rpcData.quoteReserve },
      ...{ amount: unit.toFixed(9), slippage: new sdk.Percent(0), epochInfo: { epoch: 2 } },
    });
    const { liquidity, anotherAmount, inputAmountFee } = computed;
    return {
      side,
      input: String(inputAmountFee.amount),
      liquidity: String(liquidity),
      other: String(anotherAmount.amount),
    };
  };
  return INPUTS.flatMap((input) => [pair(input, 0), pair(input, 1)]);
}

/** The pool's liquidity tokens in whole ones, as the client states them to itself. */
function lpUnits({ lpMint }, { lpAmount }) {
  return Number(String(lpAmount)) / 10 ** lpMint.decimals;
}

/** The least amounts that stand in the client's withdrawals. */
async function removalsOf({ sdk, BN }, raydium, { poolInfo, poolKeys }) {
  const removals = [];
  for (const slippageBps of BASIS_POINTS) {
    const lpAmount = new BN(LIQUIDITIES[3]);
    const slippage = new sdk.Percent(slippageBps, 10_000);
    const order = { poolInfo, poolKeys, lpAmount, slippage, txVersion: sdk.TxVersion.V0 };
    const { builder } = await raydium.cpmm.withdrawLiquidity(order);
    const { data } = builder.allInstructions.find(({ programId }) => programId.toBase58() === CPMM);
    removals.push({ liquidity: LIQUIDITIES[3], slippageBps, data: data.toString('hex') });
  }
  return removals;
}

/** Every account of a pool, and a liquidity account of the wallet. */
function accountsOf(client, { number, program, config, index, keys, sides, vaults, lpSupply }) {
  const { sdk, token } = client;
  const wallet = namedKey(client, 'wallet');
  const lpAccount = sdk.getATAAddress(wallet, keys.lpMint, token.TOKEN_PROGRAM_ID).publicKey;
  const lp = { program: token.TOKEN_PROGRAM_ID, mint: keys.lpMint, owner: wallet, amount: '1' };
  const vault = (i) => tokenAccount(client, { ...sides[i], owner: keys.authority, amount: vaults[i] });
  const configValues = configOf(client, index);
  const poolValues = poolOf(client, { number, config, keys, sides, lpSupply });
  return new Map(
    [
      [config, account(program, encode(sdk.CpmmConfigInfoLayout, 'config', configValues))],
      [keys.poolId, account(program, encode(sdk.CpmmPoolInfoLayout, 'pool', poolValues))],
      ...[keys.vaultA, keys.vaultB].map((address, i) => [address, vault(i)]),
      ...sides.map((side) => [side.mint, mintAccount(client, side)]),
      [lpAccount, tokenAccount(client, lp)],
    ].map(([address, made]) => [String(address), made]),
  );
}

/** Values of a config. Each field differs from the others, so that a wrong offset shows. */
function configOf(client, index) {
  const { sdk, BN } = client;
  const { nonce } = sdk.getCpmmPdaAmmConfigId(sdk.CREATE_CPMM_POOL_PROGRAM, index);
  const rates = { tradeFeeRate: [2_500, 10_000][index], protocolFeeRate: 120_000, fundFeeRate: 40_000 };
  const more = { createPoolFee: 150_000_000, creatorFeeRate: 501, creatorFeeShareRate: 502 };
  const numbers = Object.entries({ ...rates, ...more }).map(([name, value]) => [name, new BN(value)]);
  return {
    ...{ bump: nonce, disableCreatePool: false, index, ...Object.fromEntries(numbers) },
    ...{ protocolOwner: namedKey(client, 'protocol'), fundOwner: namedKey(client, 'fund'), '': zeros(BN, 14) },
  };
}

/** Values of a pool, in the same way. The status of each pool has another bit. */
function poolOf(client, { number, config, keys, sides, lpSupply }) {
  const { sdk, BN } = client;
  const big = (value) => new BN(value);
  return {
    ...{ configId: config, poolCreator: namedKey(client, 'creator'), vaultA: keys.vaultA, vaultB: keys.vaultB },
    ...{ mintLp: keys.lpMint, mintA: sides[0].mint, mintB: sides[1].mint, observationId: keys.observationId },
    ...{ mintProgramA: sides[0].program, mintProgramB: sides[1].program },
    ...{ bump: sdk.getPdaPoolAuthority(sdk.CREATE_CPMM_POOL_PROGRAM).nonce, status: [0, 1, 2, 4, 7][number] },
    ...{ lpDecimals: 9, mintDecimalA: sides[0].decimals, mintDecimalB: sides[1].decimals, lpAmount: big(lpSupply) },
    ...{ protocolFeesMintA: big(1_000 + number), protocolFeesMintB: big(20_000 + number) },
    ...{ fundFeesMintA: big(300 + number), fundFeesMintB: big(4_000 + number) },
    ...{
      openTime: big(1_700_000_000 + number),
      epoch: big(700 + number),
      feeOn: number % 3,
      enableCreatorFee: number > 2,
    },
    ...{ creatorFeesMintA: big(50 + number), creatorFeesMintB: big(600 + number), '': zeros(BN, 28) },
  };
}

function zeros(BN, count) {
  return Array.from({ length: count }, () => new BN(0));
}
