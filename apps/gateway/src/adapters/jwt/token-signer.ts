import type { JwtService } from '@nestjs/jwt';
import type { TokenSigner } from '../../ports/token-signer.js';
import type { TokenNames } from '../../ports/token-keys.js';
import type { KeyFolder } from './key-folder.js';

/** Signs ES256 tokens with the key whose turn it is. */
export function createTokenSigner(jwt: JwtService, keys: KeyFolder, names: TokenNames): TokenSigner {
  return {
    sign({ id, agentId, issuedAtMs, expiresAtMs }) {
      const { kid, privateKey } = keys.signing;
      const payload = { sub: agentId, jti: id, iat: issuedAtMs / 1000, exp: expiresAtMs / 1000 };
      return jwt.signAsync(payload, {
        algorithm: 'ES256',
        keyid: kid,
        privateKey,
        issuer: names.issuer,
        audience: names.audience,
      });
    },
  };
}
