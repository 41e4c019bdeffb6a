/**
 * The caller, proven by an API key, and the demands of each operation on the key.
 *
 * An operation names its scopes as an annotation; the server checks them and the OpenAPI document
 * shows them, so that
 * they cannot differ.
 *
 * @since 0.1.0
 */
import type { Scope } from "@candlewick/core/domain"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { refusals } from "./ApiProblem.ts"

/** The caller of a request. @category models @since 0.1.0 */
export interface CallerKey {
  readonly accountId: string
  readonly keyId: string
  readonly scopes: ReadonlyArray<Scope>
}

/** The caller whose key was accepted. @category services @since 0.1.0 */
export class Caller extends Context.Service<Caller, CallerKey>()("@candlewick/http/api/Caller") {}

/** The scopes that an operation asks of the key. @category annotations @since 0.1.0 */
export const RequiredScopes = Context.Reference<ReadonlyArray<Scope>>(
  "@candlewick/http/api/RequiredScopes",
  { defaultValue: () => [] }
)

/** The quota that an operation's requests count against. @category models @since 0.1.0 */
export type Quota = "reads" | "writes" | "runs"

/**
 * The quota of an operation, where the method alone does not show it.
 *
 * @category annotations
 * @since 0.1.0
 */
export const OperationQuota = Context.Reference<Quota | undefined>(
  "@candlewick/http/api/OperationQuota",
  { defaultValue: () => undefined }
)

/** The kind of body that an operation takes. @category annotations @since 0.1.0 */
export const OperationBody = Context.Reference<"required" | "optional" | "stream" | undefined>(
  "@candlewick/http/api/OperationBody",
  { defaultValue: () => undefined }
)

/**
 * Whether the operation gives or takes a whole series of candles, of which few may be under way.
 *
 * @category annotations
 * @since 0.1.0
 */
export const MovesCandles = Context.Reference<"imports" | "exports" | undefined>(
  "@candlewick/http/api/MovesCandles",
  { defaultValue: () => undefined }
)

/**
 * Whether a request without an `Idempotency-Key` is known again by its body.
 *
 * @category annotations
 * @since 0.1.0
 */
export const IsKeyedByContent = Context.Reference<boolean>(
  "@candlewick/http/api/IsKeyedByContent",
  { defaultValue: () => false }
)

/**
 * Whether the operation is carried out without its `Idempotency-Key` while the store takes no key.
 * That is for an operation that does no harm twice, and must not wait.
 *
 * @category annotations
 * @since 0.1.0
 */
export const WaitsForNoKey = Context.Reference<boolean>("@candlewick/http/api/WaitsForNoKey", {
  defaultValue: () => false
})

/** Whether answers have a secret that is shown once. @category annotations @since 0.1.0 */
export const ShowsSecret = Context.Reference<boolean>("@candlewick/http/api/ShowsSecret", {
  defaultValue: () => false
})

/**
 * Whether the list may be followed instead, as server-sent events.
 *
 * @category annotations
 * @since 0.1.0
 */
export const IsFollowed = Context.Reference<boolean>("@candlewick/http/api/IsFollowed", {
  defaultValue: () => false
})

/** Rows of an answer, which can be had as CSV. @category models @since 0.1.0 */
export interface AnswerRows {
  /** The field of the answer that has them. */
  readonly field: string
  /** The fields of each, in this order; `metrics.sharpe` is a part of a field. */
  readonly columns: ReadonlyArray<string>
}

/** The rows of an answer that is served as CSV too. @category annotations @since 0.1.0 */
export const ServesRows = Context.Reference<AnswerRows | undefined>(
  "@candlewick/http/api/ServesRows",
  { defaultValue: () => undefined }
)

/** The media types of an answer that is not JSON. @category annotations @since 0.1.0 */
export const ServesTypes = Context.Reference<ReadonlyArray<string> | undefined>(
  "@candlewick/http/api/ServesTypes",
  { defaultValue: () => undefined }
)

/**
 * The rows of an answer: a page's unless another field has them.
 *
 * @category annotations
 * @since 0.1.0
 */
export const answerRows = (
  record: { readonly fields: Readonly<Record<string, unknown>> },
  field = "data"
): AnswerRows => ({ field, columns: Object.keys(record.fields) })

/**
 * The summary of an operation, its scopes and its peculiarities. The operation's row in the
 * service's table gives the scopes, where there is one.
 *
 * @category annotations
 * @since 0.1.0
 */
export const describeOperation = (
  summary: string,
  { scopes }: { readonly scopes: ReadonlyArray<Scope> },
  more: {
    readonly description?: string
    readonly quota?: Quota
    readonly body?: "optional" | "stream"
    readonly showsSecret?: boolean
    readonly isFollowed?: boolean
    readonly isKeyedByContent?: boolean
    readonly waitsForNoKey?: boolean
    readonly rows?: AnswerRows
    readonly types?: ReadonlyArray<string>
    readonly moves?: "imports" | "exports"
  } = {}
): Context.Context<never> =>
  OpenApi.annotations({ summary, description: more.description }).pipe(
    Context.add(RequiredScopes, scopes),
    Context.add(OperationQuota, more.quota),
    Context.add(OperationBody, more.body),
    Context.add(ShowsSecret, more.showsSecret ?? false),
    Context.add(IsFollowed, more.isFollowed ?? false),
    Context.add(IsKeyedByContent, more.isKeyedByContent ?? false),
    Context.add(WaitsForNoKey, more.waitsForNoKey ?? false),
    Context.add(ServesRows, more.rows),
    Context.add(ServesTypes, more.types),
    Context.add(MovesCandles, more.moves)
  )

/** Proves the caller by `Authorization: Bearer <API_KEY>`. @category services @since 0.1.0 */
export class Authorization extends HttpApiMiddleware.Service<
  Authorization,
  { provides: Caller; requires: never }
>()("@candlewick/http/api/Authorization", {
  requiredForClient: true,
  security: { bearer: HttpApiSecurity.bearer },
  error: refusals
}) {}

/**
 * Answers requests that a schema refuses; it stands between `Authorization` and the operation.
 *
 * @category services
 * @since 0.1.0
 */
export class Validation extends HttpApiMiddleware.Service<Validation>()(
  "@candlewick/http/api/Validation"
) {}
