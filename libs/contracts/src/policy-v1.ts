// The package agentwallet.policy.v1, which is two files.
export * from './generated/agentwallet/policy/v1/policy.js';
export {
  GetRecoveryRequest,
  GetRecoveryResponse,
  ListRecoveredRequest,
  ListRecoveredResponse,
  RECOVERY_SERVICE_NAME,
  RecoveredTransaction,
  RecoveringWallet,
  type RecoveryServiceClient,
  type RecoveryServiceController,
  RecoveryServiceControllerMethods,
  type RecoveryServiceServer,
  RecoveryServiceService,
  ReleaseTreasuryRequest,
  ReleaseTreasuryResponse,
  ReportWalletsRequest,
  ReportWalletsResponse,
  StartRecoveryRequest,
  StartRecoveryResponse,
} from './generated/agentwallet/policy/v1/recovery.js';
