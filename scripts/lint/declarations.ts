/**
 * A lint rule: a port declares a need and does nothing.
 *
 * A file of `ports/` has imports, types, services, references with their defaults, and constants
 * that are written out. The default of a reference is the only code that it may hold.
 */
import type { Context, Node } from "./Rule.ts"

const message =
  "ports/ are declarations: types, Context.Service, Context.Reference and plain constants."

interface Parts extends Node {
  readonly body?: unknown
  readonly callee?: Node | undefined
  readonly declaration?: Node | null
  readonly declarations?: ReadonlyArray<{ readonly init: Node | null }>
  readonly kind?: string
  readonly name?: string
  readonly object?: Node
  readonly property?: Node
  readonly specifiers?: ReadonlyArray<Node>
  readonly superClass?: Node | null
}

/** The name of what an expression calls in the end: `Context.Service` of `Context.Service()("x")`. */
const calledBy = (node: Node | null | undefined): string => {
  const { callee, name, object, property } = (node ?? {}) as Parts
  if (callee !== undefined) return calledBy(callee)
  return object === undefined ? (name ?? "") : `${calledBy(object)}.${calledBy(property)}`
}

const isPlain = (init: Node | null): boolean =>
  init?.type === "Literal" ||
  (init?.type === "CallExpression" && calledBy(init) === "Context.Reference")

const isEmptyService = ({ body, superClass }: Parts): boolean =>
  calledBy(superClass) === "Context.Service" &&
  (body as { readonly body: ReadonlyArray<Node> }).body.length === 0

const isDeclaration = (node: Parts): boolean => {
  switch (node.type) {
    case "ImportDeclaration":
      return node.specifiers!.length > 0
    case "ExportNamedDeclaration":
      return node.declaration === null || isDeclaration(node.declaration!)
    case "ExportAllDeclaration":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return true
    case "ClassDeclaration":
      return isEmptyService(node)
    case "VariableDeclaration":
      return node.kind === "const" && node.declarations!.every(({ init }) => isPlain(init))
    default:
      return false
  }
}

const create = (context: Context) => ({
  Program: ({ body }: Node & { readonly body: ReadonlyArray<Node> }) => {
    for (const node of body) if (!isDeclaration(node)) context.report({ node, message })
  }
})

export const declarations = { create }
