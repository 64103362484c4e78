import type { Outbox } from '@agent-wallet/events';
import { AppError } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import { randomBytes } from 'node:crypto';
import { type Approval, tooManyApprovals } from '../../domain/owners/approval.js';
import { challengeOf, termsOf, type TransferTerms, type Trust, trustedDocument } from '../../domain/owners/document.js';

const NONCE_BYTES = 32;
/** Documents of one approval. It stops a session that chooses again and again from filling the log. */
const MAX_DOCUMENTS = 10;

interface Choice {
  /** Under its lock, and pending. */
  readonly approval: Approval;
  readonly trust: Trust;
}

/**
 * Replaces the document of a pending payment. The approval keeps its ID, because its operation waits for that one, and its agent
 * has it in an answer. Only the latest document can be signed: a vote compares the hash under the lock. The event is
 * `approvalRequested` again, so that a verifier takes the latest document of an approval before a vote, and knows no new event.
 */
export async function replaceTrust(tx: Queryable, outbox: Outbox, { approval, trust }: Choice): Promise<Approval> {
  const { id, kind, agentId, ownerId } = approval;
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const document = trustedDocument(approval.document, { trust, nonce });
  if (!document) throw AppError.field('trust', 'can be chosen for payments only');
  if ((termsOf('operation', approval.document) as TransferTerms).trust === trust) return approval;
  const documentHash = challengeOf(document);
  const { rowCount } = await tx.query(
    `update approvals set document = $2, document_hash = $3, documents = documents + 1 where id = $1 and documents < $4`,
    [id, document, documentHash, MAX_DOCUMENTS],
  );
  if (rowCount !== 1) throw tooManyApprovals({ all: MAX_DOCUMENTS, byToken: undefined });
  await outbox.write(tx, agentId ?? ownerId, {
    $case: 'approvalRequested',
    value: { approvalId: id, kind, document },
  });
  return { ...approval, document, documentHash };
}
