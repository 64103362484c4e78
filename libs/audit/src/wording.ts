/** A fact with its code. */
interface Coded {
  readonly code: string;
}

type WithCode<Fact extends Coded, Code extends string> = Fact extends unknown
  ? Code extends Fact['code']
    ? Fact
    : never
  : never;

/** A text for each code; a code without one does not compile. */
export type Wording<Fact extends Coded> = {
  readonly [Code in Fact['code']]: string | ((fact: WithCode<Fact, Code>) => string);
};

/** Words a fact. */
export function wordFact<Fact extends Coded>(wording: Wording<Fact>, fact: Fact): string {
  const text = wording[fact.code as Fact['code']] as string | ((fact: Fact) => string);
  return typeof text === 'string' ? text : text(fact);
}
