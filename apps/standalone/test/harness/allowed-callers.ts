import type { RPC } from './impostor.js';

/** Methods that one name may call. */
function only(caller: string, methods: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(methods.map((method) => [method, [caller]]));
}

const OPERATORS = only('ops', [
  'listOpenOperations',
  'listOperationRevisions',
  'explainOperation',
  'resendOperation',
  'rejectOperation',
]);

/** Who may call what; services that do not exist yet may be listed by the services, and are left out here. */
export const ALLOWED: Record<keyof typeof RPC, Record<string, readonly string[]>> = {
  gateway: { revokeSessions: ['ops'] },
  policy: {
    createPolicy: ['gateway'],
    getPolicy: ['gateway', 'prediction'],
    updatePolicy: ['gateway'],
    getUsage: ['gateway', 'wallet', 'swap', 'prediction'],
    authorize: ['wallet', 'swap'],
    dryRunAuthorize: ['wallet', 'swap'],
    checkSpending: ['wallet', 'swap', 'prediction'],
    getPrices: ['wallet', 'swap', 'prediction'],
    settle: ['wallet', 'swap'],
    setFreeze: ['ops'],
    listFreezes: ['ops'],
  },
  recoveries: {
    getRecovery: ['wallet', 'swap', 'prediction', 'ops'],
    reportWallets: ['wallet'],
    ...only('ops', ['startRecovery', 'listRecovered', 'unfreezeTreasury']),
  },
  owners: {
    ...only('gateway', [
      ...[
        'createPasskeyChallenge',
        'addPasskey',
        'removePasskey',
        'listPasskeys',
        'createLoginChallenge',
        'verifyLogin',
      ],
      ...['requestApproval', 'getApproval', 'listApprovals', 'vote', 'closeApproval', 'listAgents', 'getAgent'],
      ...['tightenPolicy', 'freezeAgent', 'voidOperations', 'cancelClaims', 'chooseTrust', 'forgetRecipient'],
    ]),
    getApprovalStates: ['wallet', 'swap', 'prediction'],
    ...only('ops', ['overruleOwners', 'confirmRecovery']),
  },
  tokens: only('gateway', ['openToken', 'endToken', 'listTokens', 'bindOperation']),
  signer: {
    createKey: ['wallet'],
    createSystemKey: ['wallet'],
    sign: ['wallet', 'swap'],
    signCheckpoints: ['history'],
    attest: ['wallet', 'policy', 'swap'],
    getBoot: ['ops'],
  },
  dataKeys: only('ops', ['describeKeys', 'addDataKey', 'rewrapKeys', 'retireDataKeys']),
  wallet: {
    createWallet: ['gateway'],
    getWallet: ['swap'],
    getBalances: ['gateway'],
    transfer: ['gateway'],
    dryRunTransfer: ['gateway'],
    unwrap: ['gateway'],
    dryRunUnwrap: ['gateway'],
    getToken: ['gateway', 'swap'],
    move: ['prediction'],
    dryRunMove: ['prediction'],
    getTreasury: ['prediction'],
    getAttestation: ['gateway'],
    getNetwork: ['gateway'],
  },
  walletOperations: OPERATORS,
  swap: only('gateway', [
    ...['trade', 'dryRunTrade', 'addLiquidity', 'dryRunAddLiquidity', 'removeLiquidity', 'dryRunRemoveLiquidity'],
    ...['listPools', 'getPool', 'listPositions'],
  ]),
  swapOperations: OPERATORS,
  prediction: only('gateway', [
    'buy',
    'dryRunBuy',
    'sell',
    'dryRunSell',
    'withdraw',
    'getBalance',
    'listPositions',
    'listOrders',
  ]),
  catalog: only('gateway', [
    'listCategories',
    'listSports',
    'listMarkets',
    'getMarket',
    'getOrderbook',
    'listEvents',
    'getEvent',
    'listSeries',
    'getSeries',
    'listMilestones',
    'getMilestone',
    'listStructuredTargets',
    'getStructuredTarget',
  ]),
  ledger: only('ops', ['reconcile', 'attributeFunds', 'resumeOrders', 'abandonOrder']),
  predictionOperations: OPERATORS,
  history: {
    ...only('gateway', ['listTransactions', 'getTransaction', 'sumSpending', 'getProof']),
    ...only('gateway', ['findChanges', 'followChanges']),
    ...only('ops', ['listOperationStates', 'listUnprocessableEvents']),
  },
};
