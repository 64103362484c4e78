import { Link } from 'wouter';
import { nowMs } from '../app/now.js';
import { Loaded, Skeleton } from '../parts/parts.js';
import { useApproval, useOwner } from '../api/queries.js';
import { TEXTS } from '../texts.js';
import { type DecodedDocument, decodeDocument, signingProblem } from './decode-document.js';
import { type Decided, Decision, type FollowUp } from './Decision.js';
import { Context } from './Context.js';
import { RecoveryNotice } from './RecoveryNotice.js';
import { viewOf } from './recovery-view.js';
import { Subject, titleOf } from './Subject.js';
import type { Trust } from './TrustChoice.js';

interface ReviewProps extends FollowUp {
  readonly approvalId: string;
  readonly level?: 'h1' | 'h2';
}

/** Shows what an approval's signed document says, and lets the owner decide. */
export function ApprovalReview({ approvalId, level = 'h2', ...followUp }: ReviewProps) {
  const query = useApproval(approvalId);
  return (
    <Loaded query={query} lines={8}>
      {({ approval, document }) => (
        <Review level={level} approvalId={approvalId} document={document} decided={approval} {...followUp} />
      )}
    </Loaded>
  );
}

interface ShownProps extends ReviewProps {
  readonly document: string;
  /** Not part of the document: whether anything is left to decide. */
  readonly decided: Decided;
}

function Review({ approvalId, document, decided, level: Heading = 'h2', ...followUp }: ShownProps) {
  const owner = useOwner();
  const read = readDocument(document);
  if (!read) return <Refusal text={TEXTS.errors.unknownDocument} />;
  const problem = problemOf(read, approvalId);
  if (problem?.isForeign) return <Refusal text={problem.text} />;
  const isOpen = decided.state === 'pending';
  const isRecovery = read.about.kind === 'recovery';
  if (isRecovery && !owner.data) return <Skeleton lines={8} />;
  const recovery = isRecovery ? viewOf(read.owner === owner.data!.owner.id, owner.data!.authenticatedBy) : undefined;
  const isJoining = read.about.kind === 'member' && read.about.member === owner.data?.owner.id;
  const decision =
    problem && isOpen ? (
      <Closed text={problem.text} />
    ) : (
      <Decision
        approvalId={approvalId}
        kind={read.about.kind}
        document={document}
        decided={decided}
        trust={trustOf(read)}
        isJoining={isJoining}
        recovery={recovery}
        {...followUp}
      />
    );
  const isDone = !isOpen && read.about.kind === 'operation';
  const signed = (
    <div className="signed">
      <Subject document={read} isOpen={isOpen} />
      <p className="hint">{TEXTS.approval.signed}</p>
    </div>
  );
  return (
    <article className="approval">
      <Heading>{titleOf(read.about)}</Heading>
      {recovery && <RecoveryNotice approvalId={approvalId} view={recovery} state={decided.state} />}
      {!isDone && signed}
      {read.agent === undefined ? (
        decision
      ) : (
        <Context agentId={read.agent} about={read.about} isOpen={isOpen}>
          {decision}
        </Context>
      )}
      {isDone && signed}
      {decided.state === 'applied' && <WayOn document={read} />}
    </article>
  );
}

/** Leads to the agent, where a decision is about the agent as a whole. */
function WayOn({ document: { agent, about } }: { readonly document: DecodedDocument }) {
  if (agent === undefined || !LEADS_ON.has(about.kind)) return null;
  return (
    <Link className="button" href={`/agents/${agent}`}>
      {TEXTS.approval.openAgent}
    </Link>
  );
}

const LEADS_ON: ReadonlySet<string> = new Set(['claim', 'policy', 'unfreeze']);

function trustOf({ about }: DecodedDocument): Trust | undefined {
  return about.kind === 'operation' && about.action === 'transfer' ? about.terms.trust : undefined;
}

function Closed({ text }: { readonly text: string }) {
  return (
    <p className="notice" role="status">
      {text}
    </p>
  );
}

/** Says why a document is neither shown nor signed. */
function Refusal({ text }: { readonly text: string }) {
  return (
    <div className="notice bad" role="alert">
      <h1>{TEXTS.approval.refused}</h1>
      <p>{text}</p>
    </div>
  );
}

function readDocument(document: string): DecodedDocument | undefined {
  try {
    return decodeDocument(document);
  } catch {
    return undefined;
  }
}

/** Returns why a document is not signed here; a foreign one is not even shown. */
function problemOf(read: DecodedDocument, approvalId: string): { text: string; isForeign: boolean } | undefined {
  switch (signingProblem(read, { approvalId, origin: location.origin, nowMs: nowMs() })) {
    case 'other_origin':
      return { text: TEXTS.approval.otherOrigin(read.origin), isForeign: true };
    case 'other_approval':
      return { text: TEXTS.approval.otherApproval, isForeign: true };
    case 'expired':
      return { text: TEXTS.approval.expired, isForeign: false };
    case undefined:
      return undefined;
  }
}
