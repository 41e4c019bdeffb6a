/**
 * Whether the server is alive, ready for work, and how it is doing.
 *
 * The probes need no key and show strangers nothing; the metrics need one.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { refusalSchema } from "./ApiProblem.ts"
import { Authorization, describeOperation } from "./Authorization.ts"

/**
 * Whether the server is alive, ready for work, and how it is doing.
 *
 * @category groups
 * @since 0.1.0
 */
export class SystemApi extends HttpApiGroup.make("system").add(
  HttpApiEndpoint.get("healthz", "/healthz", {
    success: Schema.Struct({ status: Schema.Literal("ok") })
  }).annotateMerge(describeOperation("Tells whether the process is alive", { scopes: [] })),
  HttpApiEndpoint.get("readyz", "/readyz", {
    success: Schema.Struct({
      status: Schema.Literal("ready"),
      checks: Schema.Array(Schema.String)
    }),
    error: refusalSchema(503)
  }).annotateMerge(describeOperation("Tells whether the server is ready for work", { scopes: [] })),
  HttpApiEndpoint.get("metrics", "/metrics", {
    success: Schema.String.pipe(
      HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
  })
    .middleware(Authorization)
    .annotateMerge(
      describeOperation(
        "Returns metrics in the Prometheus text format",
        { scopes: [] },
        { types: ["text/plain", "application/openmetrics-text"] }
      )
    )
) {}
