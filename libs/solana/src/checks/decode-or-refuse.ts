import { MessageRefused } from '../intents/message-refused.js';
import { type DecodedMessage, decodeMessage, MalformedMessage } from '../messages/decode-message.js';

/** Takes a serialized message apart for a check. @throws MessageRefused `malformed` */
export function decodeOrRefuse(bytes: Uint8Array): DecodedMessage {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw new MessageRefused('malformed', `The message cannot be read: ${error.message}.`, { cause: error });
  }
}
