export { isDebugMode, type NitroDocument, readNitroDocument } from './nitro-document.js';
export {
  type AcceptedNitro,
  AWS_NITRO_ROOT_SHA256,
  type NitroExpectation,
  type NitroPcrs,
  verifyNitroDocument,
  verifyNitroEvidence,
} from './verify-nitro-document.js';
