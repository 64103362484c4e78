import { attestationResponse } from '../application/responses/attestation-response.js';
import { z } from 'zod';
import { ADDRESS, HASH } from './schemas/examples.js';
import { defineRoute } from './route.js';
import { address, base64, count, sha256 } from './schemas/units.js';

const BINDING = '1f0c4d3e9a2b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5';

const replicaRecord = z
  .strictObject({
    keyId: z.string().meta({ description: 'Which key signed the evidence; `none` when nothing signs it.' }),
    evidence: z
      .strictObject({
        format: z.string().meta({ description: '`tpm2-quote/v1`, `aws-nitro/v1`, `pkcs11/v1`, `software/v1` …' }),
        document: base64('Evidence over `boundNonce`.'),
        statement: base64('What `boundNonce` is the SHA-256 of: nonce, driver, isolation, digest, key, permit keys.'),
      })
      .meta({ id: 'Evidence' }),
    boundNonce: sha256(),
    buildDigest: sha256('SHA-256 of the program.'),
    ephemeralKey: address('Ed25519, base58: this boot countersigns every signature with it.'),
  })
  .meta({ id: 'SignerReplica' });

const permitKeyRecord = z
  .strictObject({ keyId: z.string(), publicKey: address('Ed25519, base58.') })
  .meta({ id: 'PermitKey' });

export const attestationRoute = defineRoute(
  {
    id: 'getAttestation',
    method: 'GET',
    path: '/attestation',
    auth: 'none',
    area: 'Service',
    summary: 'Get evidence of what guards the keys',
    notes:
      'Choose a new random nonce for each call. `driver: "software"` means that **nothing but a file guards the keys**: its ' +
      'evidence proves nothing, and the operator of the machine can take every key. With `tpm2` or `aws-nitro-kms`, ' +
      '`npm run attest:verify` checks the evidence against what you accept. `unanswered` counts replicas that have an ' +
      'address and did not answer within five seconds: of those you know nothing. 503 when none answers.',
    query: z.strictObject({
      nonce: z
        .string('must be given once')
        .regex(/^([0-9a-fA-F]{2}){16,64}$/, 'must be 16 to 64 bytes in hexadecimal')
        .meta({ description: '16 to 64 bytes of your choice, in hexadecimal.' }),
    }),
    response: z
      .strictObject({
        driver: z.string().meta({
          description:
            '`software`, `tpm2`, `pkcs11` …; `software` too when one replica of several has it, else `mixed`.',
        }),
        isolation: z
          .string()
          .meta({ description: 'What separates the keys from the operator; `none` when nothing does.' }),
        replicas: z.array(replicaRecord),
        permitKeys: z
          .array(permitKeyRecord)
          .meta({ description: 'The keys of the policy service that the signer takes permits of.' }),
        unanswered: count('Replicas that did not answer.'),
      })
      .meta({ id: 'Attestation' }),
    errors: ['SERVICE_UNAVAILABLE'],
    example: {
      response: {
        driver: 'software',
        isolation: 'none',
        replicas: [
          {
            keyId: 'none',
            evidence: {
              format: 'software/v1',
              document: 'HwxNPporXG1+j5ChssPU5fYHGCk6S1xtfo+QobLD1OU=',
              statement: 'YWdlbnR3YWxsZXQvYXR0ZXN0YXRpb24vdjEK',
            },
            boundNonce: BINDING,
            buildDigest: HASH,
            ephemeralKey: ADDRESS,
          },
        ],
        permitKeys: [{ keyId: 'permit-1', publicKey: ADDRESS }],
        unanswered: 0,
      },
    },
  },
  async ({ input: { query } }, { services: { wallet } }) => {
    const nonce = Buffer.from(query.nonce, 'hex');
    const data = attestationResponse(nonce, await wallet.attestation(nonce));
    const isSoftware = data.driver === 'software';
    const message = isSoftware
      ? 'Software mode: nothing but a file guards the keys, and this evidence proves nothing.'
      : 'What guards the keys.';
    return { message, data };
  },
);
