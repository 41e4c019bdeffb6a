/**
 * The value that a schema expects, in the author's words rather than in the schema's.
 *
 * @since 0.1.0
 */
import type { SchemaAST } from "effect"

const isPart = (words: string | null): words is string => words !== null

const listed = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`

/**
 * The words for a kind of value, or null where the schema's words are as good. A schema may bring
 * its own in the annotation `expected`.
 *
 * @category faults
 * @since 0.1.0
 */
export const inWords = (ast: SchemaAST.AST): string | null => {
  const own = ast.annotations?.["expected"]
  if (typeof own === "string") return own
  switch (ast._tag) {
    case "Objects": {
      const names = ast.propertySignatures.map(({ name }) => String(name))
      return names.length === 0 ? "an object" : `an object with ${names.join(", ")}`
    }
    case "Arrays":
      return "an array"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return typeof ast.literal === "bigint" ? null : JSON.stringify(ast.literal)
    case "Union": {
      // A named schema is described by its name.
      if (ast.annotations?.["identifier"] !== undefined) return null
      // JSON has no `undefined`: it is how a field is left out.
      const kinds = ast.types.filter(({ _tag }) => _tag !== "Undefined")
      // A list of fields comes last, so that no later word is taken for one of them.
      const isLast = ({ _tag }: SchemaAST.AST) => Number(_tag === "Objects")
      const parts = kinds.toSorted((one, next) => isLast(one) - isLast(next)).map(inWords)
      return parts.every(isPart) ? listed(parts) : null
    }
    default:
      return null
  }
}
