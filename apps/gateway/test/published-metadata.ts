import type { HistoryActionName } from '@agent-wallet/events';
import { RECIPIENT, USDC } from './default-script.js';

/** Metadata that the swap service publishes for both actions of liquidity. */
const LIQUIDITY = `{"venue":"raydium-cpmm","pool":"${RECIPIENT}","positionId":"${RECIPIENT}","slippageBps":50,"lpMint":"${RECIPIENT}","liquidityRaw":"31622776","tokens":[{"mint":"So11111111111111111111111111111111111111112","symbol":"SOL","decimals":9,"amountRaw":"1000000"},{"mint":"${USDC}","symbol":"USDC","decimals":6,"amountRaw":"150000"}],"networkFeeLamports":"5000"}`;

/** Metadata that the services publish for each action. */
export const METADATA: Readonly<Record<HistoryActionName, string>> = {
  transfer: `{"mint":"${USDC}","feeRaw":"100","feeMode":"deducted","amountSentRaw":"64099900","rentLamports":"2039280","sponsored":true}`,
  trade: `{"from":"USDC","to":"SOL","inputMint":"${USDC}","outputMint":"${USDC}","inputAmountRaw":"64100000","outputDecimals":9,"slippageBps":50,"outputAmountRaw":"166650100","minOutputAmountRaw":"165834166","route":["Raydium CLMM"],"priceImpactPercent":"-0.001249","warnings":[{"mint":"${USDC}","type":"HAS_FREEZE_AUTHORITY","severity":"warning"}],"networkFeeLamports":"5000"}`,
  deposit: `{"mint":"${USDC}","decimals":6,"amountRaw":"64100000","from":"${RECIPIENT}"}`,
  unwrap_sol: '{"mint":null,"amountRaw":"64100000","networkFeeLamports":"5000"}',
  liquidity_add: LIQUIDITY,
  liquidity_remove: LIQUIDITY,
  prediction_buy:
    '{"maxPriceUsdMicros":"670000","ticker":"KXFED","eventTicker":"KXFED-26DEC","side":"yes","countHundredths":"1000","limitUsdMicros":"670000","orderId":"order","status":"partially_filled","totalUsdMicros":"4548000","feeUsdMicros":"111600","filledHundredths":"700","escrowUsdMicros":"6870000","refundUsdMicros":"2210400"}',
  prediction_sell: '{"ticker":"KXFED","side":"yes","countHundredths":"50"}',
  prediction_settlement:
    '{"ticker":"KXFED","eventTicker":"KXFED-26DEC","result":"yes","yesValueUsdMicros":"1000000","positions":[{"side":"yes","quantityHundredths":"700","costUsdMicros":"4548000","payoutUsdMicros":"7000000","settlementResult":"won"}]}',
  prediction_withdrawal: '{}',
  policy_update:
    '{"changes":[{"field":"dailyLimitInUsd","before":500,"after":50.5},{"field":"allowedRecipients","before":[],"after":[]}]}',
};
