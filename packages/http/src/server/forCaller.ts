/**
 * The frame around every handler: the caller's account, `If-Match`, `ETag`, pages and problems.
 *
 * @since 0.1.0
 */
import type {
  Argument,
  ArgumentRole,
  MethodsOf,
  Operation,
  OperationTable,
  Page,
  PageRequest,
  Signature,
  SignatureOf
} from "@candlewick/core"
import { type Context, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller, type CallerKey } from "../api/Authorization.ts"
import type { PageAnswer } from "../api/Page.ts"
import type { PageQuery } from "./lists.ts"
import { answered, type Refusal } from "./problemAnswers.ts"
import { ifMatched, located, tagged } from "./records.ts"
import { listedOrTabled } from "./tables.ts"

type Answer = HttpServerResponse.HttpServerResponse

/** The values that a handler may need besides its request. */
type Around = Caller | HttpServerRequest.HttpServerRequest

type TakesOf<Row> = Row extends Operation<infer _F, infer Takes> ? Takes : never

type Taken<Takes, Role extends ArgumentRole> =
  Takes extends ReadonlyArray<infer One> ? Extract<One, Argument<Role, unknown>> : never

/** The part of a request that an argument of this role is found in; nothing without such a one. */
type Part<Takes, Role extends ArgumentRole, Found> = [Taken<Takes, Role>] extends [never]
  ? unknown
  : Found

type BodyOf<Takes> = Taken<Takes, "body"> extends Argument<"body", infer A> ? A : never
type FilterOf<Takes> =
  Taken<Takes, "page"> extends Argument<"page", infer A> ? Omit<A, keyof PageRequest> : never

/** The request in which an operation finds its arguments. @category models @since 0.1.0 */
export type RequestOf<Row> = Part<
  TakesOf<Row>,
  "key",
  { readonly params: Readonly<Record<string, string>> }
> &
  Part<TakesOf<Row>, "body", { readonly payload: BodyOf<TakesOf<Row>> }> &
  Part<TakesOf<Row>, "page", { readonly query: PageQuery & FilterOf<TakesOf<Row>> }>

type ResultOf<Row> = ReturnType<SignatureOf<Row>>

/** The body of an answer: a page is answered with its cursor. @category models @since 0.1.0 */
export type AnswerOf<Row> = ResultOf<Row> extends Page<infer A> ? PageAnswer<A> : ResultOf<Row>

/** The rows whose every argument is found in a request. @category models @since 0.1.0 */
export type Served<Table> = {
  readonly [Name in keyof Table]: [Taken<TakesOf<Table[Name]>, "given">] extends [never]
    ? Name
    : never
}[keyof Table]

interface Request {
  readonly params?: Readonly<Record<string, string>>
  readonly payload?: unknown
  readonly query?: PageQuery
}

type Method = (...all: ReadonlyArray<unknown>) => Effect.Effect<unknown, Refusal>

const argumentOf = (
  { name, role }: Argument<ArgumentRole, unknown>,
  { params, payload }: Request,
  page: PageRequest | undefined,
  version: number | undefined
): unknown => {
  switch (role) {
    case "key":
      return params?.[name]
    case "body":
      return payload
    case "page":
      return page
    case "version":
      return version
    case "given":
      return undefined
  }
}

/** Carries a row out with the arguments that its request has. */
const callMethod = (
  { isVersioned, takes }: Operation<Signature, ReadonlyArray<Argument<ArgumentRole, unknown>>>,
  method: Method,
  request: Request,
  accountId: string
) => {
  const has = (role: ArgumentRole) => takes.some((one) => one.role === role)
  const run = (page?: PageRequest, version?: number) =>
    method(accountId, ...takes.map((one) => argumentOf(one, request, page, version)))
  if (has("page")) {
    const { query = {} } = request
    const list = (page: PageRequest) => run(page) as Effect.Effect<Page<unknown>, Refusal>
    return listedOrTabled(query, list) as Effect.Effect<unknown, Refusal>
  }
  const done = has("version") ? ifMatched((version) => run(undefined, version)) : run()
  return isVersioned
    ? Effect.tap(done, (record) => tagged(record as { readonly version: number }))
    : done
}

/** The path below which a new record is; of the request where the path names things. */
type Collection<R> = string | ((request: R) => string)

/**
 * Handlers of a service's operations, for the account that calls.
 *
 * **Details**
 *
 * - `serve(name)` is the handler of an operation. Keys come from the path, the body from the body,
 *   the page from the query and the version from `If-Match`. A record with a version is tagged, a
 *   page has its cursor.
 * - `serve(name, { at })` says besides where the new record is.
 * - `call(work)` is the same frame, account and problems, around anything else.
 *
 * @category constructors
 * @since 0.1.0
 */
export const forCaller = <Self, Table extends OperationTable>(
  service: Context.Service<Self, MethodsOf<Table>>,
  table: Table
) =>
  Effect.map(service, (methods) => ({
    serve:
      <Name extends Served<Table>>(
        name: Name,
        { at }: { readonly at?: Collection<RequestOf<Table[Name]>> } = {}
      ) =>
      (
        request: RequestOf<Table[Name]>
      ): Effect.Effect<AnswerOf<Table[Name]> | Answer, never, Around> =>
        Caller.use(({ accountId }) =>
          callMethod(table[name]!, methods[name] as never, request as Request, accountId)
        ).pipe(
          Effect.tap((record) =>
            at === undefined
              ? Effect.void
              : located(typeof at === "string" ? at : at(request))(
                  record as { readonly id: string }
                )
          ),
          answered
        ) as never,
    call: callerOf(methods)
  }))

/** The frame, account and problems, around work with a service. */
const callerOf =
  <Methods>(methods: Methods) =>
  <R, A, Needs>(
    work: (
      methods: Methods,
      accountId: string,
      request: R,
      caller: CallerKey
    ) => Effect.Effect<A, Refusal, Needs>
  ) =>
  (request: R): Effect.Effect<A | Answer, never, Needs | Caller> =>
    answered(Caller.use((caller) => work(methods, caller.accountId, request, caller)))

/**
 * The same frame for a service that has no table.
 *
 * @category constructors
 * @since 0.1.0
 */
export const withCaller = <Self, Methods>(service: Context.Service<Self, Methods>) =>
  Effect.map(service, callerOf)
