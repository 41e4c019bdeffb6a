/**
 * The dashboard's table of operations: the method and the path of each, from the API value.
 */
import { Api } from "@candlewick/http/api"
import { HttpApi } from "effect/http-api"

/** The text of the table's file. */
export const operationTable = (): string => {
  const rows: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      rows.push(
        `  "${group.identifier}.${endpoint.identifier}": ["${endpoint.method}", "${endpoint.path}"]`
      )
    }
  })
  return [
    "/**",
    " * The method and the path of every operation: printed from the API value by",
    " * `npm run generate`.",
    " */",
    "export const operations = {",
    rows.join(",\n"),
    "} as const",
    ""
  ].join("\n")
}
