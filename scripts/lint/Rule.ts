/** The linter's context for rules of our own. */

/** A part of the syntax of a file. */
export interface Node {
  readonly type: string
}

/** Where a name was declared; the parent of a variable says whether it is a constant. */
interface Definition {
  readonly node: Node
  readonly parent: Node | null
}

/** The names that are known at some place, and those around it. */
interface Scope {
  readonly set: ReadonlyMap<string, { readonly defs: ReadonlyArray<Definition> }>
  readonly upper: Scope | null
}

/** The listeners of a rule on a file. */
export interface Context {
  readonly report: (found: { readonly node: Node; readonly message: string }) => void
  readonly sourceCode: { readonly getScope: (node: Node) => Scope }
}
