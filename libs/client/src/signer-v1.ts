// The package agentwallet.signer.v1, which is two files.
export * from './generated/agentwallet/signer/v1/signer.js';
export {
  AddDataKeyRequest,
  AddDataKeyResponse,
  DataKeyVersion,
  DescribeKeysRequest,
  DescribeKeysResponse,
  type KeyServiceController,
  KeyServiceControllerMethods,
  KeyServiceService,
  Replica,
  RetireDataKeysRequest,
  RetireDataKeysResponse,
  RewrapKeysRequest,
  RewrapKeysResponse,
  VaultName,
} from './generated/agentwallet/signer/v1/keys.js';
