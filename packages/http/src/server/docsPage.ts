/**
 * The API's document as a page: HTML without a script, which sends no request.
 *
 * @since 0.1.0
 */
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import { OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { Api } from "../api/Api.ts"
import { servePacked } from "./packedText.ts"

type Json = any

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;"
}

const escape = (text: unknown): string =>
  String(text).replaceAll(/[&<>"]/g, (one) => entities[one]!)

/** Text with its `code` marked. */
const prose = (text = ""): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")

const nameOf = (ref: string): string => ref.split("/").at(-1)!

/** A schema as JSON, in which references lead to the schemas below. */
const schemaText = (schema: Json): string =>
  escape(JSON.stringify(schema, undefined, 1)).replaceAll(
    /#\/components\/schemas\/([\w.-]+)/g,
    (_, name: string) => `<a href="#schema-${name}">${name}</a>`
  )

const shownSchema = (schema: Json): string =>
  typeof schema?.["$ref"] === "string"
    ? `<a href="#schema-${nameOf(schema["$ref"])}">${nameOf(schema["$ref"])}</a>`
    : `<pre>${schemaText(schema ?? {})}</pre>`

const parameterRow = (parameter: Json): string =>
  `<tr><td><code>${escape(parameter.name)}</code></td><td>${escape(parameter.in)}` +
  `${parameter.required === true ? ", required" : ""}</td>` +
  `<td>${prose(parameter.description)} ${shownSchema(parameter.schema)}</td></tr>`

const contentsText = (content: Json = {}): string =>
  Object.entries<Json>(content)
    .map(([type, { schema }]) => `<p><code>${escape(type)}</code> ${shownSchema(schema)}</p>`)
    .join("")

const answersText = (responses: Json): string => {
  const refusals = Object.keys(responses).filter((status) => "$ref" in responses[status])
  const answers = Object.entries<Json>(responses)
    .filter(([, response]) => !("$ref" in response))
    .map(([status, response]) => `<h4>${status}</h4>${contentsText(response.content)}`)
  return `${answers.join("")}<p>Refusals: ${refusals.join(", ")}</p>`
}

const operationText = (
  { components }: Json,
  path: string,
  method: string,
  operation: Json
): string => {
  const parameters = (operation.parameters ?? []).map((one: Json) =>
    "$ref" in one ? components.parameters[nameOf(one["$ref"])] : one
  )
  const scopes: ReadonlyArray<string> = operation["x-required-scopes"] ?? []
  const asked = scopes.map((scope) => `<code>${escape(scope)}</code>`).join(", ")
  return (
    `<details id="${escape(operation.operationId)}"><summary><b>${method.toUpperCase()}</b> ` +
    `<code>${escape(path)}</code> ${prose(operation.summary)}</summary>` +
    `<p>${prose(operation.description)}</p>` +
    (asked === "" ? "" : `<p>Scopes: ${asked}</p>`) +
    (parameters.length === 0
      ? ""
      : `<table>${parameters.map((one: Json) => parameterRow(one)).join("")}</table>`) +
    (operation.requestBody === undefined
      ? ""
      : `<h4>Body</h4>${contentsText(operation.requestBody.content)}`) +
    `${answersText(operation.responses)}</details>`
  )
}

const style =
  ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}" +
  "body{max-width:60rem;margin:0 auto;padding:1rem}nav a{margin-right:1rem}" +
  "summary{cursor:pointer;padding:.3rem 0}details details{margin-left:1rem}" +
  "pre{overflow-x:auto;font-size:.85rem;background:#8881;padding:.5rem}" +
  "td{vertical-align:top;padding:.2rem .6rem .2rem 0}code{font-size:.9em}"

const hash = createHash("sha256").update(style).digest("base64")

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The page of a document. @category conversions @since 0.1.0 */
export const documentPage = (document: Json): string => {
  const groups = new Map<string, Array<string>>()
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const tag: string = operation.tags?.[0] ?? "other"
      const shown = operationText(document, path, method, operation)
      groups.set(tag, [...(groups.get(tag) ?? []), shown])
    }
  }
  const tags = [...groups.keys()]
  const sections = [...groups].map(
    ([tag, shown]) =>
      `<section><h2 id="${escape(tag)}">${escape(tag)}</h2>${shown.join("")}</section>`
  )
  const schemas = Object.entries<Json>(document.components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary>` +
      `<pre>${schemaText(schema)}</pre></details>`
  )
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(document.info.title)}</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${style}</style></head><body>` +
    `<h1>${escape(document.info.title)}</h1><p>${prose(document.info.description)}</p>` +
    `<p>The same as <a href="openapi.json">an OpenAPI document</a>, for tools that send requests.</p>` +
    `<nav>${tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join("")}<a href="#schemas">schemas</a></nav>` +
    `${sections.join("")}<section><h2 id="schemas">schemas</h2>${schemas.join("")}</section></body></html>`
  )
}

/** The page, made for its first reader, because the document takes half a second of a start. */
const makePage = () => {
  let served: ReturnType<typeof servePacked> | null = null
  return () =>
    (served ??= servePacked(documentPage(OpenApi.fromApi(Api)), {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": policy }
    }))
}

/** The page of the API's document at `/docs`. @category layers @since 0.1.0 */
export const docsPage: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use((router) =>
  Effect.suspend(() => router.add("GET", "/docs", Effect.suspend(makePage())))
)
