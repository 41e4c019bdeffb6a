/**
 * A lint rule: the status of a record comes from a move of its table, and is never written as text.
 *
 * The rule sees object fields, assignments, variables and SQL. A comparison with a text is fine.
 */

import type { Context, Node } from "./Rule.ts"

interface Named extends Node {
  readonly name?: string
  readonly value?: unknown
}

/** The fields of records that hold a state of a table. */
const stateFields: ReadonlySet<string> = new Set([
  "status",
  "trading_state",
  "trading_state_reason"
])

const message =
  "A state comes from its table: use StateTable.move, or the table's initial, in place of a text."

/** SQL that sets a status to a text; a text in a `where` is only compared. */
const sqlSetting = /\bset\b(?:(?!\bwhere\b)[^;])*?\bstatus\s*=\s*'/i

const isStateField = (key: Node | undefined): boolean => {
  const { name, value } = (key ?? {}) as Named
  return stateFields.has(name ?? (typeof value === "string" ? value : ""))
}

/** The texts that an expression may turn out to be. */
const textsOf = (node: Node | null | undefined): ReadonlyArray<Node> => {
  if (node === null || node === undefined) return []
  switch (node.type) {
    case "Literal":
      return typeof (node as Named).value === "string" ? [node] : []
    case "TemplateLiteral":
      return [node]
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "ParenthesizedExpression":
      return textsOf((node as Node & { readonly expression: Node }).expression)
    case "ConditionalExpression": {
      const { alternate, consequent } = node as Node &
        Readonly<Record<"alternate" | "consequent", Node>>
      return [...textsOf(consequent), ...textsOf(alternate)]
    }
    case "LogicalExpression": {
      const { left, right } = node as Node & Readonly<Record<"left" | "right", Node>>
      return [...textsOf(left), ...textsOf(right)]
    }
    default:
      return []
  }
}

interface Property extends Node {
  readonly computed: boolean
  readonly key: Node
  readonly value: Node
}

interface Assignment extends Node {
  readonly left: Node & { readonly property?: Node }
  readonly right: Node
}

interface Declarator extends Node {
  readonly id: Node
  readonly init: Node | null
}

interface Template extends Node {
  readonly quasis: ReadonlyArray<{ readonly value: { readonly raw: string } }>
}

const create = (context: Context) => {
  const refuse = (texts: ReadonlyArray<Node>): void => {
    for (const node of texts) context.report({ node, message })
  }
  return {
    Property: ({ computed, key, value }: Property) => {
      if (!computed && isStateField(key)) refuse(textsOf(value))
    },
    AssignmentExpression: ({ left, right }: Assignment) => {
      if (isStateField(left.property ?? left)) refuse(textsOf(right))
    },
    VariableDeclarator: ({ id, init }: Declarator) => {
      if (isStateField(id)) refuse(textsOf(init))
    },
    TemplateLiteral: (node: Template) => {
      if (sqlSetting.test(node.quasis.map(({ value }) => value.raw).join("?"))) refuse([node])
    }
  }
}

export const literalStates = { create }
