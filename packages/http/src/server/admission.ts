/**
 * The checks before every operation: key, quota, scopes, query, body, idempotency, in this order.
 *
 * It is the server's side of `Authorization`, so that an operation can't be reached around it.
 *
 * @since 0.1.0
 */
import {
  Accounts,
  Bots,
  IdempotencyStore,
  Problem,
  SecretBox,
  type SecretSealing,
  StoreError
} from "@candlewick/core"
import { minuteMs } from "@candlewick/core/kernel"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import {
  Authorization,
  Caller,
  type CallerKey,
  IsKeyedByContent,
  MovesCandles,
  OperationQuota,
  RequiredScopes,
  ShowsSecret,
  Validation,
  WaitsForNoKey
} from "../api/Authorization.ts"
import { acceptedType, tableOf, toType } from "./acceptable.ts"
import { AccountBudgets } from "./AccountBudgets.ts"
import { AfterBody } from "./AfterBody.ts"
import { authenticate, checkScopes } from "./authorise.ts"
import { noteAccount } from "./connections.ts"
import { CurrentRequest, type RequestFacts } from "./CurrentRequest.ts"
import { canonicalJson, requestFingerprint, once, readKey } from "./idempotency.ts"
import { KeyCheck } from "./KeyCheck.ts"
import { refuseUnknownQuery } from "./knownQuery.ts"
import { problemOf, type Refusal, refuseWith } from "./problemAnswers.ts"
import { checkRate, type Policy, RateLimits } from "./RateLimits.ts"
import { noteRefusedSignal } from "./refusedSignals.ts"
import { bodyKindOf, digestBody, readBody } from "./requestBodies.ts"

type Answer = HttpServerResponse.HttpServerResponse

const policyOf = (endpoint: HttpApiEndpoint.Top): Policy =>
  Context.get(endpoint.annotations, OperationQuota) ??
  (endpoint.method === "GET" || endpoint.method === "HEAD" ? "reads" : "writes")

// Both prefixes name the same operation, so a key holds for both.
/** The path of an operation without its prefix; the two paths that create a bot are one. */
const operationPath = (path: string): string =>
  path.replace(/^(\/api)?\/v1/, "").replace(/^\/bots\/create$/, "/bots")

interface Services {
  readonly accounts: Accounts["Service"]
  readonly limits: RateLimits["Service"]
  readonly budgets: AccountBudgets["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly box: SecretSealing
}

/** The quota of the key, the quota of its account, and the account's requests under way. */
const checkBudgets = Effect.fnUntraced(function* (
  { budgets, limits }: Services,
  endpoint: HttpApiEndpoint.Top,
  { accountId, keyId }: CallerKey,
  facts: RequestFacts
) {
  const policy = policyOf(endpoint)
  yield* checkRate(yield* limits.take(policy, keyId), facts)
  const ofAccount = yield* limits.takeOfAccount(policy, accountId)
  if (!ofAccount.isAdmitted) yield* checkRate(ofAccount, facts)
  yield* budgets.take("requests", accountId)
  const moves = Context.get(endpoint.annotations, MovesCandles)
  if (moves !== undefined) yield* budgets.take(moves, accountId)
})

/**
 * The key of a request that is known again by its body: the body's own id, or all of it within one
 * minute. Servers whose clocks differ share the store's minute.
 */
const contentKey = (
  { idempotency }: Pick<Services, "idempotency">,
  endpoint: HttpApiEndpoint.Top,
  text: string
): Effect.Effect<string | undefined, StoreError> => {
  if (!Context.get(endpoint.annotations, IsKeyedByContent)) return Effect.undefined
  const { id } = (JSON.parse(text) ?? {}) as { readonly id?: unknown }
  if (typeof id === "string") return Effect.succeed(requestFingerprint(`id ${id}`, ""))
  return Effect.map(idempotency.nowMs, (nowMs) =>
    requestFingerprint(`minute ${Math.floor(nowMs / minuteMs)}`, canonicalJson(text))
  )
}

/** For how long an operation that must not wait gives the store to take its key. */
const keyPatienceMs = 250

/** Reads the body and carries the operation out: once, where the request has a key of its own. */
const runOperation = Effect.fnUntraced(function* <E>(
  services: Services,
  work: Effect.Effect<Answer, E, Caller>,
  caller: CallerKey,
  endpoint: HttpApiEndpoint.Top,
  facts: RequestFacts
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const kind = bodyKindOf(endpoint)
  const body = yield* readBody(request, kind)
  const admit = (given: HttpServerRequest.HttpServerRequest) =>
    work.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, given),
      Effect.provideService(Caller, caller)
    )
  const header =
    endpoint.method === "POST"
      ? (request.headers["idempotency-key"] ?? (yield* contentKey(services, endpoint, body.text)))
      : undefined
  if (header === undefined) return yield* admit(body.request)
  const key = yield* readKey(header)
  const scope = `${caller.accountId} POST ${operationPath(facts.path)}`
  const showsSecret = Context.get(endpoint.annotations, ShowsSecret)
  const keyed = (sent: string) => {
    const fingerprint = requestFingerprint(facts.target.slice(facts.path.length), sent)
    return { scope, key, fingerprint, facts, showsSecret }
  }
  const keys = { store: services.idempotency, box: services.box }
  if (Context.get(endpoint.annotations, WaitsForNoKey)) {
    const patient = { ...keyed(canonicalJson(body.text)), claimWithinMs: keyPatienceMs }
    return yield* Effect.catchTag(once(keys, patient, admit(body.request)), "StoreError", (error) =>
      Effect.andThen(
        Effect.logWarning(`${facts.path} is carried out without its key`, error),
        admit(body.request)
      )
    )
  }
  if (kind !== "stream") {
    return yield* once(keys, keyed(canonicalJson(body.text)), admit(body.request))
  }
  // Which request it is shows when its body was read: the operation takes the key after that.
  const { digest, request: read } = digestBody(body.request)
  return yield* Effect.provideService(admit(read), AfterBody, {
    once: (rest) => Effect.suspend(() => once(keys, keyed(digest()), rest))
  })
})

const make = Effect.gen(function* () {
  const services: Services = {
    accounts: yield* Accounts,
    limits: yield* RateLimits,
    budgets: yield* AccountBudgets,
    idempotency: yield* IdempotencyStore,
    box: yield* SecretBox
  }
  const { accounts } = services
  const bots = yield* Bots
  return Authorization.of({
    bearer: (work, { credential, endpoint }) =>
      Effect.gen(function* () {
        const facts = yield* CurrentRequest
        facts.route = endpoint.path
        const token = Redacted.value(credential)
        const { headers, source } = yield* HttpServerRequest.HttpServerRequest
        const caller = yield* authenticate(services, token, facts)
        noteAccount(source, caller.accountId)
        yield* checkBudgets(services, endpoint, caller, facts)
        yield* checkScopes(caller, Context.get(endpoint.annotations, RequiredScopes))
        yield* refuseUnknownQuery(endpoint, facts.target.slice(facts.path.length))
        const type = yield* acceptedType(endpoint, headers["accept"])
        facts.table = tableOf(endpoint, type)
        const answer = yield* runOperation(services, work, caller, endpoint, facts).pipe(
          Effect.tapError((error) =>
            error instanceof Problem && error.code === "idempotency_key_reused"
              ? noteRefusedSignal(bots, endpoint, facts, error)
              : Effect.void
          ),
          Effect.provideService(KeyCheck, Effect.asVoid(accounts.authenticate(token)))
        )
        return toType(answer, endpoint, type)
      }).pipe(
        Effect.catchIf(
          (error): error is Refusal => error instanceof Problem || error instanceof StoreError,
          refuseWith
        )
      )
  })
})

const validation = Effect.map(Bots, (bots) =>
  Validation.of((work, { endpoint }) =>
    Effect.catch(
      work,
      Effect.fnUntraced(function* (error) {
        const facts = yield* CurrentRequest
        const problem = problemOf(error, facts.body)
        if (problem === undefined) return yield* Effect.fail(error)
        yield* noteRefusedSignal(bots, endpoint, facts, problem)
        return yield* refuseWith(problem)
      })
    )
  )
)

/** The server's side of `Authorization` and of `Validation`. @category layers @since 0.1.0 */
export const layer: Layer.Layer<
  Authorization | Validation,
  never,
  AccountBudgets | Accounts | Bots | IdempotencyStore | RateLimits
> = Layer.mergeAll(Layer.effect(Authorization, make), Layer.effect(Validation, validation))
