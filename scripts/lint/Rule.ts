/** What the linter gives to rules of our own. */

/** A part of the syntax of a file. */
export interface Node {
  readonly type: string
}

/** What a rule tells of a file. */
export interface Context {
  readonly report: (found: { readonly node: Node; readonly message: string }) => void
}
