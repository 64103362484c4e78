import { signerV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { ATTESTING, type Attesting } from '../application/attesting.js';
import { CreateKey } from '../application/create-key.js';
import { Sign } from '../application/sign.js';
import { SignCheckpoints } from '../application/sign-checkpoints.js';
import type { SystemWallet } from '../domain/system-wallet.js';

/** The signer's gRPC surface. */
@Controller()
export class SignerController implements GrpcController<signerV1.SignerServiceService> {
  constructor(
    @Inject(CreateKey) private readonly creation: CreateKey,
    @Inject(Sign) private readonly signing: Sign,
    @Inject(SignCheckpoints) private readonly checkpoints: SignCheckpoints,
    @Inject(ATTESTING) private readonly boots: Attesting,
  ) {}

  async createKey({ agentId }: signerV1.CreateKeyRequest): Promise<signerV1.CreateKeyResponse> {
    return { address: await this.creation.ofAgent(agentId) };
  }

  async createSystemKey({ wallet }: signerV1.CreateSystemKeyRequest): Promise<signerV1.CreateSystemKeyResponse> {
    return { address: await this.creation.ofSystemWallet(systemWalletOf(wallet)) };
  }

  async sign({ message, permit, resolvedAddresses }: signerV1.SignRequest): Promise<signerV1.SignResponse> {
    return this.signing.execute(message, permit, resolvedAddresses);
  }

  async signCheckpoints({ claims }: signerV1.SignCheckpointsRequest): Promise<signerV1.SignCheckpointsResponse> {
    return this.checkpoints.execute(claims);
  }

  async attest({ nonce, isPublic }: signerV1.AttestRequest): Promise<signerV1.AttestResponse> {
    const { driver, isolation, evidence, boundNonce, permitKeys } = await this.boots.attest.execute(nonce, isPublic);
    const { key, buildDigest, startedAtMs } = this.boots.attest.boot;
    return {
      ...{ driver, isolation, boundNonce, buildDigest, ephemeralKey: key.publicKey },
      evidenceFormat: evidence.format,
      evidenceKeyId: evidence.keyId,
      evidence: evidence.document,
      permitKeys: permitKeys.map(({ keyId, publicKey }) => ({ keyId, publicKey: Buffer.from(publicKey) })),
      startedAtMs: BigInt(startedAtMs),
    };
  }

  async findBoot({ ephemeralKey }: signerV1.FindBootRequest): Promise<signerV1.FindBootResponse> {
    const { statement, evidence, startedAtMs } = await this.boots.findBoot.execute(ephemeralKey);
    return {
      statement: Buffer.from(statement),
      evidenceFormat: evidence.format,
      evidenceKeyId: evidence.keyId,
      evidence: evidence.document,
      startedAtMs: BigInt(startedAtMs),
    };
  }
}

function systemWalletOf(wallet: signerV1.SystemWallet): SystemWallet {
  switch (wallet) {
    case signerV1.SystemWallet.SYSTEM_WALLET_SPONSOR:
      return 'sponsor';
    case signerV1.SystemWallet.SYSTEM_WALLET_FEES:
      return 'fees';
    case signerV1.SystemWallet.SYSTEM_WALLET_TREASURY:
      return 'treasury';
    default:
      throw AppError.field('wallet', 'must be a wallet of the operator');
  }
}
