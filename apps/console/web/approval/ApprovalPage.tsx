import { Link } from 'wouter';
import { useTitle } from '../parts/parts.js';
import { TEXTS } from '../texts.js';
import { ApprovalReview } from './ApprovalReview.js';

/** Shows one approval to decide on. */
export default function ApprovalPage({ approvalId }: { readonly approvalId: string }) {
  useTitle(TEXTS.approvals.title);
  return (
    <section className="narrow">
      <p>
        <Link href="/approvals">← {TEXTS.approvals.title}</Link>
      </p>
      <ApprovalReview approvalId={approvalId} level="h1" />
    </section>
  );
}
