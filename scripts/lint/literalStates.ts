/**
 * A lint rule: the status of a record comes from a move of its table, and is never written as text.
 *
 * The rule sees fields of objects and classes, assignments, variables, defaults and SQL. It follows
 * a name to the constant text that it stands for in the same file. A comparison with a text is
 * fine.
 */
import type { Context, Node } from "./Rule.ts"

interface Named extends Node {
  readonly name?: string
  readonly value?: unknown
}

/** The fields of records that hold a state of a table. */
const stateFields: ReadonlySet<string> = new Set([
  "status",
  "state",
  "phase",
  "service_secret",
  "current_state",
  "trading_state",
  "trading_state_reason"
])

const message =
  "A state comes from its table: use StateTable.move, or the table's initial, in place of a text."

/** SQL that sets a state to a text; a text in a `where` is only compared. */
const sqlSetting = new RegExp(
  String.raw`\bset\b(?:(?!\bwhere\b)[^;])*?\b(?:${[...stateFields].join("|")})\s*=\s*'`,
  "i"
)

const sqlInsert = /\binsert\s+into\s+[\w".]+\s*\(([^()]*)\)\s*values\b/i

/** The rows that an insert lists, each split at its own commas. */
const rowsOf = (values: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  let depth = 0
  let isQuoted = false
  for (const sign of values) {
    if (sign === "'") isQuoted = !isQuoted
    if (!isQuoted && sign === ")") depth -= 1
    if (depth > 0) {
      const row = rows.at(-1)!
      if (sign === "," && depth === 1 && !isQuoted) row.push("")
      else row[row.length - 1] += sign
    }
    if (!isQuoted && sign === "(") {
      depth += 1
      if (depth === 1) rows.push([""])
    }
  }
  return rows
}

/** Whether SQL inserts a text into the column of a state. */
const insertsState = (sql: string): boolean => {
  const found = sqlInsert.exec(sql)
  if (found === null) return false
  const columns = found[1]!.split(",").map((column) => column.trim().toLowerCase())
  return rowsOf(sql.slice(found.index + found[0].length)).some((row) =>
    row.some((value, at) => stateFields.has(columns[at] ?? "") && value.trim().startsWith("'"))
  )
}

const writesState = (sql: string): boolean => sqlSetting.test(sql) || insertsState(sql)

const isStateField = (key: Node | undefined): boolean => {
  const { name, value } = (key ?? {}) as Named
  return stateFields.has(name ?? (typeof value === "string" ? value : ""))
}

/** A key in brackets is known only where it is written as a text. */
const isStateKey = ({ computed, key }: Keyed): boolean =>
  (!computed || key.type === "Literal") && isStateField(key)

/** The texts that an expression may turn out to be; `follow` says what a name stands for. */
const textsOf = (
  node: Node | null | undefined,
  follow: (name: Node) => Node | null
): ReadonlyArray<Node> => {
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
      return textsOf((node as Node & { readonly expression: Node }).expression, follow)
    case "Identifier":
      return textsOf(follow(node), () => null).length > 0 ? [node] : []
    case "AssignmentPattern":
      return textsOf((node as Assignment).right, follow)
    case "ConditionalExpression": {
      const { alternate, consequent } = node as Node &
        Readonly<Record<"alternate" | "consequent", Node>>
      return [...textsOf(consequent, follow), ...textsOf(alternate, follow)]
    }
    case "LogicalExpression": {
      const { left, right } = node as Node & Readonly<Record<"left" | "right", Node>>
      return [...textsOf(left, follow), ...textsOf(right, follow)]
    }
    default:
      return []
  }
}

interface Keyed extends Node {
  readonly computed: boolean
  readonly key: Node
  readonly value: Node | null
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

/** The value of a constant of the same file, or null where a name stands for anything else. */
const constantOf = (context: Context, node: Node): Node | null => {
  const name = (node as Named).name ?? ""
  let scope: ReturnType<Context["sourceCode"]["getScope"]> | null =
    context.sourceCode.getScope(node)
  while (scope !== null && !scope.set.has(name)) scope = scope.upper
  const [definition] = scope?.set.get(name)?.defs ?? []
  const { kind } = (definition?.parent ?? {}) as { readonly kind?: string }
  return kind === "const" ? (definition!.node as Declarator).init : null
}

const create = (context: Context) => {
  const found = new Set<Node>()
  const refuse = (node: Node): void => {
    if (found.has(node)) return
    found.add(node)
    context.report({ node, message })
  }
  const refuseTexts = (value: Node | null): void => {
    for (const node of textsOf(value, (name) => constantOf(context, name))) refuse(node)
  }
  return {
    Property: (field: Keyed) => {
      if (isStateKey(field)) refuseTexts(field.value)
    },
    PropertyDefinition: (field: Keyed) => {
      if (isStateKey(field)) refuseTexts(field.value)
    },
    AssignmentPattern: ({ left, right }: Assignment) => {
      if (isStateField(left)) refuseTexts(right)
    },
    AssignmentExpression: ({ left, right }: Assignment) => {
      if (isStateField(left.property ?? left)) refuseTexts(right)
    },
    VariableDeclarator: ({ id, init }: Declarator) => {
      if (isStateField(id)) refuseTexts(init)
    },
    Literal: (node: Named) => {
      if (typeof node.value === "string" && writesState(node.value)) refuse(node)
    },
    TemplateLiteral: (node: Template) => {
      if (writesState(node.quasis.map(({ value }) => value.raw).join("?"))) refuse(node)
    }
  }
}

export const literalStates = { create }
