import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../parts/parts.js';

interface BoundaryProps {
  readonly children: ReactNode;
}

/** Shows an error in the place of what could not be drawn: an unexpected answer, or a part that did not load. */
export class Boundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override readonly state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <ErrorNotice error={error} retry={() => location.reload()} />;
  }
}
